/* Reads, writes, copies and fills of images. */
#include "transfer.h"

cl_int image_layout_check(cl_mem image, const size_t *region, size_t row_pitch, size_t slice_pitch,
			  struct layout *layout)
{
	bool lines = image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
	size_t row = region[0] * image->element_bytes;
	size_t rows = lines ? 1 : region[1], slices = lines ? region[1] : region[2];

	if (row_pitch && row_pitch < row)
		return CL_INVALID_VALUE;
	if (row_pitch == 0)
		row_pitch = row;
	if (slice_pitch && slice_pitch < row_pitch * rows)
		return CL_INVALID_VALUE;
	if (slice_pitch == 0)
		slice_pitch = row_pitch * rows;
	*layout = (struct layout){ .at = layout->at, .row_bytes = row, .rows = rows, .slices = slices,
				   .row_pitch = row_pitch, .slice_pitch = slice_pitch };
	return CL_SUCCESS;
}

static void put3(uint64_t *to, const size_t *from)
{
	to[0] = from[0];
	to[1] = from[1];
	to[2] = from[2];
}

static cl_int image_transfer(struct transfer *t, const size_t *origin, const size_t *region, size_t row_pitch,
			     size_t slice_pitch)
{
	cl_int status = transfer_check(t->queue, t->mem, true, t->write, t->layout.at, t->wait_count, t->waits);

	if (status == CL_SUCCESS)
		status = image_region_check(t->mem, origin, region);
	if (status == CL_SUCCESS)
		status = image_layout_check(t->mem, region, row_pitch, slice_pitch, &t->layout);
	if (status != CL_SUCCESS)
		return status;
	put3(t->box, origin);
	put3(t->box + 3, region);
	t->box_count = 8;
	return transfer_run(t);
}

cl_int clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,
			  const size_t *region, size_t row_pitch, size_t slice_pitch, void *to, cl_uint count,
			  const cl_event *waits, cl_event *event)
{
	struct transfer t = { .queue = queue, .mem = image, .blocking = blocking, .type = CL_COMMAND_READ_IMAGE,
			      .layout.at = to, .wait_count = count, .waits = waits, .event = event };

	return image_transfer(&t, origin, region, row_pitch, slice_pitch);
}

cl_int clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking, const size_t *origin,
			   const size_t *region, size_t row_pitch, size_t slice_pitch, const void *from,
			   cl_uint count, const cl_event *waits, cl_event *event)
{
	struct transfer t = { .queue = queue, .mem = image, .write = true, .blocking = blocking,
			      .type = CL_COMMAND_WRITE_IMAGE, .layout.at = (void *)from, .wait_count = count,
			      .waits = waits, .event = event };

	return image_transfer(&t, origin, region, row_pitch, slice_pitch);
}

/* ---- between device's objects ------------------------------------------------------------------- */

static cl_int two_check(cl_command_queue queue, cl_mem from, cl_mem to, bool from_image, bool to_image,
			cl_uint count, const cl_event *waits)
{
	if (!object_is(queue, KIND_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	if (!(from_image ? is_image(from) : is_buffer(from)) || !(to_image ? is_image(to) : is_buffer(to)))
		return CL_INVALID_MEM_OBJECT;
	if (from->context != queue->context || to->context != queue->context)
		return CL_INVALID_CONTEXT;
	return command_check(queue, count, waits);
}

static bool regions_touch(const size_t *a, const size_t *b, const size_t *region)
{
	int i;

	for (i = 0; i < 3; i++)
		if ((a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]) >= region[i])
			return false;
	return true;
}

cl_int clEnqueueCopyImage(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *from_origin,
			  const size_t *to_origin, const size_t *region, cl_uint count, const cl_event *waits,
			  cl_event *event)
{
	struct command c;
	uint64_t box[9];
	cl_int status = two_check(queue, from, to, true, true, count, waits);

	if (status != CL_SUCCESS)
		return status;
	if (from->format.image_channel_order != to->format.image_channel_order ||
	    from->format.image_channel_data_type != to->format.image_channel_data_type)
		return CL_IMAGE_FORMAT_MISMATCH;
	status = image_region_check(from, from_origin, region);
	if (status == CL_SUCCESS)
		status = image_region_check(to, to_origin, region);
	if (status != CL_SUCCESS)
		return status;
	if (from == to && regions_touch(from_origin, to_origin, region))
		return CL_MEM_COPY_OVERLAP;
	put3(box, from_origin);
	put3(box + 3, to_origin);
	put3(box + 6, region);
	status = command_begin(&c, queue, CL_COMMAND_COPY_IMAGE, count, waits, event != NULL);
	if (status == CL_SUCCESS) {
		struct call_copy_image call = { COMMAND(&c), .from = from->o.index, .to = to->o.index, .box = box,
						.box_count = 9 };

		status = command_end(&c, call_copy_image(c.session, &call, NULL), false, event);
	}
	return status;
}

/* Whether a region's bytes lie in a buffer from an offset on. */
static bool fits_buffer(cl_mem image, const size_t *region, cl_mem buffer, size_t offset)
{
	return is_within(offset, region[0] * region[1] * region[2] * image->element_bytes, buffer->size);
}

cl_int clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem from, cl_mem to, const size_t *origin,
				  const size_t *region, size_t offset, cl_uint count, const cl_event *waits,
				  cl_event *event)
{
	struct command c;
	uint64_t box[7];
	cl_int status = two_check(queue, from, to, true, false, count, waits);

	if (status == CL_SUCCESS)
		status = image_region_check(from, origin, region);
	if (status == CL_SUCCESS && !fits_buffer(from, region, to, offset))
		status = CL_INVALID_VALUE;
	if (status != CL_SUCCESS)
		return status;
	put3(box, origin);
	put3(box + 3, region);
	box[6] = offset;
	status = command_begin(&c, queue, CL_COMMAND_COPY_IMAGE_TO_BUFFER, count, waits, event != NULL);
	if (status == CL_SUCCESS) {
		struct call_copy_image_to_buffer call = { COMMAND(&c), .from = from->o.index, .to = to->o.index,
							  .box = box, .box_count = 7 };

		status = command_end(&c, call_copy_image_to_buffer(c.session, &call, NULL), false, event);
	}
	return status;
}

cl_int clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem from, cl_mem to, size_t offset,
				  const size_t *origin, const size_t *region, cl_uint count,
				  const cl_event *waits, cl_event *event)
{
	struct command c;
	uint64_t box[7];
	cl_int status = two_check(queue, from, to, false, true, count, waits);

	if (status == CL_SUCCESS)
		status = image_region_check(to, origin, region);
	if (status == CL_SUCCESS && !fits_buffer(to, region, from, offset))
		status = CL_INVALID_VALUE;
	if (status != CL_SUCCESS)
		return status;
	box[0] = offset;
	put3(box + 1, origin);
	put3(box + 4, region);
	status = command_begin(&c, queue, CL_COMMAND_COPY_BUFFER_TO_IMAGE, count, waits, event != NULL);
	if (status == CL_SUCCESS) {
		struct call_copy_buffer_to_image call = { COMMAND(&c), .from = from->o.index, .to = to->o.index,
							  .box = box, .box_count = 7 };

		status = command_end(&c, call_copy_buffer_to_image(c.session, &call, NULL), false, event);
	}
	return status;
}

cl_int clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *colour, const size_t *origin,
			  const size_t *region, cl_uint count, const cl_event *waits, cl_event *event)
{
	struct command c;
	uint64_t box[6];
	uint8_t bytes[16] = { 0 };
	cl_int status;

	if (!object_is(queue, KIND_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	if (!is_image(image))
		return CL_INVALID_MEM_OBJECT;
	if (image->context != queue->context)
		return CL_INVALID_CONTEXT;
	if (!colour)
		return CL_INVALID_VALUE;
	status = image_region_check(image, origin, region);
	if (status == CL_SUCCESS)
		status = command_check(queue, count, waits);
	if (status != CL_SUCCESS)
		return status;
	memcpy(bytes, colour, image->format.image_channel_order == CL_DEPTH ? 4 : 16);
	put3(box, origin);
	put3(box + 3, region);
	status = command_begin(&c, queue, CL_COMMAND_FILL_IMAGE, count, waits, event != NULL);
	if (status == CL_SUCCESS) {
		struct call_fill_image call = { COMMAND(&c), .mem = image->o.index, .colour = bytes,
						.colour_count = sizeof(bytes), .box = box, .box_count = 6 };

		status = command_end(&c, call_fill_image(c.session, &call, NULL), false, event);
	}
	return status;
}
