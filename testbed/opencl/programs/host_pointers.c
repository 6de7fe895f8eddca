/* Buffers and images whose storage is the application's: what it sees, and when. */
#include "check.h"

#define SIZE 8192

static void buffers(const struct setup *s, char *memory, const char *what)
{
	cl_kernel kernel = kernel_of(s, "kernel void k(global uint *a) { a[get_global_id(0)] += 1000; }", "k");
	size_t global = SIZE / 4;
	void *pointer = NULL;
	cl_mem buffer;
	char *at;

	fill_bytes(memory, SIZE, 1);
	buffer = MAKE(what, clCreateBuffer(s->context, CL_MEM_USE_HOST_PTR, SIZE, memory, &error));
	SAY("pointer", clGetMemObjectInfo(buffer, CL_MEM_HOST_PTR, sizeof(pointer), &pointer, NULL));
	say_true("the application's", pointer == memory);
	SAY("buffer", clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	SAY("launch", clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
	at = MAKE("to read", clEnqueueMapBuffer(s->queue, buffer, CL_TRUE, CL_MAP_READ, 0, SIZE, 0, NULL, NULL, &error));
	say_true("the application's memory", at == memory);
	say_checksum("what the kernel made", memory, SIZE);
	SAY("read", clEnqueueUnmapMemObject(s->queue, buffer, at, 0, NULL, NULL));
	at = MAKE("a part to write", clEnqueueMapBuffer(s->queue, buffer, CL_TRUE, CL_MAP_WRITE, 256, 512, 0, NULL, NULL, &error));
	say_true("the application's memory at its offset", at == memory + 256);
	memset(memory + 256, 9, 512);
	SAY("a part", clEnqueueUnmapMemObject(s->queue, buffer, at, 0, NULL, NULL));
	SAY("launch", clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
	say_buffer("read", s, buffer, SIZE);
	SAY("buffer", clReleaseMemObject(buffer));
	SAY("kernel", clReleaseKernel(kernel));
}

static void parts(const struct setup *s, char *memory)
{
	cl_buffer_region region = { 4096, 2048 };
	cl_mem buffer, part;
	void *pointer = NULL;
	char *at;

	fill_bytes(memory, SIZE, 2);
	buffer = MAKE("of the application", clCreateBuffer(s->context, CL_MEM_USE_HOST_PTR, SIZE, memory, &error));
	part = MAKE("its part", clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error));
	SAY("pointer", clGetMemObjectInfo(part, CL_MEM_HOST_PTR, sizeof(pointer), &pointer, NULL));
	say_true("the application's at its offset", pointer == memory + 4096);
	at = MAKE("part", clEnqueueMapBuffer(s->queue, part, CL_TRUE, CL_MAP_WRITE, 16, 64, 0, NULL, NULL, &error));
	say_true("the application's memory", at == memory + 4096 + 16);
	memset(at, 3, 64);
	SAY("part", clEnqueueUnmapMemObject(s->queue, part, at, 0, NULL, NULL));
	say_buffer("buffer", s, buffer, SIZE);
	SAY("part", clReleaseMemObject(part));
	SAY("buffer", clReleaseMemObject(buffer));
}

static void images(const struct setup *s, char *memory)
{
	const cl_image_format format = { CL_RGBA, CL_UNSIGNED_INT8 };
	const cl_image_desc shape = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16, .image_row_pitch = 128 };
	const size_t origin[3] = { 0 }, region[3] = { 16, 16, 1 }, inside[3] = { 2, 3, 0 }, few[3] = { 4, 4, 1 };
	const cl_uint colour[4] = { 5, 6, 7, 8 };
	size_t row = 77;
	cl_mem image;
	char *at, *part;

	fill_bytes(memory, SIZE, 3);
	image = MAKE("with a pitch", clCreateImage(s->context, CL_MEM_USE_HOST_PTR, &format, &shape, memory, &error));
	SAY("inside", clEnqueueFillImage(s->queue, image, colour, inside, few, 0, NULL, NULL));
	at = MAKE("all", clEnqueueMapImage(s->queue, image, CL_TRUE, CL_MAP_READ, origin, region, &row, NULL, 0, NULL, NULL, &error));
	say_true("the application's memory", at == memory);
	say_number("its pitch", (long long)row);
	for (int y = 0; y < 16; y++)
		say_checksum("row", memory + 128 * y, 64);
	SAY("all", clEnqueueUnmapMemObject(s->queue, image, at, 0, NULL, NULL));
	SAY("all", clEnqueueFillImage(s->queue, image, colour, origin, region, 0, NULL, NULL));
	part = MAKE("a part to write", clEnqueueMapImage(s->queue, image, CL_TRUE, CL_MAP_WRITE, inside, few, &row, NULL, 0, NULL, NULL, &error));
	for (int y = 0; y < 4; y++)
		memset(part + 128 * y, 9, 16);
	at = MAKE("all", clEnqueueMapImage(s->queue, image, CL_TRUE, CL_MAP_READ, origin, region, &row, NULL, 0, NULL, NULL, &error));
	for (int y = 0; y < 16; y++)
		say_checksum("row with the part", memory + 128 * y, 64);
	SAY("part", clEnqueueUnmapMemObject(s->queue, image, part, 0, NULL, NULL));
	SAY("all", clEnqueueUnmapMemObject(s->queue, image, at, 0, NULL, NULL));
	SAY("image", clReleaseMemObject(image));
}

int main(void)
{
	static char memory[SIZE + 4096] __attribute__((aligned(4096)));
	struct setup s = set_up();

	buffers(&s, memory, "aligned to a page");
	buffers(&s, memory + 128, "aligned to 128 bytes");
	parts(&s, memory);
	images(&s, memory);
	tear_down(&s);
	return 0;
}
