/* Callbacks of events: on which states, with which arguments, in which order, how many. */
#include "check.h"
#include <pthread.h>

#define EACH 200

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int seen[2 * EACH], count;

struct expected {
	cl_event event;
	int number;
	bool right;
	cl_int status;
};

static void CL_CALLBACK on_event(cl_event event, cl_int status, void *user)
{
	struct expected *e = user;

	pthread_mutex_lock(&lock);
	e->right = event == e->event;
	e->status = status;
	seen[count++] = e->number;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void wait_for(int many)
{
	pthread_mutex_lock(&lock);
	while (count < many)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void wrong(const struct setup *s)
{
	cl_event event = MAKE("event", clCreateUserEvent(s->context, &error));

	SAY("NULL", clSetEventCallback(NULL, CL_COMPLETE, on_event, NULL));
	SAY("no function", clSetEventCallback(event, CL_COMPLETE, NULL, NULL));
	SAY("queued", clSetEventCallback(event, CL_QUEUED, on_event, NULL));
	SAY("unknown", clSetEventCallback(event, 17, on_event, NULL));
	SAY("event", clSetUserEventStatus(event, CL_COMPLETE));
	SAY("event", clReleaseEvent(event));
}

static void once(const char *what, const struct setup *s, cl_int status, bool before)
{
	struct expected e = { .number = 1 };

	count = 0;
	e.event = MAKE(what, clCreateUserEvent(s->context, &error));
	if (before)
		SAY(what, clSetEventCallback(e.event, CL_COMPLETE, on_event, &e));
	SAY(what, clSetUserEventStatus(e.event, status));
	if (!before)
		SAY(what, clSetEventCallback(e.event, CL_COMPLETE, on_event, &e));
	wait_for(1);
	say_true("its event", e.right);
	say_text("its state", error_name(e.status));
	SAY(what, clReleaseEvent(e.event));
}

static void in_order(const struct setup *s)
{
	static struct expected e[EACH];
	cl_event gate = MAKE("gate", clCreateUserEvent(s->context, &error));
	bool right = true;

	count = 0;
	for (int i = 0; i < EACH; i++) {
		e[i].number = i;
		right &= clEnqueueMarkerWithWaitList(s->queue, i == 0, i == 0 ? &gate : NULL, &e[i].event) == CL_SUCCESS;
		right &= clSetEventCallback(e[i].event, CL_COMPLETE, on_event, &e[i]) == CL_SUCCESS;
	}
	say_true("set", right);
	say_number("called before the gate opens", count);
	SAY("gate", clSetUserEventStatus(gate, CL_COMPLETE));
	SAY("queue", clFinish(s->queue));
	wait_for(EACH);
	for (int i = 0; i < EACH; i++) {
		right &= e[i].right && e[i].status == CL_COMPLETE;
		right &= clReleaseEvent(e[i].event) == CL_SUCCESS;
	}
	say_number("called", count);
	say_true("each with its own", right);
	SAY("gate", clReleaseEvent(gate));
}

static void every_state(const struct setup *s)
{
	static struct expected e[3];
	static const cl_int states[] = { CL_SUBMITTED, CL_RUNNING, CL_COMPLETE };
	cl_event gate = MAKE("gate", clCreateUserEvent(s->context, &error)), marker;
	cl_mem buffer = buffer_of(s, 64, 1);
	int zero = 0;

	count = 0;
	SAY("behind the gate", clEnqueueFillBuffer(s->queue, buffer, &zero, 4, 0, 64, 1, &gate, &marker));
	for (int i = 0; i < 3; i++) {
		e[i].number = i;
		e[i].event = marker;
		SAY("each state", clSetEventCallback(marker, states[i], on_event, &e[i]));
	}
	SAY("queue", clFlush(s->queue));
	SAY("gate", clSetUserEventStatus(gate, CL_COMPLETE));
	SAY("queue", clFinish(s->queue));
	wait_for(3);
	for (int i = 0; i < 3; i++) {
		say_true("its event", e[i].right);
		say_number("its state", e[i].status);
	}
	SAY("marker", clReleaseEvent(marker));
	SAY("gate", clReleaseEvent(gate));
	SAY("buffer", clReleaseMemObject(buffer));
}

/* Those of one that has ended are called as they come. */
static void states_of_the_past(const struct setup *s)
{
	static struct expected e[6];
	static const cl_int states[] = { CL_COMPLETE, CL_SUBMITTED, CL_RUNNING, CL_SUBMITTED, CL_COMPLETE, CL_RUNNING };
	cl_event event = MAKE("event", clCreateUserEvent(s->context, &error));

	count = 0;
	SAY("event", clSetUserEventStatus(event, CL_COMPLETE));
	for (int i = 0; i < 6; i++) {
		e[i] = (struct expected){ .number = i, .event = event };
		SAY("a state of the past", clSetEventCallback(event, states[i], on_event, &e[i]));
	}
	wait_for(6);
	for (int i = 0; i < 6; i++) {
		say_number("called", seen[i]);
		say_number("its state", e[i].status);
	}
	SAY("event", clReleaseEvent(event));
}

/* A callback may enqueue, and set user events. */
static _Atomic cl_int chained = NOT_WRITTEN;

static void CL_CALLBACK on_chain(cl_event event, cl_int status, void *user)
{
	(void)event, (void)status;
	chained = clSetUserEventStatus(user, CL_COMPLETE);
}

static void chain(const struct setup *s)
{
	cl_event first = MAKE("first", clCreateUserEvent(s->context, &error)), second = MAKE("second", clCreateUserEvent(s->context, &error));

	SAY("first", clSetEventCallback(first, CL_COMPLETE, on_chain, second));
	SAY("behind the second", clEnqueueMarkerWithWaitList(s->queue, 1, &second, NULL));
	SAY("first", clSetUserEventStatus(first, CL_COMPLETE));
	SAY("queue", clFinish(s->queue));
	while (chained == NOT_WRITTEN)
		;
	say_text("in a callback", error_name(chained));
	say_event("second", second);
	SAY("first", clReleaseEvent(first));
	SAY("second", clReleaseEvent(second));
}

/* Events that were released when their last callback was called leave nothing behind for those made next. */
struct successor {
	cl_command_queue queue;
	cl_mem buffer;
	cl_event gate, event, told;
	char bytes[64];
	_Atomic bool may_end;
	_Atomic int early;
};

static void CL_CALLBACK on_nothing(cl_event event, cl_int status, void *user)
{
	(void)event, (void)status, (void)user;
}

static void CL_CALLBACK on_told(cl_event event, cl_int status, void *told)
{
	(void)event, (void)status;
	clSetUserEventStatus(told, CL_COMPLETE);
}

static void CL_CALLBACK on_successor(cl_event event, cl_int status, void *user)
{
	struct successor *next = user;

	(void)event, (void)status;
	next->early += !next->may_end;
	clSetUserEventStatus(next->told, CL_COMPLETE);
}

static void CL_CALLBACK on_predecessor(cl_event event, cl_int status, void *user)
{
	struct successor *next = user;

	(void)event, (void)status;
	MUST(clEnqueueReadBuffer(next->queue, next->buffer, CL_FALSE, 0, sizeof(next->bytes), next->bytes, 1, &next->gate, &next->event));
	MUST(clSetEventCallback(next->event, CL_COMPLETE, on_successor, next));
}

static void succeed(const struct setup *s, struct successor *next, char value)
{
	cl_event gate = NEED(clCreateUserEvent(s->context, &error)), told = NEED(clCreateUserEvent(s->context, &error)), events[3];

	next->gate = NEED(clCreateUserEvent(s->context, &error));
	next->told = NEED(clCreateUserEvent(s->context, &error));
	next->may_end = false;
	for (int i = 0; i < 3; i++)
		MUST(clEnqueueFillBuffer(s->queue, next->buffer, &value, 1, 0, sizeof(next->bytes), i == 0, i == 0 ? &gate : NULL, &events[i]));
	MUST(clSetEventCallback(events[0], CL_RUNNING, on_nothing, NULL));
	MUST(clSetEventCallback(events[1], CL_RUNNING, on_predecessor, next));
	MUST(clSetEventCallback(events[0], CL_COMPLETE, on_nothing, NULL));
	MUST(clSetEventCallback(events[1], CL_COMPLETE, on_nothing, NULL));
	MUST(clSetEventCallback(events[2], CL_COMPLETE, on_told, told));
	for (int i = 0; i < 3; i++)
		MUST(clReleaseEvent(events[i]));
	MUST(clSetUserEventStatus(gate, CL_COMPLETE));
	MUST(clWaitForEvents(1, &told));
	next->may_end = true;
	MUST(clSetUserEventStatus(next->gate, CL_COMPLETE));
	MUST(clWaitForEvents(1, &next->event));
	MUST(clWaitForEvents(1, &next->told));
	MUST(clReleaseEvent(next->event));
	MUST(clReleaseEvent(next->gate));
	MUST(clReleaseEvent(next->told));
	MUST(clReleaseEvent(told));
	MUST(clReleaseEvent(gate));
}

static void successors(const struct setup *s)
{
	static struct successor next;
	int wrong = 0;

	next.queue = NEED(clCreateCommandQueue(s->context, s->device, 0, &error));
	next.buffer = buffer_of(s, sizeof(next.bytes), 1);
	for (int i = 0; i < 20; i++) {
		succeed(s, &next, (char)i);
		wrong += next.bytes[9] != (char)i;
	}
	say_number("told before they ran", next.early);
	say_number("not read after a wait", wrong);
	SAY("buffer", clReleaseMemObject(next.buffer));
	SAY("queue", clReleaseCommandQueue(next.queue));
}

int main(void)
{
	struct setup s = set_up();

	wrong(&s);
	once("before", &s, CL_COMPLETE, true);
	once("after", &s, CL_COMPLETE, false);
	in_order(&s);
	every_state(&s);
	states_of_the_past(&s);
	chain(&s);
	successors(&s);
	tear_down(&s);
	return 0;
}
