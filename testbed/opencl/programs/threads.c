/* Threads of one program: each with queue and buffers of its own, and all with one queue. */
#include "check.h"
#include <pthread.h>

#define THREADS 6
#define ROUNDS 100
#define ITEMS 1024

static const char text[] = "kernel void k(global uint *a, uint v) { size_t g = get_global_id(0); a[g] = a[g] * 3 + v; }";

struct worker {
	struct setup s;
	cl_kernel kernel;
	cl_mem buffer;
	cl_uint number;
	uint64_t sum;
	bool right;
};

static void *work(void *given)
{
	struct worker *w = given;
	size_t global = ITEMS;
	cl_uint back[ITEMS];

	w->right = true;
	for (cl_uint i = 0; i < ROUNDS; i++) {
		cl_uint v = w->number * 1000 + i;

		w->right &= clSetKernelArg(w->kernel, 1, sizeof(v), &v) == CL_SUCCESS;
		w->right &= clEnqueueNDRangeKernel(w->s.queue, w->kernel, 1, NULL, &global, NULL, 0, NULL, NULL) == CL_SUCCESS;
		if (i % 10 == 0)
			w->right &= clEnqueueReadBuffer(w->s.queue, w->buffer, CL_TRUE, 0, sizeof(back), back, 0, NULL, NULL) == CL_SUCCESS;
	}
	w->right &= clEnqueueReadBuffer(w->s.queue, w->buffer, CL_TRUE, 0, sizeof(back), back, 0, NULL, NULL) == CL_SUCCESS;
	w->sum = checksum(back, sizeof(back));
	return NULL;
}

static void run(const struct setup *s, const char *what, bool one_queue)
{
	struct worker workers[THREADS];
	pthread_t threads[THREADS];
	char line[64];

	for (cl_uint i = 0; i < THREADS; i++) {
		struct worker *w = &workers[i];

		w->s = *s;
		w->number = i;
		if (!one_queue)
			w->s.queue = NEED(clCreateCommandQueue(s->context, s->device, 0, &error));
		w->kernel = kernel_of(s, text, "k");
		w->buffer = buffer_of(s, ITEMS * 4, i);
		MUST(clSetKernelArg(w->kernel, 0, sizeof(w->buffer), &w->buffer));
	}
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, &workers[i]);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		snprintf(line, sizeof(line), "%s: %s, %016llx", what, workers[i].right ? "right" : "WRONG", (unsigned long long)workers[i].sum);
		say_text("thread", line);
		SAY("kernel", clReleaseKernel(workers[i].kernel));
		SAY("buffer", clReleaseMemObject(workers[i].buffer));
		if (!one_queue)
			SAY("queue", clReleaseCommandQueue(workers[i].s.queue));
	}
}

static void *all_of_it(void *given)
{
	struct setup s = { .device = ((struct setup *)given)->device };
	struct worker w = { .number = 5 };

	s.context = clCreateContext(NULL, 1, &s.device, NULL, NULL, NULL);
	s.queue = clCreateCommandQueue(s.context, s.device, 0, NULL);
	w.s = s;
	w.kernel = kernel_of(&s, text, "k");
	w.buffer = buffer_of(&s, ITEMS * 4, 77);
	clSetKernelArg(w.kernel, 0, sizeof(w.buffer), &w.buffer);
	work(&w);
	clReleaseKernel(w.kernel);
	clReleaseMemObject(w.buffer);
	clReleaseCommandQueue(s.queue);
	clReleaseContext(s.context);
	return (void *)(uintptr_t)(w.right ? w.sum : 0);
}

int main(void)
{
	struct setup s = set_up();
	pthread_t threads[THREADS];
	void *first = NULL, *sum;
	bool same = true;

	run(&s, "own queues", false);
	run(&s, "one queue", true);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, all_of_it, &s);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &sum);
		first = first ? first : sum;
		same &= sum == first && sum != NULL;
	}
	say_true("own contexts, all the same", same);
	tear_down(&s);
	return 0;
}
