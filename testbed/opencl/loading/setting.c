/*
 * A thread that sets a user event stops behind the message to the host until somebody who waited for the event has
 * released it and made others: none of them is set.
 */
#include "../programs/check.h"
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EVENTS 64
#define ROUNDS 20
#define LOOKS 10000

static _Thread_local bool sets;
static _Atomic bool rung, released;

/* The driver's doorbell is an eventfd: the host has the message then. */
ssize_t write(int fd, const void *bytes, size_t count)
{
	ssize_t written = syscall(SYS_write, fd, bytes, count);

	if (sets && count == 8) {
		rung = true;
		for (int i = 0; i < LOOKS && !released; i++)
			usleep(1000);
	}
	return written;
}

static void *set(void *event)
{
	usleep(50000); /* the other one waits by now, and the host sleeps */
	sets = true;
	MUST(clSetUserEventStatus(event, CL_COMPLETE));
	return NULL;
}

/* How many events are set that nobody has set. */
static int wrong(const struct setup *s)
{
	cl_event event = NEED(clCreateUserEvent(s->context, &error));
	cl_event next[EVENTS];
	pthread_t setter;
	int count = 0;

	released = false;
	if (pthread_create(&setter, NULL, set, event) != 0)
		exit(1);
	MUST(clWaitForEvents(1, &event));
	MUST(clReleaseEvent(event));
	for (int i = 0; i < EVENTS; i++)
		next[i] = NEED(clCreateUserEvent(s->context, &error));
	released = true;
	pthread_join(setter, NULL);
	for (int i = 0; i < EVENTS; i++) {
		cl_int state = 0;

		MUST(clGetEventInfo(next[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state), &state, NULL));
		count += state != CL_SUBMITTED;
		MUST(clReleaseEvent(next[i])); /* which are the first that are made again */
	}
	return count;
}

int main(void)
{
	struct setup s = set_up();
	int count = wrong(&s);

	rung = false;
	for (int i = 0; i < ROUNDS && !rung; i++)
		count += wrong(&s);
	say_true("stopped behind the message", rung);
	say_number("set by nobody", count);
	tear_down(&s);
	return 0;
}
