/* Commands: see command.h. */
#include "command.h"
#include "event.h"
#include "slots.h"

#include <stdlib.h>

#define MOST_WAITS 1024u /* in one message */

cl_int command_check(cl_command_queue queue, cl_uint count, const cl_event *list)
{
	cl_uint i;

	if (!object_is(queue, KIND_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	if ((list == NULL) != (count == 0))
		return CL_INVALID_EVENT_WAIT_LIST;
	for (i = 0; i < count; i++) {
		if (!object_is(list[i], KIND_EVENT))
			return CL_INVALID_EVENT_WAIT_LIST;
		if (list[i]->context != queue->context)
			return CL_INVALID_CONTEXT;
	}
	return CL_SUCCESS;
}

uint64_t command_sequence(struct session *s)
{
	return __atomic_add_fetch(&s->sequence, 1, __ATOMIC_RELAXED);
}

/* One marker for the first events of a list that is too long for a message. */
static cl_int join(struct command *c)
{
	cl_event event =
		c->joined_count < MOST_JOINED ? event_new(c->queue, CL_COMMAND_MARKER, c->sequence) : NULL;
	struct call_marker call = { .queue = c->queue->o.index, .waits = c->waits, .waits_count = MOST_WAITS,
				    .event = index_of(event) };
	cl_int status;

	if (!event)
		return CL_OUT_OF_RESOURCES;
	status = call_marker(c->session, &call, NULL);
	c->joined[c->joined_count++] = event;
	c->waits_count -= MOST_WAITS;
	memmove(c->waits, c->waits + MOST_WAITS, c->waits_count * sizeof(*c->waits));
	c->waits[c->waits_count++] = event->o.index;
	return status;
}

static cl_int waits_take(struct command *c, cl_uint count, const cl_event *list)
{
	cl_int status = CL_SUCCESS;
	cl_uint i;

	if (count > FEW_WAITS) {
		c->waits = malloc(count * sizeof(*c->waits));
		if (!c->waits) {
			c->waits = c->few;
			return CL_OUT_OF_HOST_MEMORY;
		}
	}
	for (i = 0; i < count; i++)
		if (event_known(list[i]) != CL_COMPLETE)
			c->waits[c->waits_count++] = list[i]->o.index;
	while (status == CL_SUCCESS && c->waits_count > MOST_WAITS)
		status = join(c);
	return status;
}

static void command_free(struct command *c)
{
	slot_give_unused(c->session, &c->answer);
	if (c->waits != c->few)
		free(c->waits);
	while (c->joined_count > 0)
		object_drop(c->joined[--c->joined_count]);
}

cl_int command_begin_held(struct command *c, cl_command_queue queue, cl_command_type type, cl_uint count,
			  const cl_event *list, bool with_event)
{
	cl_int status;

	c->queue = queue;
	c->session = session_of(queue);
	c->event = NULL;
	c->waits = c->few;
	c->waits_count = 0;
	c->joined_count = 0;
	c->asks = !c->answer.has_slot;
	if (with_event) {
		c->event = event_new(queue, type, 0);
		if (!c->event) {
			slot_give_unused(c->session, &c->answer);
			return CL_OUT_OF_RESOURCES;
		}
	}
	c->sequence = command_sequence(c->session);
	if (c->event)
		c->event->sequence = c->sequence;
	status = waits_take(c, count, list);
	if (status != CL_SUCCESS) {
		command_free(c);
		if (c->event)
			object_release(c->event);
	}
	return status;
}

cl_int command_begin(struct command *c, cl_command_queue queue, cl_command_type type, cl_uint count,
		     const cl_event *list, bool with_event)
{
	cl_int status;

	pthread_mutex_lock(&queue->lock);
	c->answer = (struct answer){ .later = true };
	status = command_begin_held(c, queue, type, count, list, with_event);
	if (status != CL_SUCCESS)
		pthread_mutex_unlock(&queue->lock);
	return status;
}

/* Without a place for an answer it has an event: to wait for a place could be to wait for what comes after it. */
cl_int command_begin_waited(struct command *c, cl_command_queue queue, cl_command_type type, cl_uint count,
			    const cl_event *list, bool with_event)
{
	cl_int status;

	pthread_mutex_lock(&queue->lock);
	c->answer = (struct answer){ .later = true };
	c->answer.has_slot = slot_try(session_of(queue), 0, &c->answer.slot);
	status = command_begin_held(c, queue, type, count, list, with_event || !c->answer.has_slot);
	if (status != CL_SUCCESS)
		pthread_mutex_unlock(&queue->lock);
	return status;
}

void command_sent_held(struct command *c)
{
	__atomic_store_n(&c->queue->last, c->sequence, __ATOMIC_RELEASE);
	command_free(c);
}

void command_sent(struct command *c)
{
	command_sent_held(c);
	pthread_mutex_unlock(&c->queue->lock);
}

cl_int command_result(struct command *c, cl_int status, bool waited, cl_event *event)
{
	if (status == CL_SUCCESS && waited) {
		status = c->asks ? event_wait(c->event) : message_wait(c->session, &c->answer);
		if (status == CL_SUCCESS && c->event)
			event_done(c->event, CL_COMPLETE);
		else if (status == CL_SUCCESS)
			pending_settle(c->session, c->queue, false, c->sequence);
	}
	if (status == CL_SUCCESS && event)
		*event = c->event;
	else if (c->event)
		object_release(c->event);
	return status;
}

cl_int command_end(struct command *c, cl_int status, bool waited, cl_event *event)
{
	command_sent(c);
	return command_result(c, status, waited, event);
}
