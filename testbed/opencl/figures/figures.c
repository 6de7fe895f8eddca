/*
 * Times of single calls, natively or remoted, as this process is run: R1 (kernel and finish), R2 (launches in a row), R3
 * (reads and writes), R9 (from the first call to a context). Each line is "NAME VALUE UNIT", the value a median.
 */
#include "../programs/check.h"
#include <string.h>
#include <time.h>

#define ROUNDS 2000
#define ROW 1000
#define ROWS 20
#define TRANSFERS 15

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *times, size_t count)
{
	qsort(times, count, sizeof(*times), compare);
	return times[count / 2];
}

static void figure(const char *name, double value, const char *unit)
{
	printf("%s %.2f %s\n", name, value, unit);
	fflush(stdout);
}

struct emptiness {
	cl_kernel kernel;
	cl_mem buffer;
};

static struct emptiness empty_kernel(const struct setup *s)
{
	struct emptiness e = { kernel_of(s, "kernel void empty(global int *a) { }", "empty"), buffer_of(s, 4096, 1) };

	MUST(clSetKernelArg(e.kernel, 0, sizeof(e.buffer), &e.buffer));
	return e;
}

static void empty_release(struct emptiness e)
{
	MUST(clReleaseKernel(e.kernel));
	MUST(clReleaseMemObject(e.buffer));
}

static void empty_launch(const struct setup *s, struct emptiness e)
{
	const size_t one = 1;

	MUST(clEnqueueNDRangeKernel(s->queue, e.kernel, 1, NULL, &one, &one, 0, NULL, NULL));
}

static void finishes(const struct setup *s)
{
	struct emptiness e = empty_kernel(s);
	static double times[ROUNDS];

	for (int i = -ROUNDS / 10; i < ROUNDS; i++) {
		double began = now();

		empty_launch(s, e);
		MUST(clFinish(s->queue));
		if (i >= 0)
			times[i] = now() - began;
	}
	figure("R1-kernel-and-finish", median(times, ROUNDS), "us");
	empty_release(e);
}

static void rows(const struct setup *s)
{
	struct emptiness e = empty_kernel(s);
	double times[ROWS];

	for (int row = -1; row < ROWS; row++) {
		double began = now();

		for (int i = 0; i < ROW; i++)
			empty_launch(s, e);
		MUST(clFinish(s->queue));
		if (row >= 0)
			times[row] = (now() - began) / ROW;
	}
	figure("R2-launch-in-a-row", median(times, ROWS), "us");
	empty_release(e);
}

static void transfers(const struct setup *s, const char *name, size_t size)
{
	cl_mem buffer = NEED(clCreateBuffer(s->context, 0, size, NULL, &error));
	double writes[TRANSFERS], reads[TRANSFERS], began;
	char *bytes = malloc(size), line[64];

	memset(bytes, 1, size);
	for (int i = -1; i < TRANSFERS; i++) {
		began = now();
		MUST(clEnqueueWriteBuffer(s->queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL));
		writes[i < 0 ? 0 : i] = now() - began;
		began = now();
		MUST(clEnqueueReadBuffer(s->queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL));
		reads[i < 0 ? 0 : i] = now() - began;
	}
	snprintf(line, sizeof(line), "R3-write-%s", name);
	figure(line, (double)size / median(writes, TRANSFERS) / 1073.741824, "GiB/s");
	snprintf(line, sizeof(line), "R3-read-%s", name);
	figure(line, (double)size / median(reads, TRANSFERS) / 1073.741824, "GiB/s");
	MUST(clReleaseMemObject(buffer));
	free(bytes);
}

static void maps(const struct setup *s)
{
	size_t size = 16 << 20;
	cl_mem buffer = NEED(clCreateBuffer(s->context, CL_MEM_ALLOC_HOST_PTR, size, NULL, &error));
	static double times[ROUNDS];

	for (int i = -10; i < 100; i++) {
		double began = now();
		void *at = NEED(clEnqueueMapBuffer(s->queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, size, 0, NULL, NULL, &error));

		MUST(clEnqueueUnmapMemObject(s->queue, buffer, at, 0, NULL, NULL));
		MUST(clFinish(s->queue));
		if (i >= 0)
			times[i] = now() - began;
	}
	figure("R3-map-and-unmap-16MiB", median(times, 100), "us");
	MUST(clReleaseMemObject(buffer));
}

static bool wanted(int argc, char **argv, const char *name)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return true;
	return argc == 1;
}

/* Arguments: the figures that are wanted; none for all. */
int main(int argc, char **argv)
{
	double began = now();
	struct setup s = set_up();

	figure("R9-first-call-to-context-and-queue", (now() - began) / 1000, "ms");
	if (wanted(argc, argv, "R1"))
		finishes(&s);
	if (wanted(argc, argv, "R2"))
		rows(&s);
	if (wanted(argc, argv, "R3")) {
		transfers(&s, "4KiB", 4096);
		transfers(&s, "1MiB", 1 << 20);
		transfers(&s, "16MiB", 16 << 20);
		transfers(&s, "64MiB", 64 << 20);
		maps(&s);
	}
	return 0;
}
