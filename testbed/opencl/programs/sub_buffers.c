/* Sub-buffers: where they may lie, what they say, how they share their parent's bytes. */
#include "check.h"

#define SIZE 65536

static size_t alignment(const struct setup *s)
{
	cl_uint bits = 0;

	MUST(clGetDeviceInfo(s->device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof(bits), &bits, NULL));
	return bits / 8;
}

static cl_mem part_of(const char *what, cl_mem parent, cl_mem_flags flags, size_t origin, size_t size)
{
	cl_buffer_region region = { origin, size };

	return MAKE(what, clCreateSubBuffer(parent, flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &error));
}

static void wrong(const struct setup *s, cl_mem parent)
{
	cl_buffer_region region = { 0, 64 };
	cl_mem part, read_only;

	part_of("no parent", NULL, 0, 0, 64);
	part_of("size 0", parent, 0, 0, 0);
	part_of("beyond the end", parent, 0, SIZE, 64);
	part_of("over the end", parent, 0, SIZE - alignment(s), alignment(s) + 1);
	part_of("not aligned", parent, 0, 1, 64);
	part_of("read-only and write-only", parent, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 0, 64);
	part_of("host pointer", parent, CL_MEM_USE_HOST_PTR, 0, 64);
	part_of("memory of the host", parent, CL_MEM_ALLOC_HOST_PTR, 0, 64);
	part_of("copied", parent, CL_MEM_COPY_HOST_PTR, 0, 64);
	MAKE("no region", clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, NULL, &error));
	MAKE("unknown type", clCreateSubBuffer(parent, 0, 0x7777, &region, &error));
	part = part_of("a part", parent, 0, 0, 4096);
	part_of("a part of a part", part, 0, 0, 64);
	SAY("a part", clReleaseMemObject(part));
	read_only = NEED(clCreateBuffer(s->context, CL_MEM_READ_ONLY, SIZE, NULL, &error));
	part_of("write-only of read-only", read_only, CL_MEM_WRITE_ONLY, 0, 64);
	part_of("read-write of read-only", read_only, CL_MEM_READ_WRITE, 0, 64);
	SAY("read-only", clReleaseMemObject(read_only));
}

static void information(cl_mem part, cl_mem parent)
{
	cl_mem of = NULL;
	cl_mem_flags flags = 0;
	size_t number = 77;
	cl_uint references = 77;

	SAY("parent", clGetMemObjectInfo(part, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(of), &of, NULL));
	say_true("its parent", of == parent);
	SAY("offset", clGetMemObjectInfo(part, CL_MEM_OFFSET, sizeof(number), &number, NULL));
	say_number("offset", (long long)number);
	SAY("size", clGetMemObjectInfo(part, CL_MEM_SIZE, sizeof(number), &number, NULL));
	say_number("size", (long long)number);
	SAY("flags", clGetMemObjectInfo(part, CL_MEM_FLAGS, sizeof(flags), &flags, NULL));
	say_number("flags", (long long)flags);
	SAY("references", clGetMemObjectInfo(part, CL_MEM_REFERENCE_COUNT, sizeof(references), &references, NULL));
	say_number("references", references);
}

static void bytes(const struct setup *s, cl_mem parent, cl_mem part)
{
	char data[256], pattern[4] = { 1, 2, 3, 4 };

	fill_bytes(data, sizeof(data), 9);
	SAY("part", clEnqueueWriteBuffer(s->queue, part, CL_TRUE, 16, sizeof(data), data, 0, NULL, NULL));
	say_buffer("parent", s, parent, SIZE);
	SAY("parent", clEnqueueWriteBuffer(s->queue, parent, CL_TRUE, 4096, sizeof(data), data, 0, NULL, NULL));
	say_buffer("part", s, part, 8192);
	SAY("part", clEnqueueFillBuffer(s->queue, part, pattern, sizeof(pattern), 64, 1024, 0, NULL, NULL));
	say_buffer("parent", s, parent, SIZE);
	SAY("over the part's end", clEnqueueReadBuffer(s->queue, part, CL_TRUE, 8192 - 8, 16, data, 0, NULL, NULL));
	SAY("part to parent", clEnqueueCopyBuffer(s->queue, part, parent, 0, 32768, 8192, 0, NULL, NULL));
	SAY("part to its own place", clEnqueueCopyBuffer(s->queue, part, parent, 0, 4096, 8192, 0, NULL, NULL));
	say_buffer("parent", s, parent, SIZE);
}

static void kernels(const struct setup *s, cl_mem parent, cl_mem part)
{
	cl_kernel kernel = kernel_of(s, "kernel void k(global uint *a, global uint *b) {"
					"  size_t i = get_global_id(0); a[i] = b[i] * 7 + i; }", "k");
	cl_buffer_region region = { 16384, 8192 };
	cl_mem second = NEED(clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error));
	size_t global = 2048;

	SAY("part", clSetKernelArg(kernel, 0, sizeof(part), &part));
	SAY("second", clSetKernelArg(kernel, 1, sizeof(second), &second));
	SAY("of two parts", clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
	say_buffer("parent", s, parent, SIZE);
	SAY("second", clReleaseMemObject(second));
	SAY("kernel", clReleaseKernel(kernel));
}

int main(void)
{
	struct setup s = set_up();
	cl_mem parent = buffer_of(&s, SIZE, 8), part;

	wrong(&s, parent);
	part = part_of("a part", parent, CL_MEM_READ_WRITE, 4096, 8192);
	information(part, parent);
	bytes(&s, parent, part);
	kernels(&s, parent, part);
	SAY("parent before its part", clReleaseMemObject(parent));
	say_buffer("part", &s, part, 8192);
	SAY("part", clReleaseMemObject(part));
	part = NEED(clCreateBuffer(s.context, CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, 4096, NULL, &error));
	information(parent = part_of("flags of its parent", part, 0, 0, 64), part);
	SAY("part", clReleaseMemObject(parent));
	SAY("parent", clReleaseMemObject(part));
	tear_down(&s);
	return 0;
}
