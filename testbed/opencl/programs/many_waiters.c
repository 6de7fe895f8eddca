/*
 * More threads than a session answers at once wait for what one more thread has yet to do, which waits for other things
 * before that; and as many share a queue.
 */
#include "check.h"
#include <pthread.h>
#include <sched.h>

#define THREADS 100
#define ROUNDS 20
#define BYTES (3u << 20)

struct waiter {
	const struct setup *s;
	cl_event gate;
	cl_int status;
};

static int begun; /* atomic */

static void *wait_for_gate(void *given)
{
	struct waiter *w = given;

	__atomic_fetch_add(&begun, 1, __ATOMIC_SEQ_CST);
	w->status = clWaitForEvents(1, &w->gate);
	return NULL;
}

static void *finish_behind_gate(void *given)
{
	struct waiter *w = given;
	cl_command_queue queue = NEED(clCreateCommandQueue(w->s->context, w->s->device, 0, &error));

	MUST(clEnqueueMarkerWithWaitList(queue, 1, &w->gate, NULL));
	__atomic_fetch_add(&begun, 1, __ATOMIC_SEQ_CST);
	w->status = clFinish(queue);
	MUST(clReleaseCommandQueue(queue));
	return NULL;
}

static void *share_queue(void *given)
{
	struct waiter *w = given;
	cl_mem memory = NEED(clCreateBuffer(w->s->context, 0, sizeof(cl_uint), NULL, &error));
	cl_uint number;

	for (int i = 0; i < ROUNDS; i++) {
		MUST(clEnqueueReadBuffer(w->s->queue, memory, CL_TRUE, 0, sizeof(number), &number, 0, NULL, NULL));
		if (i % 8 == 0)
			MUST(clFinish(w->s->queue));
	}
	MUST(clReleaseMemObject(memory));
	__atomic_fetch_add(&begun, 1, __ATOMIC_SEQ_CST);
	w->status = CL_SUCCESS;
	return NULL;
}

/* All kinds of waits, so often that the others have begun theirs. */
static void wait_for_others(const struct setup *s, cl_mem memory)
{
	static unsigned char bytes[BYTES];

	for (int i = 0; i < ROUNDS; i++) {
		cl_event filled;
		void *mapped;

		MUST(clEnqueueReadBuffer(s->queue, memory, CL_TRUE, 0, 1, bytes, 0, NULL, NULL));
		MUST(clEnqueueFillBuffer(s->queue, memory, &i, 1, 0, BYTES, 0, NULL, &filled));
		MUST(clWaitForEvents(1, &filled));
		MUST(clReleaseEvent(filled));
		MUST(clEnqueueReadBuffer(s->queue, memory, CL_TRUE, 0, BYTES, bytes, 0, NULL, NULL));
		mapped = NEED(clEnqueueMapBuffer(s->queue, memory, CL_TRUE, CL_MAP_READ, 0, BYTES, 0, NULL, NULL,
						 &error));
		if (bytes[BYTES - 1] != i || memcmp(mapped, bytes, BYTES) != 0)
			say_number("wrong bytes in round", i);
		MUST(clEnqueueUnmapMemObject(s->queue, memory, mapped, 0, NULL, NULL));
		MUST(clFinish(s->queue));
	}
}

static void run(const struct setup *s, const char *what, void *(*wait)(void *))
{
	struct waiter waiters[THREADS];
	pthread_t threads[THREADS];
	cl_event gate = NEED(clCreateUserEvent(s->context, &error));
	cl_mem memory = NEED(clCreateBuffer(s->context, 0, BYTES, NULL, &error));
	int right = 0;

	begun = 0;
	for (int i = 0; i < THREADS; i++) {
		waiters[i] = (struct waiter){ .s = s, .gate = gate, .status = 1 };
		pthread_create(&threads[i], NULL, wait, &waiters[i]);
	}
	while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) < THREADS)
		sched_yield();
	wait_for_others(s, memory);
	SAY("what they wait for", clSetUserEventStatus(gate, CL_COMPLETE));
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		right += waiters[i].status == CL_SUCCESS;
	}
	say_number(what, right);
	MUST(clReleaseMemObject(memory));
	MUST(clReleaseEvent(gate));
}

int main(void)
{
	struct setup s = set_up();

	run(&s, "threads that waited for an event", wait_for_gate);
	run(&s, "threads that shared a queue", share_queue);
	run(&s, "threads that waited for a queue", finish_behind_gate);
	tear_down(&s);
	return 0;
}
