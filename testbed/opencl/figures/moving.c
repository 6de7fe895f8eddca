/*
 * An application whose session moves: it writes a part of its buffers all the time, and knows how long it ever waited. Arguments:
 * MiB in all, buffers, buffers that it writes. To each line of its input it answers "LONGEST MEDIAN", milliseconds from one launch
 * to the end of the next since the line before; at the end of its input it verifies all contents and ends.
 */
#include "../programs/check.h"

#include <poll.h>
#include <time.h>
#include <unistd.h>

#define MOST_TIMES 100000

static const char text[] =
	"kernel void set(global uint *a, uint v) { a[get_global_id(0)] = v * 7 + get_global_id(0); }"
	"kernel void check(global const uint *a, uint v, global uint *wrong) {"
	"  if (a[get_global_id(0)] != v * 7 + get_global_id(0)) atomic_inc(wrong); }";

static double times[MOST_TIMES];
static size_t count;

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void answer(void)
{
	if (count == 0)
		times[count++] = 0;
	qsort(times, count, sizeof(*times), compare);
	printf("%.3f %.3f\n", times[count - 1], times[count / 2]);
	fflush(stdout);
	count = 0;
}

/* False at the end of the input. */
static bool asked(void)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	char byte;

	while (poll(&input, 1, 0) > 0) {
		if (read(STDIN_FILENO, &byte, 1) <= 0)
			return false;
		if (byte == '\n')
			answer();
	}
	return true;
}

static void run(const struct setup *s, cl_kernel kernel, cl_mem buffer, cl_uint v, size_t words)
{
	MUST(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	MUST(clSetKernelArg(kernel, 1, sizeof(v), &v));
	MUST(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &words, NULL, 0, NULL, NULL));
}

int main(int argc, char **argv)
{
	size_t all = (size_t)(argc > 1 ? atoi(argv[1]) : 64) << 20;
	size_t buffers = argc > 2 ? (size_t)atoi(argv[2]) : 100, written = argc > 3 ? (size_t)atoi(argv[3]) : 5;
	size_t words = all / buffers / sizeof(cl_uint);
	struct setup s = set_up();
	cl_kernel set = kernel_of(&s, text, "set"), check = kernel_of(&s, text, "check");
	cl_uint none = 0;
	cl_mem wrong = NEED(clCreateBuffer(s.context, CL_MEM_COPY_HOST_PTR, sizeof(none), &none, &error));
	cl_mem *buffer = calloc(buffers, sizeof(*buffer));
	cl_uint *value = calloc(buffers, sizeof(*value)), many = 77;

	for (size_t i = 0; i < buffers; i++) {
		buffer[i] = NEED(clCreateBuffer(s.context, 0, words * sizeof(cl_uint), NULL, &error));
		run(&s, set, buffer[i], value[i], words);
	}
	MUST(clFinish(s.queue));
	printf("ready\n");
	fflush(stdout);
	for (size_t turn = 0; asked(); turn++) {
		double began = now_ms();

		if (written > 0) {
			value[turn % written]++;
			run(&s, set, buffer[turn % written], value[turn % written], words);
		}
		MUST(clFinish(s.queue));
		if (count < MOST_TIMES)
			times[count++] = now_ms() - began;
	}
	for (size_t i = 0; i < buffers; i++) {
		MUST(clSetKernelArg(check, 2, sizeof(wrong), &wrong));
		run(&s, check, buffer[i], value[i], words);
	}
	MUST(clEnqueueReadBuffer(s.queue, wrong, CL_TRUE, 0, sizeof(many), &many, 0, NULL, NULL));
	printf("wrong %u\n", many);
	return many != 0;
}
