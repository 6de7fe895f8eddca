/*
 * A guest's program that takes what it can of one thing: "queries" the session host's processor, by threads; "events" its
 * tables; "builds" its compiler; "memory" its memory; "launches" the device, "transfers" its copies, by threads. Until it
 * is ended.
 */
#include "../programs/check.h"
#include <pthread.h>

#define THREADS 16

static struct setup s;
static const char *attack;
static const char text[] = "kernel void work(global uint *out) { out[get_global_id(0)] += 1; }";

static void queries(void)
{
	for (;;) {
		cl_program program = clCreateProgramWithSource(s.context, 1, (const char *[]){ text }, NULL, &error);

		clReleaseProgram(program);
	}
}

static void events(void)
{
	for (;;) {
		cl_event gate = clCreateUserEvent(s.context, &error), last = NULL;
		cl_mem memory = clCreateBuffer(s.context, 0, 4096, NULL, &error);
		cl_uint zero = 0;

		for (int i = 0; i < 5000; i++) {
			cl_event done = NULL;

			clEnqueueFillBuffer(s.queue, memory, &zero, sizeof(zero), 0, 4096, 1, last ? &last : &gate, &done);
			if (last)
				clReleaseEvent(last);
			last = done;
		}
		clSetUserEventStatus(gate, CL_COMPLETE);
		clFinish(s.queue);
		clReleaseEvent(last);
		clReleaseEvent(gate);
		clReleaseMemObject(memory);
	}
}

static void builds(void)
{
	for (unsigned round = 0;; round++) {
		char *source = malloc(1 << 16);
		const char *sources[] = { source };
		size_t at = 0;

		for (unsigned i = 0; i < 100; i++)
			at += (size_t)sprintf(source + at, "kernel void k%u(global uint *out) { out[0] = %uu; for (uint i = 0; i < out[1]; i++) out[i] *= %uu; }\n",
					      i, round, (unsigned)(uintptr_t)source);
		cl_program program = clCreateProgramWithSource(s.context, 1, sources, NULL, &error);

		clBuildProgram(program, 1, &s.device, NULL, NULL, NULL);
		clReleaseProgram(program);
		free(source);
	}
}

static void memory(void)
{
	static cl_mem all[4096];

	for (;;) {
		int n = 0;
		cl_uint one = 1;

		for (; n < 4096; n++) {
			all[n] = clCreateBuffer(s.context, 0, 64 << 20, NULL, &error);
			if (error != CL_SUCCESS)
				break;
			clEnqueueFillBuffer(s.queue, all[n], &one, sizeof(one), 0, 1 << 20, 0, NULL, NULL);
		}
		clFinish(s.queue);
		while (n > 0)
			clReleaseMemObject(all[--n]);
	}
}

static void launches(void)
{
	cl_command_queue queue = clCreateCommandQueue(s.context, s.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
	cl_kernel kernel = kernel_of(&s, text, "work");
	size_t items = 1 << 14;
	cl_mem out = clCreateBuffer(s.context, 0, items * sizeof(cl_uint), NULL, &error);

	clSetKernelArg(kernel, 0, sizeof(out), &out);
	for (unsigned i = 1;; i++) {
		clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
		if (i % 100000 == 0)
			clFinish(queue);
	}
}

static void transfers(void)
{
	cl_command_queue queue = clCreateCommandQueue(s.context, s.device, 0, &error);
	size_t size = 1 << 22;
	cl_mem memory = clCreateBuffer(s.context, 0, size, NULL, &error);
	char *bytes = calloc(1, size);

	for (;;) {
		clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, size, bytes, 0, NULL, NULL);
		clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, size, bytes, 0, NULL, NULL);
	}
}

static void *run(void *unused)
{
	(void)unused;
	if (!strcmp(attack, "transfers"))
		transfers();
	if (!strcmp(attack, "queries"))
		queries();
	if (!strcmp(attack, "builds"))
		builds();
	launches();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	bool alone;

	attack = argc > 1 ? argv[1] : "queries";
	alone = !strcmp(attack, "events") || !strcmp(attack, "memory");
	s = set_up();
	printf("attacks\n");
	fflush(stdout);
	if (alone)
		strcmp(attack, "events") ? memory() : events();
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	pthread_join(threads[0], NULL);
	return 0;
}
