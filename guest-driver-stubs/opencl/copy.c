/* Copies and fills of buffers, migrations, markers and barriers. */
#include "command.h"
#include "transfer.h"

#include <stdlib.h>

#define MOST_PATTERN 128u
#define MOST_MIGRATED 1024u

cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
			   size_t size, cl_uint count, const cl_event *waits, cl_event *event)
{
	struct command c;
	cl_int status;

	if (!object_is(queue, KIND_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	if (!is_buffer(from) || !is_buffer(to))
		return CL_INVALID_MEM_OBJECT;
	if (from->context != queue->context || to->context != queue->context)
		return CL_INVALID_CONTEXT;
	if (size == 0 || !is_within(from_offset, size, from->size) || !is_within(to_offset, size, to->size))
		return CL_INVALID_VALUE;
	if ((from->parent ? from->parent : from) == (to->parent ? to->parent : to)) {
		size_t a = from->origin + from_offset, b = to->origin + to_offset;

		if ((a > b ? a - b : b - a) < size)
			return CL_MEM_COPY_OVERLAP;
	}
	status = command_check(queue, count, waits);
	if (status == CL_SUCCESS)
		status = command_begin(&c, queue, CL_COMMAND_COPY_BUFFER, count, waits, event != NULL);
	if (status == CL_SUCCESS) {
		struct call_copy_buffer call = { COMMAND(&c), .from = from->o.index, .to = to->o.index,
						 .from_offset = from_offset, .to_offset = to_offset, .size = size };

		status = command_end(&c, call_copy_buffer(c.session, &call, NULL), false, event);
	}
	return status;
}

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem mem, const void *pattern, size_t pattern_size,
			   size_t offset, size_t size, cl_uint count, const cl_event *waits, cl_event *event)
{
	struct command c;
	cl_int status;

	if (!object_is(queue, KIND_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	if (!is_buffer(mem))
		return CL_INVALID_MEM_OBJECT;
	if (mem->context != queue->context)
		return CL_INVALID_CONTEXT;
	if (!is_within(offset, size, mem->size) || !pattern || pattern_size == 0 ||
	    pattern_size > MOST_PATTERN || pattern_size & (pattern_size - 1) || size % pattern_size ||
	    offset % pattern_size)
		return CL_INVALID_VALUE;
	status = command_check(queue, count, waits);
	if (status == CL_SUCCESS)
		status = command_begin(&c, queue, CL_COMMAND_FILL_BUFFER, count, waits, event != NULL);
	if (status == CL_SUCCESS) {
		struct call_fill_buffer call = { COMMAND(&c), .mem = mem->o.index, .pattern = pattern,
						 .pattern_count = (uint32_t)pattern_size, .offset = offset,
						 .size = size };

		status = command_end(&c, call_fill_buffer(c.session, &call, NULL), false, event);
	}
	return status;
}

cl_int clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint mem_count, const cl_mem *mems,
				  cl_mem_migration_flags flags, cl_uint count, const cl_event *waits,
				  cl_event *event)
{
	struct command c;
	uint32_t *indices;
	cl_int status;
	cl_uint i;

	if (!object_is(queue, KIND_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	if (!mems || mem_count == 0 ||
	    flags & ~(cl_mem_migration_flags)(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED))
		return CL_INVALID_VALUE;
	for (i = 0; i < mem_count; i++) {
		if (!object_is(mems[i], KIND_MEM))
			return CL_INVALID_MEM_OBJECT;
		if (mems[i]->context != queue->context)
			return CL_INVALID_CONTEXT;
	}
	status = command_check(queue, count, waits);
	if (status != CL_SUCCESS)
		return status;
	if (mem_count > MOST_MIGRATED)
		return CL_OUT_OF_RESOURCES;
	indices = indices_of(mems, mem_count);
	if (!indices)
		return CL_OUT_OF_HOST_MEMORY;
	status = command_begin(&c, queue, CL_COMMAND_MIGRATE_MEM_OBJECTS, count, waits, event != NULL);
	if (status == CL_SUCCESS) {
		struct call_migrate call = { COMMAND(&c), .mems = indices, .mems_count = mem_count, .flags = flags };

		status = command_end(&c, call_migrate(c.session, &call, NULL), false, event);
	}
	free(indices);
	return status;
}

/* ---- markers and barriers ----------------------------------------------------------------------- */

static cl_int marker(cl_command_queue queue, bool barrier, cl_command_type type, cl_uint count,
		     const cl_event *waits, cl_event *event)
{
	struct command c;
	cl_int status = command_check(queue, count, waits);

	if (status == CL_SUCCESS)
		status = command_begin(&c, queue, type, count, waits, event != NULL);
	if (status == CL_SUCCESS) {
		struct call_marker call = { COMMAND(&c), .barrier = barrier };

		/*
		 * No list waits for all before it. One whose events are all done stays a list: of
		 * the first.
		 */
		if (count && call.waits_count == 0) {
			call.waits = &waits[0]->o.index;
			call.waits_count = 1;
		}
		status = command_end(&c, call_marker(c.session, &call, NULL), false, event);
	}
	return status;
}

cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count, const cl_event *waits, cl_event *event)
{
	return marker(queue, false, CL_COMMAND_MARKER, count, waits, event);
}

cl_int clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint count, const cl_event *waits, cl_event *event)
{
	return marker(queue, true, CL_COMMAND_BARRIER, count, waits, event);
}

cl_int clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
	if (object_is(queue, KIND_QUEUE) && !event)
		return CL_INVALID_VALUE;
	return marker(queue, false, CL_COMMAND_MARKER, 0, NULL, event);
}

cl_int clEnqueueBarrier(cl_command_queue queue)
{
	return marker(queue, true, CL_COMMAND_BARRIER, 0, NULL, NULL);
}

cl_int clEnqueueWaitForEvents(cl_command_queue queue, cl_uint count, const cl_event *waits)
{
	cl_int status;

	if (object_is(queue, KIND_QUEUE) && (count == 0 || !waits))
		return CL_INVALID_VALUE;
	status = command_check(queue, count, waits);
	if (status == CL_INVALID_EVENT_WAIT_LIST)
		return CL_INVALID_EVENT;
	return status ? status : marker(queue, true, CL_COMMAND_BARRIER, count, waits, NULL);
}
