/* What goes in and out of images: reads, writes, copies, fills, maps. */
#include "check.h"

#define WIDTH 32
#define HEIGHT 16
#define DEPTH 4
#define BYTES (WIDTH * HEIGHT * DEPTH * 4)

static const cl_image_format rgba8 = { CL_RGBA, CL_UNSIGNED_INT8 };

struct image {
	const char *name;
	cl_mem_object_type type;
	size_t size[3]; /* as regions have it */
};

static const struct image kinds[] = {
	{ "1D", CL_MEM_OBJECT_IMAGE1D, { WIDTH, 1, 1 } },
	{ "1D array", CL_MEM_OBJECT_IMAGE1D_ARRAY, { WIDTH, 5, 1 } },
	{ "2D", CL_MEM_OBJECT_IMAGE2D, { WIDTH, HEIGHT, 1 } },
	{ "2D array", CL_MEM_OBJECT_IMAGE2D_ARRAY, { WIDTH, HEIGHT, DEPTH } },
	{ "3D", CL_MEM_OBJECT_IMAGE3D, { WIDTH, HEIGHT, DEPTH } },
};

static cl_mem image_of(const struct setup *s, const struct image *kind, uint32_t seed)
{
	static char bytes[BYTES];
	cl_image_desc shape = { .image_type = kind->type, .image_width = kind->size[0] };

	fill_bytes(bytes, sizeof(bytes), seed);
	if (kind->type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
		shape.image_array_size = kind->size[1];
	else if (kind->type != CL_MEM_OBJECT_IMAGE1D)
		shape.image_height = kind->size[1];
	if (kind->type == CL_MEM_OBJECT_IMAGE2D_ARRAY)
		shape.image_array_size = kind->size[2];
	if (kind->type == CL_MEM_OBJECT_IMAGE3D)
		shape.image_depth = kind->size[2];
	return MAKE(kind->name, clCreateImage(s->context, CL_MEM_COPY_HOST_PTR, &rgba8, &shape, bytes, &error));
}

static void say_image(const char *what, const struct setup *s, cl_mem image, const struct image *kind)
{
	static char bytes[BYTES];
	const size_t origin[3] = { 0 };

	MUST(clEnqueueReadImage(s->queue, image, CL_TRUE, origin, kind->size, 0, 0, bytes, 0, NULL, NULL));
	say_checksum(what, bytes, kind->size[0] * kind->size[1] * kind->size[2] * 4);
}

/* A region inside of each. */
static void inside(const struct image *kind, size_t origin[3], size_t region[3])
{
	for (int i = 0; i < 3; i++) {
		origin[i] = kind->size[i] > 2 ? 1 : 0;
		region[i] = kind->size[i] > 2 ? kind->size[i] - 2 : 1;
	}
}

static void reads_and_writes(const struct setup *s, const struct image *kind)
{
	static char bytes[4 * BYTES];
	size_t origin[3], region[3];
	cl_mem image = image_of(s, kind, 1);
	size_t row = WIDTH * 4 + 16, slice = kind->size[2] > 1 ? row * (HEIGHT + 2) : 0;
	cl_event event;

	inside(kind, origin, region);
	say_image("as it was made", s, image, kind);
	memset(bytes, 0, sizeof(bytes));
	SAY("inside", clEnqueueReadImage(s->queue, image, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL, NULL));
	say_checksum("inside", bytes, sizeof(bytes));
	fill_bytes(bytes, sizeof(bytes), 7);
	SAY("inside", clEnqueueWriteImage(s->queue, image, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL, NULL));
	say_image("written", s, image, kind);
	if (kind->type != CL_MEM_OBJECT_IMAGE1D_ARRAY) {
		memset(bytes, 0, sizeof(bytes));
		SAY("with pitches", clEnqueueReadImage(s->queue, image, CL_TRUE, origin, region, row, slice, bytes, 0, NULL, NULL));
		say_checksum("with pitches", bytes, sizeof(bytes));
		fill_bytes(bytes, sizeof(bytes), 8);
		SAY("with pitches", clEnqueueWriteImage(s->queue, image, CL_FALSE, origin, region, row, slice, bytes, 0, NULL, &event));
		SAY("it", clWaitForEvents(1, &event));
		SAY("it", clReleaseEvent(event));
		say_image("written with pitches", s, image, kind);
	}
	SAY("image", clReleaseMemObject(image));
}

static void fills(const struct setup *s, const struct image *kind)
{
	const cl_uint colour[4] = { 1, 2, 3, 250 };
	size_t origin[3], region[3];
	cl_mem image = image_of(s, kind, 2);

	inside(kind, origin, region);
	SAY("inside", clEnqueueFillImage(s->queue, image, colour, origin, region, 0, NULL, NULL));
	say_image("filled", s, image, kind);
	SAY("no colour", clEnqueueFillImage(s->queue, image, NULL, origin, region, 0, NULL, NULL));
	region[0] = kind->size[0];
	SAY("over the edge", clEnqueueFillImage(s->queue, image, colour, origin, region, 0, NULL, NULL));
	SAY("no queue", clEnqueueFillImage(NULL, image, colour, origin, region, 0, NULL, NULL));
	SAY("no image", clEnqueueFillImage(s->queue, NULL, colour, origin, region, 0, NULL, NULL));
	SAY("image", clReleaseMemObject(image));
}

static void copies(const struct setup *s, const struct image *kind)
{
	size_t origin[3], region[3];
	const size_t start[3] = { 0 };
	cl_mem from = image_of(s, kind, 3), to = image_of(s, kind, 4), buffer = buffer_of(s, BYTES, 5);

	inside(kind, origin, region);
	SAY("inside", clEnqueueCopyImage(s->queue, from, to, origin, start, region, 0, NULL, NULL));
	say_image("copied", s, to, kind);
	SAY("to a buffer", clEnqueueCopyImageToBuffer(s->queue, from, buffer, origin, region, 64, 0, NULL, NULL));
	say_buffer("buffer", s, buffer, BYTES);
	SAY("from a buffer", clEnqueueCopyBufferToImage(s->queue, buffer, to, 32, origin, region, 0, NULL, NULL));
	say_image("of the buffer", s, to, kind);
	SAY("over the edge", clEnqueueCopyImage(s->queue, from, to, origin, start, (size_t[]){ WIDTH, 1, 1 }, 0, NULL, NULL));
	SAY("over the buffer's end", clEnqueueCopyImageToBuffer(s->queue, from, buffer, origin, region, BYTES - 4, 0, NULL, NULL));
	SAY("over the buffer's end", clEnqueueCopyBufferToImage(s->queue, buffer, to, BYTES - 4, origin, region, 0, NULL, NULL));
	SAY("no queue", clEnqueueCopyImage(NULL, from, to, origin, start, region, 0, NULL, NULL));
	SAY("no queue", clEnqueueCopyImageToBuffer(NULL, from, buffer, origin, region, 64, 0, NULL, NULL));
	SAY("no queue", clEnqueueCopyBufferToImage(NULL, buffer, to, 32, origin, region, 0, NULL, NULL));
	SAY("no source", clEnqueueCopyImage(s->queue, NULL, to, origin, start, region, 0, NULL, NULL));
	SAY("no target", clEnqueueCopyImage(s->queue, from, NULL, origin, start, region, 0, NULL, NULL));
	SAY("from", clReleaseMemObject(from));
	SAY("to", clReleaseMemObject(to));
	SAY("buffer", clReleaseMemObject(buffer));
}

static void maps(const struct setup *s, const struct image *kind)
{
	size_t origin[3], region[3], row = 77, slice = 77;
	cl_mem image = image_of(s, kind, 6);
	unsigned char *at;
	cl_event event;

	inside(kind, origin, region);
	at = MAKE("to read and write", clEnqueueMapImage(s->queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, region, &row,
							 &slice, 0, NULL, NULL, &error));
	if (at) {
		say_true("pitch is not less than a row", row >= region[0] * 4);
		say_checksum("first row", at, region[0] * 4);
		memset(at, 0x5a, region[0] * 4);
		SAY("it", clEnqueueUnmapMemObject(s->queue, image, at, 0, NULL, NULL));
	}
	say_image("written by map", s, image, kind);
	at = MAKE("not blocking", clEnqueueMapImage(s->queue, image, CL_FALSE, CL_MAP_WRITE_INVALIDATE_REGION, origin, region, &row,
						    &slice, 0, NULL, &event, &error));
	if (at) {
		SAY("it", clWaitForEvents(1, &event));
		for (size_t z = 0; z < region[2]; z++)
			for (size_t y = 0; y < region[1]; y++)
				memset(at + z * slice + y * (kind->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? slice : row),
				       (int)(y + 16 * z), region[0] * 4);
		SAY("it", clEnqueueUnmapMemObject(s->queue, image, at, 0, NULL, NULL));
		SAY("it", clReleaseEvent(event));
	}
	say_image("invalidated and written", s, image, kind);
	MAKE("no row pitch", clEnqueueMapImage(s->queue, image, CL_TRUE, CL_MAP_READ, origin, region, NULL, &slice, 0, NULL, NULL, &error));
	region[0] = WIDTH + 1;
	MAKE("over the edge", clEnqueueMapImage(s->queue, image, CL_TRUE, CL_MAP_READ, origin, region, &row, &slice, 0, NULL, NULL, &error));
	MAKE("no queue", clEnqueueMapImage(NULL, image, CL_TRUE, CL_MAP_READ, origin, region, &row, &slice, 0, NULL, NULL, &error));
	MAKE("no image", clEnqueueMapImage(s->queue, NULL, CL_TRUE, CL_MAP_READ, origin, region, &row, &slice, 0, NULL, NULL, &error));
	SAY("image", clReleaseMemObject(image));
}

static void wrong(const struct setup *s)
{
	const struct image *kind = &kinds[2];
	static char bytes[BYTES];
	const size_t start[3] = { 0 }, wide[3] = { WIDTH + 1, 1, 1 }, none[3] = { 0, 1, 1 }, deep[3] = { 1, 1, 2 };
	const size_t beyond[3] = { WIDTH, 0, 0 }, one[3] = { 1, 1, 1 };
	cl_mem image = image_of(s, kind, 9), buffer = buffer_of(s, 64, 1);

	SAY("no queue", clEnqueueReadImage(NULL, image, CL_TRUE, start, one, 0, 0, bytes, 0, NULL, NULL));
	SAY("no image", clEnqueueReadImage(s->queue, NULL, CL_TRUE, start, one, 0, 0, bytes, 0, NULL, NULL));
	SAY("a buffer", clEnqueueReadImage(s->queue, buffer, CL_TRUE, start, one, 0, 0, bytes, 0, NULL, NULL));
	SAY("no pointer", clEnqueueReadImage(s->queue, image, CL_TRUE, start, one, 0, 0, NULL, 0, NULL, NULL));
	SAY("no origin", clEnqueueReadImage(s->queue, image, CL_TRUE, NULL, one, 0, 0, bytes, 0, NULL, NULL));
	SAY("no region", clEnqueueReadImage(s->queue, image, CL_TRUE, start, NULL, 0, 0, bytes, 0, NULL, NULL));
	SAY("too wide", clEnqueueReadImage(s->queue, image, CL_TRUE, start, wide, 0, 0, bytes, 0, NULL, NULL));
	SAY("width 0", clEnqueueReadImage(s->queue, image, CL_TRUE, start, none, 0, 0, bytes, 0, NULL, NULL));
	SAY("too deep", clEnqueueReadImage(s->queue, image, CL_TRUE, start, deep, 0, 0, bytes, 0, NULL, NULL));
	SAY("beyond the edge", clEnqueueReadImage(s->queue, image, CL_TRUE, beyond, one, 0, 0, bytes, 0, NULL, NULL));
	SAY("pitch less than a row", clEnqueueReadImage(s->queue, image, CL_TRUE, start, kind->size, 4, 0, bytes, 0, NULL, NULL));
	SAY("no queue", clEnqueueWriteImage(NULL, image, CL_TRUE, start, one, 0, 0, bytes, 0, NULL, NULL));
	SAY("no image", clEnqueueWriteImage(s->queue, NULL, CL_TRUE, start, one, 0, 0, bytes, 0, NULL, NULL));
	SAY("a buffer", clEnqueueWriteImage(s->queue, buffer, CL_TRUE, start, one, 0, 0, bytes, 0, NULL, NULL));
	SAY("no pointer", clEnqueueWriteImage(s->queue, image, CL_TRUE, start, one, 0, 0, NULL, 0, NULL, NULL));
	SAY("too wide", clEnqueueWriteImage(s->queue, image, CL_TRUE, start, wide, 0, 0, bytes, 0, NULL, NULL));
	SAY("an image", clEnqueueReadBuffer(s->queue, image, CL_TRUE, 0, 4, bytes, 0, NULL, NULL));
	say_image("after all that", s, image, kind);
	SAY("image", clReleaseMemObject(image));
	SAY("buffer", clReleaseMemObject(buffer));
}

int main(void)
{
	struct setup s = set_up();

	wrong(&s);
	for (size_t i = 0; i < COUNT(kinds); i++) {
		reads_and_writes(&s, &kinds[i]);
		fills(&s, &kinds[i]);
		copies(&s, &kinds[i]);
		maps(&s, &kinds[i]);
	}
	tear_down(&s);
	return 0;
}
