/*
 * Reads in an out-of-order queue, for which one thread waits by their event and another by clFinish: who waits by the
 * event has all of the bytes when it returns.
 */
#include "check.h"

#include <pthread.h>

#define WORDS (1u << 20)
#define ROUNDS 60

static void *finisher(void *queue)
{
	MUST(clFinish(queue));
	return NULL;
}

int main(void)
{
	struct setup s = set_up();
	cl_command_queue queue = NEED(clCreateCommandQueue(s.context, s.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error));
	cl_mem buffer = NEED(clCreateBuffer(s.context, 0, WORDS * sizeof(cl_uint), NULL, &error));
	static cl_uint back[WORDS];
	cl_uint round, whole = 0;

	for (round = 1; round <= ROUNDS; round++) {
		cl_event filled, read;
		pthread_t thread;

		MUST(clEnqueueFillBuffer(queue, buffer, &round, sizeof(round), 0, sizeof(back), 0, NULL, &filled));
		MUST(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof(back), back, 1, &filled, &read));
		pthread_create(&thread, NULL, finisher, queue);
		MUST(clWaitForEvents(1, &read));
		whole += back[0] == round && back[WORDS - 1] == round;
		pthread_join(thread, NULL);
		MUST(clReleaseEvent(filled));
		MUST(clReleaseEvent(read));
	}
	say_number("whole", whole);
	MUST(clReleaseMemObject(buffer));
	MUST(clReleaseCommandQueue(queue));
	tear_down(&s);
	return 0;
}
