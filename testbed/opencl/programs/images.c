/* Images: the formats there are, how images of each type are made, what they say. */
#include "check.h"

static const cl_image_format rgba8 = { CL_RGBA, CL_UNORM_INT8 };

static const struct {
	cl_mem_object_type type;
	const char *name;
} types[] = {
	{ CL_MEM_OBJECT_IMAGE1D, "1D" }, { CL_MEM_OBJECT_IMAGE1D_BUFFER, "1D of a buffer" },
	{ CL_MEM_OBJECT_IMAGE1D_ARRAY, "1D array" }, { CL_MEM_OBJECT_IMAGE2D, "2D" },
	{ CL_MEM_OBJECT_IMAGE2D_ARRAY, "2D array" }, { CL_MEM_OBJECT_IMAGE3D, "3D" },
};

static void formats(const struct setup *s)
{
	static const cl_mem_flags flags[] = { CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_KERNEL_READ_AND_WRITE };
	static cl_image_format list[512];
	cl_uint count;

	for (size_t i = 0; i < COUNT(types); i++)
		for (size_t k = 0; k < COUNT(flags); k++) {
			count = 77;
			SAY(types[i].name, clGetSupportedImageFormats(s->context, flags[k], types[i].type, 0, NULL, &count));
			say_number("formats", count);
			SAY("all of them", clGetSupportedImageFormats(s->context, flags[k], types[i].type, COUNT(list), list, NULL));
			say_checksum("formats", list, count <= COUNT(list) ? count * sizeof(list[0]) : 0);
		}
	SAY("a few", clGetSupportedImageFormats(s->context, 0, CL_MEM_OBJECT_IMAGE2D, 2, list, &count));
	say_checksum("a few", list, 2 * sizeof(list[0]));
	SAY("no context", clGetSupportedImageFormats(NULL, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
	SAY("no type", clGetSupportedImageFormats(s->context, 0, 0x7777, 0, NULL, &count));
	SAY("of a buffer", clGetSupportedImageFormats(s->context, 0, CL_MEM_OBJECT_BUFFER, 0, NULL, &count));
	SAY("no places", clGetSupportedImageFormats(s->context, 0, CL_MEM_OBJECT_IMAGE2D, 0, list, &count));
}

static cl_image_desc shape_of(cl_mem_object_type type, cl_mem buffer)
{
	cl_image_desc shape = { .image_type = type, .image_width = 16 };

	if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
		shape.buffer = buffer;
	if (type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY || type == CL_MEM_OBJECT_IMAGE3D)
		shape.image_height = 8;
	if (type == CL_MEM_OBJECT_IMAGE3D)
		shape.image_depth = 4;
	if (type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
		shape.image_array_size = 3;
	return shape;
}

static void information(cl_mem image)
{
	static const struct {
		cl_image_info param;
		const char *name;
	} params[] = {
		{ CL_IMAGE_ELEMENT_SIZE, "element" }, { CL_IMAGE_ROW_PITCH, "row pitch" },
		{ CL_IMAGE_SLICE_PITCH, "slice pitch" }, { CL_IMAGE_WIDTH, "width" }, { CL_IMAGE_HEIGHT, "height" },
		{ CL_IMAGE_DEPTH, "depth" }, { CL_IMAGE_ARRAY_SIZE, "array" },
	};
	cl_image_format format = { 0 };
	cl_mem_object_type type = 0;
	cl_mem buffer = NULL;
	cl_uint number = 77;
	size_t value = 77, size = 77;

	SAY("format", clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof(format), &format, &size));
	say_number("order", format.image_channel_order);
	say_number("type", format.image_channel_data_type);
	for (size_t i = 0; i < COUNT(params); i++) {
		value = 77;
		SAY(params[i].name, clGetImageInfo(image, params[i].param, sizeof(value), &value, &size));
		say_number(params[i].name, (long long)value);
	}
	SAY("levels", clGetImageInfo(image, CL_IMAGE_NUM_MIP_LEVELS, sizeof(number), &number, NULL));
	say_number("levels", number);
	SAY("samples", clGetImageInfo(image, CL_IMAGE_NUM_SAMPLES, sizeof(number), &number, NULL));
	say_number("samples", number);
	SAY("buffer", clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof(buffer), &buffer, NULL));
	say_true("of a buffer", buffer != NULL);
	SAY("unknown", clGetImageInfo(image, 0x7777, sizeof(value), &value, NULL));
	SAY("one byte too few", clGetImageInfo(image, CL_IMAGE_WIDTH, 7, &value, NULL));
	SAY("type", clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof(type), &type, NULL));
	say_number("type", type);
	SAY("size", clGetMemObjectInfo(image, CL_MEM_SIZE, sizeof(value), &value, NULL));
	say_number("size", (long long)value);
}

static void ways(const struct setup *s)
{
	cl_mem buffer = buffer_of(s, 4096, 1), image;
	static char bytes[4096];

	for (size_t i = 0; i < COUNT(types); i++) {
		cl_image_desc shape = shape_of(types[i].type, buffer);

		image = MAKE(types[i].name, clCreateImage(s->context, CL_MEM_READ_WRITE, &rgba8, &shape, NULL, &error));
		if (!image)
			continue;
		information(image);
		SAY(types[i].name, clReleaseMemObject(image));
		image = MAKE("with properties", clCreateImageWithProperties(s->context, NULL, CL_MEM_READ_ONLY, &rgba8, &shape, NULL, &error));
		SAY("with properties", clReleaseMemObject(image));
	}
	image = MAKE("old 2D", clCreateImage2D(s->context, CL_MEM_COPY_HOST_PTR, &rgba8, 16, 8, 128, bytes, &error));
	information(image);
	SAY("old 2D", clReleaseMemObject(image));
	image = MAKE("old 3D", clCreateImage3D(s->context, 0, &rgba8, 16, 8, 4, 0, 0, NULL, &error));
	information(image);
	SAY("old 3D", clReleaseMemObject(image));
	SAY("buffer", clReleaseMemObject(buffer));
	SAY("NULL", clGetImageInfo(NULL, CL_IMAGE_WIDTH, 0, NULL, NULL));
}

static void wrong_formats(const struct setup *s)
{
	static const struct {
		const char *name;
		cl_image_format format;
	} list[] = {
		{ "no order", { 0, CL_UNORM_INT8 } }, { "unknown order", { 0x7777, CL_UNORM_INT8 } },
		{ "unknown type", { CL_RGBA, 0x7777 } }, { "RGB of bytes", { CL_RGB, CL_UNORM_INT8 } },
		{ "565 of RGBA", { CL_RGBA, CL_UNORM_SHORT_565 } }, { "BGRA of floats", { CL_BGRA, CL_FLOAT } },
		{ "intensity of integers", { CL_INTENSITY, CL_SIGNED_INT8 } },
	};
	cl_image_desc shape = shape_of(CL_MEM_OBJECT_IMAGE2D, NULL);

	for (size_t i = 0; i < COUNT(list); i++)
		MAKE(list[i].name, clCreateImage(s->context, 0, &list[i].format, &shape, NULL, &error));
	MAKE("no format", clCreateImage(s->context, 0, NULL, &shape, NULL, &error));
}

static void wrong(const struct setup *s)
{
	cl_image_desc right = shape_of(CL_MEM_OBJECT_IMAGE2D, NULL), shape = right;
	static char bytes[4096];

	MAKE("no context", clCreateImage(NULL, 0, &rgba8, &right, NULL, &error));
	MAKE("no shape", clCreateImage(s->context, 0, &rgba8, NULL, NULL, &error));
	MAKE("read-only and write-only", clCreateImage(s->context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &rgba8, &right, NULL, &error));
	MAKE("a pointer for no flag", clCreateImage(s->context, 0, &rgba8, &right, bytes, &error));
	MAKE("COPY_HOST_PTR of NULL", clCreateImage(s->context, CL_MEM_COPY_HOST_PTR, &rgba8, &right, NULL, &error));
	MAKE("USE_HOST_PTR of NULL", clCreateImage(s->context, CL_MEM_USE_HOST_PTR, &rgba8, &right, NULL, &error));
	shape.image_width = 0;
	MAKE("width 0", clCreateImage(s->context, 0, &rgba8, &shape, NULL, &error));
	shape.image_width = 1 << 20;
	MAKE("too wide", clCreateImage(s->context, 0, &rgba8, &shape, NULL, &error));
	shape = right, shape.image_height = 0;
	MAKE("height 0", clCreateImage(s->context, 0, &rgba8, &shape, NULL, &error));
	shape = right, shape.image_type = CL_MEM_OBJECT_BUFFER;
	MAKE("a buffer", clCreateImage(s->context, 0, &rgba8, &shape, NULL, &error));
	shape = right, shape.image_row_pitch = 64;
	MAKE("a pitch for no pointer", clCreateImage(s->context, 0, &rgba8, &shape, NULL, &error));
	shape.image_row_pitch = 60;
	MAKE("pitch less than a row", clCreateImage(s->context, CL_MEM_COPY_HOST_PTR, &rgba8, &shape, bytes, &error));
	shape.image_row_pitch = 66;
	MAKE("pitch no multiple", clCreateImage(s->context, CL_MEM_COPY_HOST_PTR, &rgba8, &shape, bytes, &error));
	shape = shape_of(CL_MEM_OBJECT_IMAGE3D, NULL), shape.image_depth = 0;
	MAKE("depth 0", clCreateImage(s->context, 0, &rgba8, &shape, NULL, &error));
	MAKE("old 2D of width 0", clCreateImage2D(s->context, 0, &rgba8, 0, 8, 0, NULL, &error));
	MAKE("old 3D of depth 0", clCreateImage3D(s->context, 0, &rgba8, 8, 8, 0, 0, 0, NULL, &error));
	MAKE("no context", clCreateImageWithProperties(NULL, NULL, 0, &rgba8, &right, NULL, &error));
}

static void pipes(const struct setup *s)
{
	cl_mem buffer = buffer_of(s, 64, 1);
	cl_uint number = 77;

	MAKE("no context", clCreatePipe(NULL, 0, 4, 16, NULL, &error));
	MAKE("the device has none", clCreatePipe(s->context, CL_MEM_READ_WRITE, 4, 16, NULL, &error));
	SAY("of NULL", clGetPipeInfo(NULL, CL_PIPE_PACKET_SIZE, sizeof(number), &number, NULL));
	SAY("of a buffer", clGetPipeInfo(buffer, CL_PIPE_PACKET_SIZE, sizeof(number), &number, NULL));
	SAY("buffer", clReleaseMemObject(buffer));
}

int main(void)
{
	struct setup s = set_up();

	formats(&s);
	ways(&s);
	wrong_formats(&s);
	wrong(&s);
	pipes(&s);
	tear_down(&s);
	return 0;
}
