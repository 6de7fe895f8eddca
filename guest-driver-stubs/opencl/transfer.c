/*
 * Reads and writes. Bytes pass through registered memory: one copy here, none if the application's
 * memory is registered. Large ones pass in pieces, see pieces.c.
 */
#include "transfer.h"

cl_int transfer_check(cl_command_queue queue, cl_mem mem, bool image, bool write, const void *at, cl_uint count,
		      const cl_event *waits)
{
	cl_mem_flags forbidden = write ? CL_MEM_HOST_READ_ONLY : CL_MEM_HOST_WRITE_ONLY;

	if (!object_is(queue, KIND_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	if (!(image ? is_image(mem) : is_buffer(mem)))
		return CL_INVALID_MEM_OBJECT;
	if (mem->context != queue->context)
		return CL_INVALID_CONTEXT;
	if (mem->flags & (forbidden | CL_MEM_HOST_NO_ACCESS))
		return CL_INVALID_OPERATION;
	if (!at)
		return CL_INVALID_VALUE;
	return command_check(queue, count, waits);
}

static bool has_gaps(const struct layout *l)
{
	return (l->rows > 1 && l->row_pitch != l->row_bytes) ||
	       (l->slices > 1 && l->slice_pitch != l->row_bytes * l->rows);
}

cl_int transfer_send(const struct transfer *t, struct command *c, struct range range, struct answer *answer)
{
	uint32_t mem = t->mem->o.index;

	if (t->box_count == 0 && t->write) {
		struct call_write_buffer call = { COMMAND(c), .mem = mem, .offset = t->offset, .from = range };

		return call_write_buffer(c->session, &call, answer);
	}
	if (t->box_count == 0) {
		struct call_read_buffer call = { COMMAND(c), .mem = mem, .offset = t->offset, .to = range };

		return call_read_buffer(c->session, &call, answer);
	}
	if (is_buffer(t->mem) && t->write) {
		struct call_write_rect call = { COMMAND(c), .mem = mem, .box = t->box, .box_count = t->box_count,
						.from = range };

		return call_write_rect(c->session, &call, answer);
	}
	if (is_buffer(t->mem)) {
		struct call_read_rect call = { COMMAND(c), .mem = mem, .box = t->box, .box_count = t->box_count,
					       .to = range };

		return call_read_rect(c->session, &call, answer);
	}
	if (t->write) {
		struct call_write_image call = { COMMAND(c), .mem = mem, .box = t->box, .box_count = t->box_count,
						 .from = range };

		return call_write_image(c->session, &call, answer);
	}
	struct call_read_image call = { COMMAND(c), .mem = mem, .box = t->box, .box_count = t->box_count,
					.to = range };

	return call_read_image(c->session, &call, answer);
}

/* The application's memory is registered: the host uses it as it is. */
static cl_int run_in_place(const struct transfer *t, struct range range)
{
	struct command c;
	cl_int status = (t->blocking ? command_begin_waited : command_begin)(&c, t->queue, t->type, t->wait_count,
									     t->waits, t->event || t->staging);

	if (status != CL_SUCCESS)
		return status;
	status = transfer_send(t, &c, range, command_answer(&c));
	if (status == CL_SUCCESS && t->staging)
		status = pending_add(&c, range, false, NULL, t->staging);
	return command_end(&c, status, t->blocking, t->event);
}

cl_int transfer_whole(const struct transfer *t, struct session *s, struct range range)
{
	struct command c;
	cl_int status;

	if (t->write)
		layout_to_arena(arena_at(s, range), &t->layout);
	status = command_begin_waited(&c, t->queue, t->type, t->wait_count, t->waits, t->event != NULL);
	if (status == CL_SUCCESS) {
		status = transfer_send(t, &c, range, command_answer(&c));
		status = command_end(&c, status, true, t->event);
	}
	if (status == CL_SUCCESS && !t->write)
		layout_from_arena(&t->layout, arena_at(s, range));
	/* Of a session that has ended nobody uses it; of a failed command neither. */
	staging_return(s, range);
	return status;
}

static cl_int run_later(const struct transfer *t, struct session *s, struct range range)
{
	struct command c;
	cl_int status;

	if (t->write)
		layout_to_arena(arena_at(s, range), &t->layout);
	status = command_begin(&c, t->queue, t->type, t->wait_count, t->waits, true);
	if (status != CL_SUCCESS) {
		staging_return(s, range);
		return status;
	}
	status = transfer_send(t, &c, range, NULL);
	if (status == CL_SUCCESS)
		status = pending_add(&c, range, true, t->write ? NULL : &t->layout, NULL);
	if (status != CL_SUCCESS)
		staging_return_later(s, range);
	return command_end(&c, status, false, t->event);
}

/* Of what may pass in pieces there need not be room for all. */
static cl_int staging_for(const struct transfer *t, struct session *s, uint64_t bytes, struct range *range)
{
	uint32_t looks = 0;

	if (!t->blocking || !pieces_suit(t))
		return staging_borrow(s, bytes, range);
	if (staging_try(s, bytes, range) || (staging_more(s, &looks) && staging_try(s, bytes, range)))
		return CL_SUCCESS;
	return staging_none(s);
}

cl_int transfer_run(const struct transfer *t)
{
	struct session *s = session_of(t->queue);
	size_t bytes = layout_bytes(&t->layout);
	/* The times of an event are those of one command. */
	bool timed = t->event && t->queue->flags & CL_QUEUE_PROFILING_ENABLE;
	struct range range;
	cl_int status;

	if (!has_gaps(&t->layout) && arena_find(s, t->layout.at, bytes, &range))
		return run_in_place(t, range);
	if (!timed && pieces_suit(t))
		return pieces_run(t);
	status = staging_for(t, s, bytes, &range);
	if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE && t->blocking && pieces_suit(t))
		return pieces_run(t); /* there is room for some of it */
	if (status != CL_SUCCESS)
		return status;
	return t->blocking ? transfer_whole(t, s, range) : run_later(t, s, range);
}

/* Of no bytes nothing moves; its event and its place in the queue are as ever. */
cl_int transfer_empty(const struct transfer *t)
{
	struct command c;
	cl_int status = (t->blocking ? command_begin_waited : command_begin)(&c, t->queue, t->type, t->wait_count,
									     t->waits, t->event != NULL);

	if (status == CL_SUCCESS) {
		struct call_marker call = { COMMAND(&c) };

		status = call_marker(c.session, &call, command_answer(&c));
		status = command_end(&c, status, t->blocking, t->event);
	}
	return status;
}

/* ---- buffers ------------------------------------------------------------------------------------ */

static cl_int buffer_transfer(cl_command_queue queue, cl_mem mem, bool write, cl_bool blocking, size_t offset,
			      size_t size, void *at, cl_uint count, const cl_event *waits, cl_event *event)
{
	struct transfer t = { .queue = queue, .mem = mem, .write = write, .blocking = blocking,
			      .type = write ? CL_COMMAND_WRITE_BUFFER : CL_COMMAND_READ_BUFFER,
			      .offset = offset, .layout = { at, size, 1, 1, size, size },
			      .wait_count = count, .waits = waits, .event = event };
	cl_int status = transfer_check(queue, mem, false, write, at, count, waits);

	if (status == CL_SUCCESS && !is_within(offset, size, mem->size))
		status = CL_INVALID_VALUE;
	if (status != CL_SUCCESS)
		return status;
	return size ? transfer_run(&t) : transfer_empty(&t);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, size_t offset, size_t size,
			   void *to, cl_uint count, const cl_event *waits, cl_event *event)
{
	return buffer_transfer(queue, mem, false, blocking, offset, size, to, count, waits, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, size_t offset, size_t size,
			    const void *from, cl_uint count, const cl_event *waits, cl_event *event)
{
	return buffer_transfer(queue, mem, true, blocking, offset, size, (void *)from, count, waits, event);
}
