/*
 * The thread that calls events' callbacks and has kernels' text come out. There is one from the first
 * callback or kernel that prints on, until the process ends: the library stays where it is when it is closed.
 */
#include "watch.h"
#include "event.h"
#include "message.h"
#include "notices.h"
#include "transport.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

#define LOOK_MS 200 /* how long it sleeps before the connection is looked at */
#define STOP_SECONDS 2

/* Takes the callbacks of an event that are due at a state; under watch_lock. */
static struct callback *callbacks_take(cl_event event, cl_int state)
{
	struct callback **link = &event->callbacks;
	struct callback *taken = NULL;
	struct callback **end = &taken;

	while (*link) {
		struct callback *c = *link;

		if (c->due != state) {
			link = &c->next;
			continue;
		}
		*link = c->next;
		c->next = NULL;
		*end = c;
		end = &c->next;
	}
	return taken;
}

static void callbacks_call(cl_event event, struct callback *c, cl_int status)
{
	while (c) {
		struct callback *next = c->next;

		((void(CL_CALLBACK *)(cl_event, cl_int, void *))c->function)(event, status < 0 ? status : c->when,
									      c->data);
		free(c);
		c = next;
	}
}

/* An event has come as far as STATUS; told by one notice of its, or, without a host, by none. */
static void reached(struct session *s, uint32_t index, cl_int status, bool noticed)
{
	cl_event event;
	cl_int state;

	pthread_mutex_lock(&s->watch_lock);
	event = index <= KIND_EVENT_MOST ? s->watched[index] : NULL;
	if (event)
		object_hold(event);
	pthread_mutex_unlock(&s->watch_lock);
	if (!event)
		return;
	if (status <= CL_COMPLETE)
		event_done(event, status);
	for (state = CL_SUBMITTED; state >= CL_COMPLETE && state >= status; state--) {
		struct callback *calls;

		pthread_mutex_lock(&s->watch_lock);
		calls = callbacks_take(event, state);
		pthread_mutex_unlock(&s->watch_lock);
		callbacks_call(event, calls, status);
	}
	pthread_mutex_lock(&s->watch_lock);
	if (!noticed)
		event->notices = 0;
	else if (event->notices)
		event->notices--;
	/* Until the last notice its index must be no other's. */
	if (!event->callbacks && !event->notices && s->watched[index] == event) {
		s->watched[index] = NULL;
		pthread_mutex_unlock(&s->watch_lock);
		object_drop(event);
	} else {
		pthread_mutex_unlock(&s->watch_lock);
	}
	object_drop(event);
}

static bool take_notice(struct session *s)
{
	uint32_t index;
	int32_t status;

	if (!notices_next(s, &index, &status))
		return false;
	reached(s, index, status, true);
	return true;
}

/* Nothing will be reached any more. */
static void all_failed(struct session *s)
{
	uint32_t index;

	for (index = 1; index <= KIND_EVENT_MOST; index++)
		reached(s, index, CL_DEVICE_NOT_AVAILABLE, false);
}

static bool ends(struct session *s)
{
	return __atomic_load_n(&s->watcher_ends, __ATOMIC_ACQUIRE);
}

static void *watcher(void *argument)
{
	struct session *s = argument;
	uint32_t *sleeping = session_word(s, AT_NOTICE_SLEEPING);

	while (!ends(s)) {
		if (take_notice(s))
			continue;
		__atomic_store_n(sleeping, 1, __ATOMIC_SEQ_CST);
		if (!notices_wait(s) && !ends(s))
			s->transport->wait(s, sleeping, 1, LOOK_MS);
		ring_again(s);
		__atomic_store_n(sleeping, 0, __ATOMIC_SEQ_CST);
		if (session_probe(s)) {
			while (!ends(s) && take_notice(s))
				;
			all_failed(s);
			s->transport->wait(s, sleeping, 0, LOOK_MS);
		}
	}
	return NULL;
}

/* Starts the thread, which takes no signals of the application; under watch_lock. */
static bool start(struct session *s)
{
	sigset_t all, before;

	if (s->watching)
		return true;
	if (!s->watched)
		s->watched = calloc(KIND_EVENT_MOST + 1, sizeof(*s->watched));
	if (!s->watched)
		return false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	s->watching = pthread_create(&s->watcher, NULL, watcher, s) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return s->watching;
}

void watch_prints(struct session *s)
{
	pthread_mutex_lock(&s->watch_lock);
	start(s);
	pthread_mutex_unlock(&s->watch_lock);
	__atomic_store_n(&s->prints, true, __ATOMIC_RELEASE);
}

cl_int watch_event(cl_event event, cl_int when, void (*function)(void), void *data)
{
	struct session *s = session_of(event);
	/* Libraries call those of one that has ended in the order in which they are set, whatever they wait for. */
	cl_int due = event_known(event) <= CL_COMPLETE ? CL_COMPLETE : when;
	struct call_watch_event call = { .event = event->o.index, .status = (uint32_t)due };
	struct callback *c = calloc(1, sizeof(*c));
	struct callback **link;
	bool asked = false;

	if (!c)
		return CL_OUT_OF_HOST_MEMORY;
	*c = (struct callback){ .function = function, .data = data, .when = when, .due = due };
	pthread_mutex_lock(&s->watch_lock);
	if (!start(s)) {
		pthread_mutex_unlock(&s->watch_lock);
		free(c);
		return CL_OUT_OF_RESOURCES;
	}
	for (link = &event->callbacks; *link; link = &(*link)->next)
		asked |= (*link)->due == due;
	*link = c;
	if (!s->watched[event->o.index]) {
		s->watched[event->o.index] = event;
		object_hold(event);
	}
	if (!asked)
		event->notices++;
	pthread_mutex_unlock(&s->watch_lock);
	/* Whoever asked for the same is told for both. */
	return asked ? CL_SUCCESS : call_watch_event(s, &call, NULL);
}

void watch_stop(struct session *s)
{
	struct timespec end;

	if (__atomic_load_n(&s->prints, __ATOMIC_ACQUIRE))
		notices_take(s);
	if (!s->watching)
		return;
	__atomic_store_n(&s->watcher_ends, true, __ATOMIC_RELEASE);
	__atomic_store_n(session_word(s, AT_NOTICE_SLEEPING), 2, __ATOMIC_SEQ_CST);
	s->transport->wake(session_word(s, AT_NOTICE_SLEEPING));
	if (pthread_equal(pthread_self(), s->watcher))
		return;
	/* A callback that does not return must not keep the process from ending. */
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += STOP_SECONDS;
	pthread_timedjoin_np(s->watcher, NULL, &end);
}
