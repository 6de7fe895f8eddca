/* Events: of commands, whose states the host knows, and those of the application. */
#include "command.h"
#include "event.h"
#include "slots.h"
#include "watch.h"

#include <stdlib.h>

#define MOST_WAITED 1024u /* in one message */
#define FIRST_LOOK_NS 100000ull /* between looks at events for which no answer comes; twice as long each time */
#define LAST_LOOK_NS 50000000ull

static void event_destroy(struct object *o)
{
	cl_event event = (cl_event)o;

	object_drop(event->queue);
	object_drop(event->context);
}

cl_event event_new(cl_command_queue queue, cl_command_type type, uint64_t sequence)
{
	cl_event event = object_new(session_of(queue), KIND_EVENT, sizeof(*event), event_destroy);

	if (!event)
		return NULL;
	event->context = queue->context;
	event->queue = queue;
	event->type = type;
	event->sequence = sequence;
	event->status = CL_QUEUED;
	object_hold(queue);
	object_hold(queue->context);
	return event;
}

void event_done(cl_event event, cl_int status)
{
	/* First what the application was promised, then that it may know. */
	if (status < 0)
		__atomic_store_n(&session_of(event)->failures, true, __ATOMIC_RELAXED);
	pending_settle_event(event, status);
	__atomic_store_n(&event->status, status, __ATOMIC_RELEASE);
}

cl_int event_status(cl_event event)
{
	struct call_event_status call = { .event = event->o.index };
	struct answer answer = { 0 };
	cl_int status = event_known(event);

	/* One that is being set may be so for the host and for those who waited already. */
	if (status <= CL_COMPLETE || (!event->queue && !__atomic_load_n(&event->user_set, __ATOMIC_ACQUIRE)))
		return status;
	status = call_event_status(session_of(event), &call, &answer);
	if (status == CL_SUCCESS)
		status = (cl_int)answer.values[0];
	if (status <= CL_COMPLETE)
		event_done(event, status);
	return status;
}

/* ---- waiting ------------------------------------------------------------------------------------ */

static cl_int wait_list_check(cl_uint count, const cl_event *list)
{
	cl_uint i;

	if (count == 0 || !list)
		return CL_INVALID_VALUE;
	for (i = 0; i < count; i++)
		if (!object_is(list[i], KIND_EVENT))
			return CL_INVALID_EVENT;
	for (i = 1; i < count; i++)
		if (list[i]->context != list[0]->context)
			return CL_INVALID_CONTEXT;
	return CL_SUCCESS;
}

static bool have_ended(cl_uint count, const cl_event *list)
{
	while (count > 0 && event_status(list[count - 1]) <= CL_COMPLETE)
		count--;
	return count == 0;
}

/*
 * A place for the answer to a wait; false: the events have come to their end before there was one. They are asked
 * meanwhile: those who have the places may wait for what this thread does after that.
 */
static bool place_take(struct session *s, cl_uint count, const cl_event *list, uint32_t *slot)
{
	uint64_t ns = 0;
	bool taken;

	while (!(taken = slot_try(s, ns, slot)) && !session_probe(s) && !have_ended(count, list))
		ns = ns == 0 ? FIRST_LOOK_NS : ns < LAST_LOOK_NS / 2 ? ns * 2 : LAST_LOOK_NS;
	return taken;
}

/* Waits for some; all that are known to be done are left out. */
static cl_int wait_some(cl_uint count, const cl_event *list)
{
	uint32_t indices[MOST_WAITED];
	struct call_wait_for_events call = { .events = indices };
	struct answer answer = { .later = true };
	struct session *s = session_of(list[0]);
	cl_int status = CL_SUCCESS;
	cl_uint i;

	answer.has_slot = place_take(s, count, list, &answer.slot);
	for (i = 0; i < count; i++) {
		cl_int known = event_known(list[i]);

		if (known > CL_COMPLETE)
			indices[call.events_count++] = list[i]->o.index;
		else if (known < 0)
			status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
	}
	if (call.events_count) {
		cl_int waited = call_wait_for_events(s, &call, &answer);

		if (waited == CL_SUCCESS)
			waited = message_wait(s, &answer);
		if (waited != CL_SUCCESS)
			status = waited;
	}
	slot_give_unused(s, &answer);
	for (i = 0; i < count; i++)
		if (event_known(list[i]) > CL_COMPLETE) {
			if (status == CL_SUCCESS)
				event_done(list[i], CL_COMPLETE);
			else
				event_status(list[i]);
		}
	return status;
}

cl_int event_wait(cl_event event)
{
	cl_int status = wait_some(1, &event);

	return status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST ? event_known(event) : status;
}

cl_int clWaitForEvents(cl_uint count, const cl_event *list)
{
	cl_int status = wait_list_check(count, list);
	cl_int worst = CL_SUCCESS;
	cl_uint done, part;

	for (done = 0; status == CL_SUCCESS && done < count; done += part) {
		cl_int some;

		part = count - done < MOST_WAITED ? count - done : MOST_WAITED;
		some = wait_some(part, list + done);
		if (some != CL_SUCCESS)
			worst = some;
	}
	return status ? status : worst;
}

/* ---- information -------------------------------------------------------------------------------- */

cl_int clGetEventInfo(cl_event event, cl_event_info param, size_t size, void *value, size_t *size_ret)
{
	if (!object_is(event, KIND_EVENT))
		return CL_INVALID_EVENT;
	switch (param) {
	case CL_EVENT_COMMAND_QUEUE:
		INFO(cl_command_queue, event->queue);
	case CL_EVENT_CONTEXT:
		INFO(cl_context, event->context);
	case CL_EVENT_COMMAND_TYPE:
		INFO(cl_command_type, event->type);
	case CL_EVENT_COMMAND_EXECUTION_STATUS:
		INFO(cl_int, event_status(event));
	case CL_EVENT_REFERENCE_COUNT:
		INFO(cl_uint, object_references(event));
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info param, size_t size, void *value,
			       size_t *size_ret)
{
	struct call_event_profile call = { .event = index_of(event), .param = param };
	struct answer answer = { 0 };
	cl_int status;

	if (!object_is(event, KIND_EVENT))
		return CL_INVALID_EVENT;
	if (param < CL_PROFILING_COMMAND_QUEUED || param > CL_PROFILING_COMMAND_COMPLETE)
		return CL_INVALID_VALUE;
	if (!event->queue || !(event->queue->flags & CL_QUEUE_PROFILING_ENABLE) ||
	    event_status(event) != CL_COMPLETE)
		return CL_PROFILING_INFO_NOT_AVAILABLE;
	status = call_event_profile(session_of(event), &call, &answer);
	if (status != CL_SUCCESS)
		return status;
	INFO(cl_ulong, answer.values[0]);
}

cl_int clRetainEvent(cl_event event)
{
	if (!object_is(event, KIND_EVENT))
		return CL_INVALID_EVENT;
	object_retain(event);
	return CL_SUCCESS;
}

cl_int clReleaseEvent(cl_event event)
{
	if (!object_is(event, KIND_EVENT))
		return CL_INVALID_EVENT;
	object_release(event);
	return CL_SUCCESS;
}

cl_int clSetEventCallback(cl_event event, cl_int when, void(CL_CALLBACK *notify)(cl_event, cl_int, void *),
			  void *data)
{
	if (!object_is(event, KIND_EVENT))
		return CL_INVALID_EVENT;
	if (!notify || (when != CL_COMPLETE && when != CL_RUNNING && when != CL_SUBMITTED))
		return CL_INVALID_VALUE;
	return watch_event(event, when, (void (*)(void))notify, data);
}

/* ---- user events -------------------------------------------------------------------------------- */

cl_event clCreateUserEvent(cl_context context, cl_int *error)
{
	struct call_create_user_event call = { .context = index_of(context) };
	cl_event event = NULL;
	cl_int status = CL_OUT_OF_HOST_MEMORY;

	if (!object_is(context, KIND_CONTEXT)) {
		tell(error, CL_INVALID_CONTEXT);
		return NULL;
	}
	event = object_new(session_of(context), KIND_EVENT, sizeof(*event), event_destroy);
	if (event) {
		event->context = context;
		event->type = CL_COMMAND_USER;
		event->status = CL_SUBMITTED;
		object_hold(context);
		call.event = event->o.index;
		status = call_create_user_event(session_of(context), &call, NULL);
		if (status != CL_SUCCESS) {
			event_destroy(&event->o);
			object_discard(event);
			event = NULL;
		}
	}
	tell(error, status);
	return event;
}

cl_int clSetUserEventStatus(cl_event event, cl_int status)
{
	struct call_set_user_event_status call = { .event = index_of(event), .status = (uint32_t)status };
	cl_int sent;

	if (!object_is(event, KIND_EVENT) || event->queue)
		return CL_INVALID_EVENT;
	if (status > CL_COMPLETE)
		return CL_INVALID_VALUE;
	if (__atomic_exchange_n(&event->user_set, true, __ATOMIC_ACQ_REL))
		return CL_INVALID_OPERATION;
	/* Who waits for it may release it before this returns. */
	object_hold(event);
	if (status < 0)
		__atomic_store_n(&session_of(event)->failures, true, __ATOMIC_RELEASE);
	/* The host first: who sees the state may enqueue what needs it no more. */
	sent = call_set_user_event_status(session_of(event), &call, NULL);
	__atomic_store_n(&event->status, status, __ATOMIC_RELEASE);
	object_drop(event);
	return sent;
}
