/* Maps of buffers: blocking and not, several at a time, of sub-buffers, of every kind of memory. */
#include "check.h"

#include <sched.h>

#define SIZE 16384
#define PATIENCE 100000

static void wrong(const struct setup *s)
{
	cl_mem buffer = buffer_of(s, SIZE, 1), hidden = NEED(clCreateBuffer(s->context, CL_MEM_HOST_NO_ACCESS, SIZE, NULL, &error));
	cl_mem unread = NEED(clCreateBuffer(s->context, CL_MEM_HOST_WRITE_ONLY, SIZE, NULL, &error));
	cl_mem unwritten = NEED(clCreateBuffer(s->context, CL_MEM_HOST_READ_ONLY, SIZE, NULL, &error));
	cl_event null = NULL;
	int here;

	MAKE("no queue", clEnqueueMapBuffer(NULL, buffer, CL_TRUE, CL_MAP_READ, 0, SIZE, 0, NULL, NULL, &error));
	MAKE("no buffer", clEnqueueMapBuffer(s->queue, NULL, CL_TRUE, CL_MAP_READ, 0, SIZE, 0, NULL, NULL, &error));
	MAKE("size 0", clEnqueueMapBuffer(s->queue, buffer, CL_TRUE, CL_MAP_READ, 0, 0, 0, NULL, NULL, &error));
	MAKE("over the end", clEnqueueMapBuffer(s->queue, buffer, CL_TRUE, CL_MAP_READ, 1, SIZE, 0, NULL, NULL, &error));
	MAKE("beyond the end", clEnqueueMapBuffer(s->queue, buffer, CL_TRUE, CL_MAP_READ, SIZE, 1, 0, NULL, NULL, &error));
	MAKE("a sum that wraps", clEnqueueMapBuffer(s->queue, buffer, CL_TRUE, CL_MAP_READ, SIZE_MAX - 1, 4, 0, NULL, NULL, &error));
	MAKE("unknown flag", clEnqueueMapBuffer(s->queue, buffer, CL_TRUE, 1 << 20, 0, SIZE, 0, NULL, NULL, &error));
	MAKE("read and invalidate", clEnqueueMapBuffer(s->queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, SIZE, 0,
						       NULL, NULL, &error));
	MAKE("a NULL event", clEnqueueMapBuffer(s->queue, buffer, CL_TRUE, CL_MAP_READ, 0, SIZE, 1, &null, NULL, &error));
	MAKE("no access", clEnqueueMapBuffer(s->queue, hidden, CL_TRUE, CL_MAP_READ, 0, SIZE, 0, NULL, NULL, &error));
	MAKE("read of write-only", clEnqueueMapBuffer(s->queue, unread, CL_TRUE, CL_MAP_READ, 0, SIZE, 0, NULL, NULL, &error));
	MAKE("write of read-only", clEnqueueMapBuffer(s->queue, unwritten, CL_TRUE, CL_MAP_WRITE, 0, SIZE, 0, NULL, NULL, &error));
	SAY("never mapped", clEnqueueUnmapMemObject(s->queue, buffer, &here, 0, NULL, NULL));
	SAY("NULL", clEnqueueUnmapMemObject(s->queue, buffer, NULL, 0, NULL, NULL));
	SAY("no queue", clEnqueueUnmapMemObject(NULL, buffer, &here, 0, NULL, NULL));
	SAY("no buffer", clEnqueueUnmapMemObject(s->queue, NULL, &here, 0, NULL, NULL));
	SAY("buffer", clReleaseMemObject(buffer));
	SAY("hidden", clReleaseMemObject(hidden));
	SAY("unread", clReleaseMemObject(unread));
	SAY("unwritten", clReleaseMemObject(unwritten));
}

/* A library may count an unmap soon after its command is done. */
static void say_maps(cl_mem buffer, cl_uint expected)
{
	cl_uint number = 77;
	int i;

	SAY("maps", clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, sizeof(number), &number, NULL));
	for (i = 0; i < PATIENCE && number != expected; i++) {
		sched_yield();
		clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, sizeof(number), &number, NULL);
	}
	say_number("maps", number);
}

static void one(const struct setup *s, cl_mem buffer)
{
	cl_event mapped, unmapped;
	char *at = MAKE("to read", clEnqueueMapBuffer(s->queue, buffer, CL_TRUE, CL_MAP_READ, 0, SIZE, 0, NULL, NULL, &error));

	say_checksum("mapped", at, SIZE);
	say_maps(buffer, 1);
	SAY("read", clEnqueueUnmapMemObject(s->queue, buffer, at, 0, NULL, NULL));
	SAY("queue", clFinish(s->queue));
	say_maps(buffer, 0);
	at = MAKE("a part to write", clEnqueueMapBuffer(s->queue, buffer, CL_TRUE, CL_MAP_WRITE, 100, 200, 0, NULL, NULL, &error));
	say_checksum("what was there", at, 200);
	memset(at, 0x11, 100);
	SAY("a part", clEnqueueUnmapMemObject(s->queue, buffer, at, 0, NULL, &unmapped));
	SAY("a part", clWaitForEvents(1, &unmapped));
	SAY("a part", clReleaseEvent(unmapped));
	say_buffer("half of a part written", s, buffer, SIZE);
	at = MAKE("anew", clEnqueueMapBuffer(s->queue, buffer, CL_FALSE, CL_MAP_WRITE_INVALIDATE_REGION, 4096, 4096, 0, NULL, &mapped, &error));
	SAY("anew", clWaitForEvents(1, &mapped));
	fill_bytes(at, 4096, 33);
	SAY("anew", clEnqueueUnmapMemObject(s->queue, buffer, at, 1, &mapped, NULL));
	SAY("anew", clReleaseEvent(mapped));
	say_buffer("written anew", s, buffer, SIZE);
}

static void several(const struct setup *s, cl_mem buffer)
{
	char *first = MAKE("first", clEnqueueMapBuffer(s->queue, buffer, CL_TRUE, CL_MAP_READ, 0, SIZE, 0, NULL, NULL, &error));
	char *second = MAKE("second", clEnqueueMapBuffer(s->queue, buffer, CL_TRUE, CL_MAP_READ, 4096, 4096, 0, NULL, NULL, &error));
	char *third = MAKE("the same", clEnqueueMapBuffer(s->queue, buffer, CL_TRUE, CL_MAP_READ, 0, SIZE, 0, NULL, NULL, &error));

	say_maps(buffer, 3);
	say_true("the same bytes", memcmp(first + 4096, second, 4096) == 0 && memcmp(first, third, SIZE) == 0);
	SAY("first", clEnqueueUnmapMemObject(s->queue, buffer, first, 0, NULL, NULL));
	SAY("queue", clFinish(s->queue));
	say_maps(buffer, 2);
	say_checksum("second still there", second, 4096);
	SAY("second", clEnqueueUnmapMemObject(s->queue, buffer, second, 0, NULL, NULL));
	SAY("the same", clEnqueueUnmapMemObject(s->queue, buffer, third, 0, NULL, NULL));
	SAY("queue", clFinish(s->queue));
	say_maps(buffer, 0);
	SAY("once too often", clEnqueueUnmapMemObject(s->queue, buffer, third, 0, NULL, NULL));
	first = MAKE("left half", clEnqueueMapBuffer(s->queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, SIZE / 2, 0, NULL, NULL, &error));
	second = MAKE("right half", clEnqueueMapBuffer(s->queue, buffer, CL_TRUE, CL_MAP_WRITE, SIZE / 2, SIZE / 2, 0, NULL, NULL, &error));
	fill_bytes(first, SIZE / 2, 71);
	fill_bytes(second, SIZE / 2, 72);
	SAY("right half", clEnqueueUnmapMemObject(s->queue, buffer, second, 0, NULL, NULL));
	SAY("left half", clEnqueueUnmapMemObject(s->queue, buffer, first, 0, NULL, NULL));
	say_buffer("both halves", s, buffer, SIZE);
}

static void of_a_part(const struct setup *s, cl_mem buffer)
{
	cl_buffer_region region = { 4096, 4096 };
	cl_mem part = NEED(clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error));
	char *at = MAKE("a sub-buffer", clEnqueueMapBuffer(s->queue, part, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 64, 1000, 0, NULL, NULL, &error));

	say_checksum("mapped", at, 1000);
	for (int i = 0; i < 1000; i++)
		at[i] ^= 0x55;
	SAY("a sub-buffer", clEnqueueUnmapMemObject(s->queue, part, at, 0, NULL, NULL));
	say_buffer("parent", s, buffer, SIZE);
	SAY("part", clReleaseMemObject(part));
}

static void with_kernels(const struct setup *s, cl_mem buffer)
{
	cl_kernel kernel = kernel_of(s, "kernel void k(global uint *a) { a[get_global_id(0)] *= 3; }", "k");
	size_t global = SIZE / 4;
	cl_uint *at;

	SAY("buffer", clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	for (int i = 0; i < 20; i++) {
		at = MAKE("between launches", clEnqueueMapBuffer(s->queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, SIZE, 0, NULL, NULL, &error));
		at[i] += (cl_uint)i;
		SAY("between launches", clEnqueueUnmapMemObject(s->queue, buffer, at, 0, NULL, NULL));
		SAY("launch", clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
	}
	say_buffer("after launches", s, buffer, SIZE);
	SAY("kernel", clReleaseKernel(kernel));
}

static void gated(const struct setup *s, cl_mem buffer)
{
	cl_event gate = MAKE("gate", clCreateUserEvent(s->context, &error)), mapped;
	char *at = MAKE("behind the gate", clEnqueueMapBuffer(s->queue, buffer, CL_FALSE, CL_MAP_READ, 0, SIZE, 1, &gate, &mapped, &error));

	SAY("gate", clSetUserEventStatus(gate, CL_COMPLETE));
	SAY("map", clWaitForEvents(1, &mapped));
	say_checksum("mapped", at, SIZE);
	SAY("map", clEnqueueUnmapMemObject(s->queue, buffer, at, 0, NULL, NULL));
	SAY("gate", clReleaseEvent(gate));
	SAY("map", clReleaseEvent(mapped));
	SAY("queue", clFinish(s->queue));
}

/* A map for reading of all, of which another writes a part: the rest is there, and the part is not read over. */
static void around(const struct setup *s, cl_mem buffer)
{
	const char seven = 7;
	char *part, *all;

	SAY("all", clEnqueueFillBuffer(s->queue, buffer, &seven, 1, 0, SIZE, 0, NULL, NULL));
	part = MAKE("part", clEnqueueMapBuffer(s->queue, buffer, CL_TRUE, CL_MAP_WRITE, 4096, 64, 0, NULL, NULL, &error));
	memset(part, 5, 64);
	all = MAKE("all", clEnqueueMapBuffer(s->queue, buffer, CL_TRUE, CL_MAP_READ, 0, SIZE, 0, NULL, NULL, &error));
	say_checksum("before the part", all, 4096);
	say_checksum("after the part", all + 4096 + 64, SIZE - 4096 - 64);
	SAY("part", clEnqueueUnmapMemObject(s->queue, buffer, part, 0, NULL, NULL));
	SAY("all", clEnqueueUnmapMemObject(s->queue, buffer, all, 0, NULL, NULL));
	say_buffer("with the part", s, buffer, SIZE);
}

/* A map that nobody waits for, and so nobody writes to, leaves what the command before it made. */
static void unwaited(const struct setup *s, cl_mem buffer)
{
	const char eight = 8;
	char *at;

	SAY("all", clEnqueueFillBuffer(s->queue, buffer, &eight, 1, 0, SIZE, 0, NULL, NULL));
	at = MAKE("all", clEnqueueMapBuffer(s->queue, buffer, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 0, SIZE, 0, NULL, NULL, &error));
	SAY("all", clEnqueueUnmapMemObject(s->queue, buffer, at, 0, NULL, NULL));
	say_buffer("as it was", s, buffer, SIZE);
	at = MAKE("all", clEnqueueMapBuffer(s->queue, buffer, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE, 0, SIZE, 0, NULL, NULL, &error));
	SAY("queue", clFinish(s->queue));
	at[9] = 1;
	SAY("all", clEnqueueUnmapMemObject(s->queue, buffer, at, 0, NULL, NULL));
	say_buffer("written after a wait", s, buffer, SIZE);
}

/* A map for writing within one for reading: its unmap waits for a gate when the other's is done, and other work comes. */
static void two_queues(const struct setup *s)
{
	cl_command_queue queue = NEED(clCreateCommandQueue(s->context, s->device, 0, &error));
	cl_mem buffer = buffer_of(s, SIZE, 1), other = buffer_of(s, SIZE, 2);
	cl_event gate = MAKE("gate", clCreateUserEvent(s->context, &error)), written;
	static char bytes[SIZE];
	char *all = MAKE("all", clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, SIZE, 0, NULL, NULL, &error));
	char *part = MAKE("part", clEnqueueMapBuffer(s->queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, 64, 0, NULL, NULL, &error));

	memset(part, 5, 64);
	SAY("part", clEnqueueUnmapMemObject(s->queue, buffer, part, 1, &gate, &written));
	SAY("all", clEnqueueUnmapMemObject(queue, buffer, all, 0, NULL, NULL));
	SAY("queue", clFinish(queue));
	memset(bytes, 9, SIZE);
	for (int i = 0; i < 8; i++)
		MUST(clEnqueueWriteBuffer(queue, other, CL_TRUE, 0, SIZE, bytes, 0, NULL, NULL));
	SAY("gate", clSetUserEventStatus(gate, CL_COMPLETE));
	SAY("part", clWaitForEvents(1, &written));
	say_buffer("what was written", s, buffer, SIZE);
	SAY("written", clReleaseEvent(written));
	SAY("gate", clReleaseEvent(gate));
	SAY("other", clReleaseMemObject(other));
	SAY("buffer", clReleaseMemObject(buffer));
	SAY("queue", clReleaseCommandQueue(queue));
}

int main(void)
{
	static const cl_mem_flags kinds[] = { 0, CL_MEM_ALLOC_HOST_PTR, CL_MEM_USE_HOST_PTR };
	static char memory[SIZE] __attribute__((aligned(4096)));
	struct setup s = set_up();

	wrong(&s);
	two_queues(&s);
	for (size_t i = 0; i < COUNT(kinds); i++) {
		cl_mem_flags flags = kinds[i] | (kinds[i] & CL_MEM_USE_HOST_PTR ? 0 : CL_MEM_COPY_HOST_PTR);
		cl_mem buffer;

		fill_bytes(memory, SIZE, (uint32_t)i);
		buffer = MAKE("of a kind", clCreateBuffer(s.context, flags, SIZE, memory, &error));
		one(&s, buffer);
		several(&s, buffer);
		of_a_part(&s, buffer);
		around(&s, buffer);
		unwaited(&s, buffer);
		with_kernels(&s, buffer);
		gated(&s, buffer);
		SAY("of a kind", clReleaseMemObject(buffer));
	}
	tear_down(&s);
	return 0;
}
