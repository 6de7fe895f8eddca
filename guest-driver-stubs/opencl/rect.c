/* Reads, writes and copies of rectangles of buffers. */
#include "rect.h"
#include "transfer.h"

cl_int rect_check(const size_t *origin, const size_t *region, size_t *row_pitch, size_t *slice_pitch, size_t *end)
{
	size_t rows, slices, at;

	if (!origin || !region || region[0] == 0 || region[1] == 0 || region[2] == 0)
		return CL_INVALID_VALUE;
	if (*row_pitch == 0)
		*row_pitch = region[0];
	else if (*row_pitch < region[0])
		return CL_INVALID_VALUE;
	if (__builtin_mul_overflow(region[1], *row_pitch, &rows))
		return CL_INVALID_VALUE;
	if (*slice_pitch == 0)
		*slice_pitch = rows;
	else if (*slice_pitch < rows || *slice_pitch % *row_pitch)
		return CL_INVALID_VALUE;
	if (__builtin_add_overflow(origin[2], region[2] - 1, &at) ||
	    __builtin_mul_overflow(at, *slice_pitch, &slices) ||
	    __builtin_add_overflow(origin[1], region[1] - 1, &at) ||
	    __builtin_mul_overflow(at, *row_pitch, &rows) || __builtin_add_overflow(slices, rows, end) ||
	    __builtin_add_overflow(*end, origin[0], end) || __builtin_add_overflow(*end, region[0], end))
		return CL_INVALID_VALUE;
	return CL_SUCCESS;
}

static void put3(uint64_t *to, const size_t *from)
{
	to[0] = from[0];
	to[1] = from[1];
	to[2] = from[2];
}

static cl_int rect_transfer(struct transfer *t, const size_t *buffer_origin, const size_t *host_origin,
			    const size_t *region, size_t buffer_row, size_t buffer_slice, size_t host_row,
			    size_t host_slice)
{
	size_t end;
	cl_int status = transfer_check(t->queue, t->mem, false, t->write, t->layout.at, t->wait_count, t->waits);

	if (status == CL_SUCCESS)
		status = rect_check(buffer_origin, region, &buffer_row, &buffer_slice, &end);
	if (status == CL_SUCCESS && end > t->mem->size)
		status = CL_INVALID_VALUE;
	if (status == CL_SUCCESS)
		status = rect_check(host_origin, region, &host_row, &host_slice, &end);
	if (status != CL_SUCCESS)
		return status;
	put3(t->box, buffer_origin);
	put3(t->box + 6, region);
	t->box[9] = buffer_row;
	t->box[10] = buffer_slice;
	t->box[11] = region[0];
	t->box[12] = region[0] * region[1];
	t->box_count = 13;
	t->layout = (struct layout){
		.at = (uint8_t *)t->layout.at + host_origin[0] + host_origin[1] * host_row +
		      host_origin[2] * host_slice,
		.row_bytes = region[0], .rows = region[1], .slices = region[2],
		.row_pitch = host_row, .slice_pitch = host_slice,
	};
	return transfer_run(t);
}

cl_int clEnqueueReadBufferRect(cl_command_queue queue, cl_mem mem, cl_bool blocking, const size_t *buffer_origin,
			       const size_t *host_origin, const size_t *region, size_t buffer_row,
			       size_t buffer_slice, size_t host_row, size_t host_slice, void *to, cl_uint count,
			       const cl_event *waits, cl_event *event)
{
	struct transfer t = { .queue = queue, .mem = mem, .blocking = blocking,
			      .type = CL_COMMAND_READ_BUFFER_RECT, .layout.at = to,
			      .wait_count = count, .waits = waits, .event = event };

	return rect_transfer(&t, buffer_origin, host_origin, region, buffer_row, buffer_slice, host_row, host_slice);
}

cl_int clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem mem, cl_bool blocking, const size_t *buffer_origin,
				const size_t *host_origin, const size_t *region, size_t buffer_row,
				size_t buffer_slice, size_t host_row, size_t host_slice, const void *from,
				cl_uint count, const cl_event *waits, cl_event *event)
{
	struct transfer t = { .queue = queue, .mem = mem, .write = true, .blocking = blocking,
			      .type = CL_COMMAND_WRITE_BUFFER_RECT, .layout.at = (void *)from,
			      .wait_count = count, .waits = waits, .event = event };

	return rect_transfer(&t, buffer_origin, host_origin, region, buffer_row, buffer_slice, host_row, host_slice);
}

/* ---- copies ------------------------------------------------------------------------------------- */

/* Whether two rectangles of the same pitches touch, as Annex D of the specification finds out. */
static bool overlap(const size_t *from, const size_t *to, const size_t *region, size_t row, size_t slice)
{
	size_t from_start = from[2] * slice + from[1] * row + from[0];
	size_t to_start = to[2] * slice + to[1] * row + to[0];
	size_t span = (region[2] - 1) * slice + (region[1] - 1) * row + region[0];
	size_t distance = from_start > to_start ? from_start - to_start : to_start - from_start;
	bool inside[3];
	int i;

	if (distance >= span)
		return false;
	for (i = 0; i < 3; i++)
		inside[i] = (from[i] > to[i] ? from[i] - to[i] : to[i] - from[i]) < region[i];
	if (inside[0] && inside[1] && inside[2])
		return true;
	/*
	 * A rectangle that runs over the end of a row comes into the next one; a row that does over
	 * the end of a slice.
	 */
	if ((from[0] > to[0] ? from[0] : to[0]) + region[0] > row)
		return true;
	return region[2] > 1 && (from[1] > to[1] ? from[1] : to[1]) + region[1] > slice / row;
}

static cl_mem whole_of(cl_mem mem)
{
	return mem->parent ? mem->parent : mem;
}

cl_int clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
			       const size_t *to_origin, const size_t *region, size_t from_row, size_t from_slice,
			       size_t to_row, size_t to_slice, cl_uint count, const cl_event *waits,
			       cl_event *event)
{
	struct command c;
	uint64_t box[13];
	size_t from_end, to_end;
	cl_int status;

	if (!object_is(queue, KIND_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	if (!is_buffer(from) || !is_buffer(to))
		return CL_INVALID_MEM_OBJECT;
	if (from->context != queue->context || to->context != queue->context)
		return CL_INVALID_CONTEXT;
	status = command_check(queue, count, waits);
	if (status == CL_SUCCESS)
		status = rect_check(from_origin, region, &from_row, &from_slice, &from_end);
	if (status == CL_SUCCESS)
		status = rect_check(to_origin, region, &to_row, &to_slice, &to_end);
	if (status != CL_SUCCESS)
		return status;
	if (from_end > from->size || to_end > to->size)
		return CL_INVALID_VALUE;
	if (from == to && (from_row != to_row || from_slice != to_slice))
		return CL_INVALID_VALUE;
	if (whole_of(from) == whole_of(to) && from->origin == to->origin && from_row == to_row &&
	    from_slice == to_slice && overlap(from_origin, to_origin, region, from_row, from_slice))
		return CL_MEM_COPY_OVERLAP;
	put3(box, from_origin);
	put3(box + 3, to_origin);
	put3(box + 6, region);
	box[9] = from_row;
	box[10] = from_slice;
	box[11] = to_row;
	box[12] = to_slice;
	status = command_begin(&c, queue, CL_COMMAND_COPY_BUFFER_RECT, count, waits, event != NULL);
	if (status == CL_SUCCESS) {
		struct call_copy_rect call = { COMMAND(&c), .from = from->o.index, .to = to->o.index, .box = box,
					       .box_count = 13 };

		status = command_end(&c, call_copy_rect(c.session, &call, NULL), false, event);
	}
	return status;
}
