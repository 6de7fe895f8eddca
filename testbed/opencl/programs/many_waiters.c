/* More threads than a session answers at once wait for what one more thread has yet to do. */
#include "check.h"
#include <pthread.h>
#include <sched.h>

#define THREADS 100

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

static void run(const struct setup *s, const char *what, void *(*wait)(void *))
{
	struct waiter waiters[THREADS];
	pthread_t threads[THREADS];
	cl_event gate = NEED(clCreateUserEvent(s->context, &error));
	int right = 0;

	begun = 0;
	for (int i = 0; i < THREADS; i++) {
		waiters[i] = (struct waiter){ .s = s, .gate = gate, .status = 1 };
		pthread_create(&threads[i], NULL, wait, &waiters[i]);
	}
	while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) < THREADS)
		sched_yield();
	SAY("what they wait for", clSetUserEventStatus(gate, CL_COMPLETE));
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		right += waiters[i].status == CL_SUCCESS;
	}
	say_number(what, right);
	MUST(clReleaseEvent(gate));
}

int main(void)
{
	struct setup s = set_up();

	run(&s, "threads that waited for an event", wait_for_gate);
	run(&s, "threads that waited for a queue", finish_behind_gate);
	tear_down(&s);
	return 0;
}
