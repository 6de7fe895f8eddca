/* Images: their formats, shapes and creation. */
#include "api.h"
#include "command.h"

#include <stdlib.h>

#define FOR_HOST (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY | CL_MEM_KERNEL_READ_AND_WRITE)
#define SHAPE 7 /* type, width, height, depth, array size, row pitch, slice pitch */

/* ---- formats ------------------------------------------------------------------------------------ */

static size_t channel_count(cl_channel_order order)
{
	switch (order) {
	case CL_R:
	case CL_A:
	case CL_Rx:
	case CL_INTENSITY:
	case CL_LUMINANCE:
	case CL_DEPTH:
		return 1;
	case CL_RG:
	case CL_RA:
	case CL_RGx:
		return 2;
	case CL_RGB:
	case CL_RGBx:
	case CL_sRGB:
		return 3;
	case CL_RGBA:
	case CL_BGRA:
	case CL_ARGB:
	case CL_ABGR:
	case CL_sRGBx:
	case CL_sRGBA:
	case CL_sBGRA:
		return 4;
	default:
		return 0;
	}
}

size_t image_element_bytes(const cl_image_format *format)
{
	size_t channels = channel_count(format->image_channel_order);

	switch (format->image_channel_data_type) {
	case CL_SNORM_INT8:
	case CL_UNORM_INT8:
	case CL_SIGNED_INT8:
	case CL_UNSIGNED_INT8:
		return channels;
	case CL_SNORM_INT16:
	case CL_UNORM_INT16:
	case CL_SIGNED_INT16:
	case CL_UNSIGNED_INT16:
	case CL_HALF_FLOAT:
		return 2 * channels;
	case CL_SIGNED_INT32:
	case CL_UNSIGNED_INT32:
	case CL_FLOAT:
		return 4 * channels;
	case CL_UNORM_SHORT_565:
	case CL_UNORM_SHORT_555:
		return channels == 3 ? 2 : 0;
	case CL_UNORM_INT_101010:
	case CL_UNORM_INT_101010_2:
		return channels ? 4 : 0;
	default:
		return 0;
	}
}

static int32_t ask_formats(const struct query *q, struct range out, struct answer *answer)
{
	const uint64_t *flags = q->input;
	struct call_image_formats call = { .context = q->index, .flags = *flags, .type = q->param, .out = out };

	return call_image_formats(q->session, &call, answer);
}

static bool is_image_type(cl_mem_object_type type)
{
	return type >= CL_MEM_OBJECT_IMAGE2D && type <= CL_MEM_OBJECT_IMAGE1D_BUFFER;
}

cl_int clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type type,
				  cl_uint entries, cl_image_format *formats, cl_uint *count)
{
	uint64_t host_flags = flags & FOR_HOST;
	struct query q = { .index = index_of(context), .param = type, .input = &host_flags, .ask = ask_formats };
	size_t bytes;
	void *data;
	cl_int status;

	if (!object_is(context, KIND_CONTEXT))
		return CL_INVALID_CONTEXT;
	if (!is_image_type(type) || (formats && entries == 0))
		return CL_INVALID_VALUE;
	q.session = session_of(context);
	status = query_ask(&q, &data, &bytes);
	if (status != CL_SUCCESS)
		return status;
	if (count)
		*count = (cl_uint)(bytes / sizeof(*formats));
	if (formats)
		memcpy(formats, data, bytes < entries * sizeof(*formats) ? bytes : entries * sizeof(*formats));
	free(data);
	return CL_SUCCESS;
}

/* ---- shapes ------------------------------------------------------------------------------------- */

static bool is_array(cl_mem_object_type type)
{
	return type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

/* Sets what a shape does not use to 0; false: a side is 0. */
static bool shape_normal(cl_image_desc *d)
{
	cl_mem_object_type t = d->image_type;

	if (t != CL_MEM_OBJECT_IMAGE2D && t != CL_MEM_OBJECT_IMAGE2D_ARRAY && t != CL_MEM_OBJECT_IMAGE3D)
		d->image_height = 0;
	else if (d->image_height == 0)
		return false;
	if (t != CL_MEM_OBJECT_IMAGE3D)
		d->image_depth = 0;
	else if (d->image_depth == 0)
		return false;
	if (!is_array(t))
		d->image_array_size = 0;
	else if (d->image_array_size == 0)
		return false;
	return d->image_width != 0;
}

/* Rows of a slice, and slices, as the image lies in memory. */
static size_t rows_of(const cl_image_desc *d)
{
	return d->image_height ? d->image_height : 1;
}

static size_t slices_of(const cl_image_desc *d)
{
	return d->image_depth ? d->image_depth : d->image_array_size ? d->image_array_size : 1;
}

static bool fits_device(cl_device_id device, const cl_image_desc *d)
{
	switch (d->image_type) {
	case CL_MEM_OBJECT_IMAGE3D:
		return d->image_width <= device_number(device, CL_DEVICE_IMAGE3D_MAX_WIDTH) &&
		       d->image_height <= device_number(device, CL_DEVICE_IMAGE3D_MAX_HEIGHT) &&
		       d->image_depth <= device_number(device, CL_DEVICE_IMAGE3D_MAX_DEPTH);
	case CL_MEM_OBJECT_IMAGE1D_BUFFER:
		return d->image_width <= device_number(device, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE);
	default:
		return d->image_width <= device_number(device, CL_DEVICE_IMAGE2D_MAX_WIDTH) &&
		       d->image_height <= device_number(device, CL_DEVICE_IMAGE2D_MAX_HEIGHT) &&
		       d->image_array_size <= device_number(device, CL_DEVICE_IMAGE_MAX_ARRAY_SIZE);
	}
}

static cl_int size_check(cl_context context, const cl_image_desc *d)
{
	bool images = false;
	uint32_t i;

	for (i = 0; i < context->device_count; i++)
		if (device_number(context->devices[i], CL_DEVICE_IMAGE_SUPPORT)) {
			images = true;
			if (fits_device(context->devices[i], d))
				return CL_SUCCESS;
		}
	return images ? CL_INVALID_IMAGE_SIZE : CL_INVALID_OPERATION;
}

/* The pitches of the application's memory; of an image without any, those of rows without gaps. */
static cl_int pitches(const cl_image_desc *d, size_t element, bool given, size_t *row, size_t *slice)
{
	size_t least_row, least_slice;

	if (__builtin_mul_overflow(d->image_width, element, &least_row))
		return CL_INVALID_IMAGE_SIZE;
	*row = d->image_row_pitch ? d->image_row_pitch : least_row;
	if (d->image_row_pitch && (!given || *row < least_row || *row % element))
		return CL_INVALID_IMAGE_DESCRIPTOR;
	if (__builtin_mul_overflow(*row, rows_of(d), &least_slice))
		return CL_INVALID_IMAGE_SIZE;
	*slice = d->image_slice_pitch ? d->image_slice_pitch : least_slice;
	if (d->image_slice_pitch && slices_of(d) > 1 && (!given || *slice < least_slice || *slice % *row))
		return CL_INVALID_IMAGE_DESCRIPTOR;
	if (slices_of(d) == 1)
		*slice = least_slice;
	return CL_SUCCESS;
}

/* What an image may be made of: nothing, or a buffer, which must hold it. */
static cl_int parent_check(cl_context context, const cl_image_desc *d, size_t element, size_t row)
{
	cl_mem parent = d->mem_object;

	if (!parent)
		return d->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? CL_INVALID_IMAGE_DESCRIPTOR : CL_SUCCESS;
	if (!object_is(parent, KIND_MEM))
		return CL_INVALID_MEM_OBJECT;
	if (parent->context != context)
		return CL_INVALID_CONTEXT;
	if (!is_buffer(parent))
		return d->image_type == CL_MEM_OBJECT_IMAGE2D ? CL_INVALID_OPERATION : CL_INVALID_IMAGE_DESCRIPTOR;
	if (d->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
		return d->image_width > parent->size / element ? CL_INVALID_IMAGE_SIZE : CL_SUCCESS;
	if (d->image_type != CL_MEM_OBJECT_IMAGE2D)
		return CL_INVALID_IMAGE_DESCRIPTOR;
	return row > parent->size / d->image_height ? CL_INVALID_IMAGE_SIZE : CL_SUCCESS;
}

/* ---- creation ----------------------------------------------------------------------------------- */

static cl_int image_check(cl_context context, cl_mem_flags flags, const cl_image_format *format,
			  cl_image_desc *d, const void *host_ptr)
{
	cl_int status;

	if (!object_is(context, KIND_CONTEXT))
		return CL_INVALID_CONTEXT;
	if (!format || image_element_bytes(format) == 0)
		return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
	if (!is_image_type(d->image_type) || d->num_mip_levels || d->num_samples || !shape_normal(d))
		return CL_INVALID_IMAGE_DESCRIPTOR;
	status = mem_flags_check(flags, host_ptr);
	if (status == CL_INVALID_HOST_PTR && d->mem_object && !host_ptr)
		status = CL_SUCCESS;
	return status ? status : size_check(context, d);
}

static struct layout image_layout(cl_mem image, void *at)
{
	return (struct layout){ .at = at, .row_bytes = image->desc.image_width * image->element_bytes,
				.rows = rows_of(&image->desc), .slices = slices_of(&image->desc),
				.row_pitch = image->row_pitch, .slice_pitch = image->slice_pitch };
}

static cl_int image_send(cl_mem image, const void *initial)
{
	const cl_image_desc *d = &image->desc;
	bool of_rows = image->parent && d->image_type == CL_MEM_OBJECT_IMAGE2D;
	uint64_t shape[SHAPE] = { d->image_type, d->image_width, d->image_height, d->image_depth,
				  d->image_array_size, of_rows ? d->image_row_pitch : 0, 0 };
	struct call_create_image call = { .mem = image->o.index, .context = image->context->o.index,
					  .flags = image->flags & FOR_HOST,
					  .order = image->format.image_channel_order,
					  .type = image->format.image_channel_data_type,
					  .shape = shape, .shape_count = SHAPE, .parent = index_of(image->parent) };
	struct session *s = session_of(image);
	struct answer answer = { 0 };
	cl_int status;

	if (initial) {
		struct layout from = image_layout(image, (void *)initial);

		status = staging_borrow(s, layout_bytes(&from), &call.initial);
		if (status != CL_SUCCESS)
			return status;
		layout_to_arena(arena_at(s, call.initial), &from);
	}
	status = call_create_image(s, &call, &answer);
	if (initial)
		staging_return(s, call.initial);
	return status;
}

cl_mem clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *format,
		     const cl_image_desc *desc, void *host_ptr, cl_int *error)
{
	cl_image_desc d = desc ? *desc : (cl_image_desc){ 0 };
	size_t row = 0, slice = 0, element = 0;
	cl_int status = image_check(context, flags, format, &d, host_ptr);
	cl_mem image = NULL;

	if (status == CL_SUCCESS) {
		element = image_element_bytes(format);
		status = pitches(&d, element, host_ptr || d.mem_object, &row, &slice);
	}
	if (status == CL_SUCCESS)
		status = parent_check(context, &d, element, row);
	if (status == CL_SUCCESS && d.mem_object && !(flags & FOR_HOST))
		flags |= d.mem_object->flags & FOR_HOST;
	if (status == CL_SUCCESS) {
		image = mem_new(context, d.image_type, flags, slice * slices_of(&d), host_ptr);
		status = CL_MEM_OBJECT_ALLOCATION_FAILURE;
	}
	if (image) {
		image->format = *format;
		image->desc = d;
		image->element_bytes = element;
		image->row_pitch = row;
		image->slice_pitch = slice;
		image->parent = d.mem_object;
		if (image->parent) {
			object_hold(image->parent);
			image->host_ptr = image->parent->host_ptr;
		}
		status = image_send(image, host_ptr);
		if (status != CL_SUCCESS) {
			mem_discard(image);
			image = NULL;
		}
	}
	tell(error, status);
	return image;
}

cl_mem clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
				   const cl_image_format *format, const cl_image_desc *desc, void *host_ptr,
				   cl_int *error)
{
	cl_mem image;

	if (object_is(context, KIND_CONTEXT) && properties && properties[0]) {
		tell(error, CL_INVALID_PROPERTY);
		return NULL;
	}
	image = clCreateImage(context, flags, format, desc, host_ptr, error);
	if (image)
		image->properties = list_copy(properties, sizeof(*properties), &image->property_bytes);
	return image;
}

cl_mem clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
		       size_t height, size_t row_pitch, void *host_ptr, cl_int *error)
{
	cl_image_desc d = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height,
			    .image_row_pitch = row_pitch };

	if (object_is(context, KIND_CONTEXT) && (width == 0 || height == 0)) {
		tell(error, CL_INVALID_IMAGE_SIZE);
		return NULL;
	}
	return clCreateImage(context, flags, format, &d, host_ptr, error);
}

cl_mem clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *format, size_t width,
		       size_t height, size_t depth, size_t row_pitch, size_t slice_pitch, void *host_ptr,
		       cl_int *error)
{
	cl_image_desc d = { .image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = width, .image_height = height,
			    .image_depth = depth, .image_row_pitch = row_pitch, .image_slice_pitch = slice_pitch };

	if (object_is(context, KIND_CONTEXT) && (width == 0 || height == 0 || depth < 2)) {
		tell(error, CL_INVALID_IMAGE_SIZE);
		return NULL;
	}
	return clCreateImage(context, flags, format, &d, host_ptr, error);
}

/* ---- information -------------------------------------------------------------------------------- */

cl_int clGetImageInfo(cl_mem image, cl_image_info param, size_t size, void *value, size_t *size_ret)
{
	const cl_image_desc *d;

	if (!is_image(image))
		return CL_INVALID_MEM_OBJECT;
	d = &image->desc;
	switch (param) {
	case CL_IMAGE_FORMAT:
		INFO(cl_image_format, image->format);
	case CL_IMAGE_ELEMENT_SIZE:
		INFO(size_t, image->element_bytes);
	case CL_IMAGE_ROW_PITCH:
		INFO(size_t, image->row_pitch);
	case CL_IMAGE_SLICE_PITCH:
		INFO(size_t, d->image_depth || d->image_array_size ? image->slice_pitch : 0);
	case CL_IMAGE_WIDTH:
		INFO(size_t, d->image_width);
	case CL_IMAGE_HEIGHT:
		INFO(size_t, d->image_height);
	case CL_IMAGE_DEPTH:
		INFO(size_t, d->image_depth);
	case CL_IMAGE_ARRAY_SIZE:
		INFO(size_t, d->image_array_size);
	case CL_IMAGE_BUFFER:
		INFO(cl_mem, image->parent);
	case CL_IMAGE_NUM_MIP_LEVELS:
	case CL_IMAGE_NUM_SAMPLES:
		INFO(cl_uint, 0);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int image_region_check(cl_mem image, const size_t *origin, const size_t *region)
{
	const cl_image_desc *d = &image->desc;
	size_t limit[3] = { d->image_width, 1, 1 };
	int i;

	switch (d->image_type) {
	case CL_MEM_OBJECT_IMAGE1D_ARRAY:
		limit[1] = d->image_array_size;
		break;
	case CL_MEM_OBJECT_IMAGE2D_ARRAY:
		limit[2] = d->image_array_size;
		limit[1] = d->image_height;
		break;
	case CL_MEM_OBJECT_IMAGE3D:
		limit[2] = d->image_depth;
		limit[1] = d->image_height;
		break;
	case CL_MEM_OBJECT_IMAGE2D:
		limit[1] = d->image_height;
		break;
	default:
		break;
	}
	if (!origin || !region)
		return CL_INVALID_VALUE;
	for (i = 0; i < 3; i++)
		if (region[i] == 0 || origin[i] > limit[i] || region[i] > limit[i] - origin[i])
			return CL_INVALID_VALUE;
	return CL_SUCCESS;
}
