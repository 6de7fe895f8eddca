/* Buffers: how they are made, read, written, what they say of themselves. */
#include "check.h"

#define SIZE 4096

static void wrong_ways(const struct setup *s)
{
	static const struct {
		cl_mem_flags flags;
		const char *name;
	} flags[] = {
		{ CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, "read-only and write-only" },
		{ CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, "read-write and read-only" },
		{ CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY, "read-write and write-only" },
		{ CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, "host read-only and write-only" },
		{ CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS, "host read-only and none" },
		{ CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS, "host write-only and none" },
		{ CL_MEM_USE_HOST_PTR, "USE_HOST_PTR of NULL" },
		{ CL_MEM_COPY_HOST_PTR, "COPY_HOST_PTR of NULL" },
		{ (cl_mem_flags)1 << 40, "unknown" },
	};
	char bytes[16];

	for (size_t i = 0; i < COUNT(flags); i++)
		MAKE(flags[i].name, clCreateBuffer(s->context, flags[i].flags, SIZE, NULL, &error));
	MAKE("USE and ALLOC_HOST_PTR",
	     clCreateBuffer(s->context, CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 16, bytes, &error));
	MAKE("USE and COPY_HOST_PTR",
	     clCreateBuffer(s->context, CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 16, bytes, &error));
	MAKE("a pointer for no flag", clCreateBuffer(s->context, CL_MEM_READ_WRITE, 16, bytes, &error));
	MAKE("size 0", clCreateBuffer(s->context, 0, 0, NULL, &error));
	MAKE("size beyond the device's", clCreateBuffer(s->context, 0, (size_t)1 << 62, NULL, &error));
	MAKE("size of all ones", clCreateBuffer(s->context, 0, SIZE_MAX, NULL, &error));
	MAKE("no context", clCreateBuffer(NULL, 0, SIZE, NULL, &error));
}

static void wrong_properties(const struct setup *s)
{
	const cl_mem_properties unknown[] = { 0x7777, 1, 0 };
	const cl_mem_properties empty[] = { 0 };
	cl_mem buffer;

	MAKE("no context", clCreateBufferWithProperties(NULL, NULL, 0, SIZE, NULL, &error));
	MAKE("unknown", clCreateBufferWithProperties(s->context, unknown, 0, SIZE, NULL, &error));
	MAKE("size 0", clCreateBufferWithProperties(s->context, NULL, 0, 0, NULL, &error));
	buffer = MAKE("none", clCreateBufferWithProperties(s->context, NULL, 0, SIZE, NULL, &error));
	SAY("none", clReleaseMemObject(buffer));
	buffer = MAKE("empty", clCreateBufferWithProperties(s->context, empty, 0, SIZE, NULL, &error));
	SAY("empty", clReleaseMemObject(buffer));
}

static void information(const struct setup *s, cl_mem buffer)
{
	cl_mem_object_type type = 0;
	cl_mem_flags flags = 0;
	cl_mem parent = buffer;
	cl_context context = NULL;
	cl_bool svm = 77;
	cl_uint number = 77;
	size_t size = 77, given = 77;
	void *pointer = &size;

	SAY("type", clGetMemObjectInfo(buffer, CL_MEM_TYPE, sizeof(type), &type, &size));
	say_number("type", type);
	SAY("flags", clGetMemObjectInfo(buffer, CL_MEM_FLAGS, sizeof(flags), &flags, NULL));
	say_number("flags", (long long)flags);
	SAY("size", clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof(given), &given, NULL));
	say_number("size", (long long)given);
	SAY("pointer", clGetMemObjectInfo(buffer, CL_MEM_HOST_PTR, sizeof(pointer), &pointer, NULL));
	say_true("a pointer", pointer != NULL);
	SAY("maps", clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, sizeof(number), &number, NULL));
	say_number("maps", number);
	SAY("references", clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof(number), &number, NULL));
	say_number("references", number);
	SAY("context", clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof(context), &context, NULL));
	say_true("its context", context == s->context);
	SAY("parent", clGetMemObjectInfo(buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof(parent), &parent, NULL));
	say_true("no parent", parent == NULL);
	SAY("offset", clGetMemObjectInfo(buffer, CL_MEM_OFFSET, sizeof(given), &given, NULL));
	say_number("offset", (long long)given);
	SAY("of SVM", clGetMemObjectInfo(buffer, CL_MEM_USES_SVM_POINTER, sizeof(svm), &svm, NULL));
	say_number("of SVM", svm);
	SAY("properties", clGetMemObjectInfo(buffer, CL_MEM_PROPERTIES, 0, NULL, &size));
	say_number("size of the properties", (long long)size);
	SAY("unknown", clGetMemObjectInfo(buffer, 0x7777, sizeof(number), &number, NULL));
	SAY("one byte too few", clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof(given) - 1, &given, NULL));
	SAY("of an image", clGetImageInfo(buffer, CL_IMAGE_WIDTH, sizeof(given), &given, NULL));
}

static void ways(const struct setup *s)
{
	static const cl_mem_flags flags[] = {
		0, CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_ALLOC_HOST_PTR,
		CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, CL_MEM_WRITE_ONLY | CL_MEM_HOST_READ_ONLY,
		CL_MEM_HOST_NO_ACCESS, CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR,
		CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR,
	};
	static char bytes[SIZE] __attribute__((aligned(4096)));
	cl_mem buffer;

	fill_bytes(bytes, SIZE, 3);
	for (size_t i = 0; i < COUNT(flags); i++) {
		bool pointer = flags[i] & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR);

		buffer = MAKE("of these flags", clCreateBuffer(s->context, flags[i], SIZE, pointer ? bytes : NULL, &error));
		information(s, buffer);
		if (pointer)
			say_buffer("contents", s, buffer, SIZE);
		SAY("of these flags", clReleaseMemObject(buffer));
	}
	SAY("NULL", clGetMemObjectInfo(NULL, CL_MEM_SIZE, sizeof(buffer), &buffer, NULL));
	SAY("NULL", clRetainMemObject(NULL));
	SAY("NULL", clReleaseMemObject(NULL));
}

/* A read and a write of the same wrong parameters. */
#define BOTH(what, queue, buffer, offset, size, at, waits, list) \
	do { \
		SAY(what, clEnqueueReadBuffer(queue, buffer, CL_TRUE, offset, size, at, waits, list, NULL)); \
		SAY(what, clEnqueueWriteBuffer(queue, buffer, CL_TRUE, offset, size, at, waits, list, NULL)); \
	} while (0)

static void wrong_transfers(const struct setup *s)
{
	cl_mem buffer = buffer_of(s, SIZE, 4);
	static char bytes[2 * SIZE];
	cl_event none = NULL;
	cl_context other = NEED(clCreateContext(NULL, 1, &s->device, NULL, NULL, &error));
	cl_mem foreign = NEED(clCreateBuffer(other, 0, SIZE, NULL, &error));
	cl_event elsewhere = NEED(clCreateUserEvent(other, &error));

	BOTH("no queue", NULL, buffer, 0, SIZE, bytes, 0, NULL);
	BOTH("no buffer", s->queue, NULL, 0, SIZE, bytes, 0, NULL);
	BOTH("no pointer", s->queue, buffer, 0, SIZE, NULL, 0, NULL);
	BOTH("one byte too many", s->queue, buffer, 0, SIZE + 1, bytes, 0, NULL);
	BOTH("beyond the end", s->queue, buffer, SIZE, 1, bytes, 0, NULL);
	BOTH("far beyond the end", s->queue, buffer, (size_t)1 << 62, 1, bytes, 0, NULL);
	BOTH("a sum that wraps", s->queue, buffer, SIZE_MAX - 3, 8, bytes, 0, NULL);
	BOTH("size of all ones", s->queue, buffer, 1, SIZE_MAX, bytes, 0, NULL);
	BOTH("size 0", s->queue, buffer, 0, 0, bytes, 0, NULL);
	BOTH("a list without a count", s->queue, buffer, 0, SIZE, bytes, 0, &none);
	BOTH("a count without a list", s->queue, buffer, 0, SIZE, bytes, 1, NULL);
	BOTH("a NULL event", s->queue, buffer, 0, SIZE, bytes, 1, &none);
	BOTH("a buffer of another context", s->queue, foreign, 0, SIZE, bytes, 0, NULL);
	BOTH("an event of another context", s->queue, buffer, 0, SIZE, bytes, 1, &elsewhere);
	say_buffer("contents after all that", s, buffer, SIZE);
	SAY("for those who wait", clSetUserEventStatus(elsewhere, CL_COMPLETE));
	SAY("elsewhere", clReleaseEvent(elsewhere));
	SAY("foreign", clReleaseMemObject(foreign));
	SAY("other", clReleaseContext(other));
	SAY("buffer", clReleaseMemObject(buffer));
}

static void access_of_the_host(const struct setup *s)
{
	cl_mem no_read = NEED(clCreateBuffer(s->context, CL_MEM_HOST_WRITE_ONLY, SIZE, NULL, &error));
	cl_mem no_write = NEED(clCreateBuffer(s->context, CL_MEM_HOST_READ_ONLY, SIZE, NULL, &error));
	cl_mem none = NEED(clCreateBuffer(s->context, CL_MEM_HOST_NO_ACCESS, SIZE, NULL, &error));
	char bytes[16] = { 0 };

	BOTH("write-only", s->queue, no_read, 0, 16, bytes, 0, NULL);
	BOTH("read-only", s->queue, no_write, 0, 16, bytes, 0, NULL);
	BOTH("no access", s->queue, none, 0, 16, bytes, 0, NULL);
	SAY("write-only", clReleaseMemObject(no_read));
	SAY("read-only", clReleaseMemObject(no_write));
	SAY("no access", clReleaseMemObject(none));
}

static void transfers(const struct setup *s)
{
	static const size_t sizes[] = { 1, 3, 64, 4095, 65536, 1 << 20, (5 << 20) + 3 };
	cl_event event;

	for (size_t i = 0; i < COUNT(sizes); i++) {
		size_t size = sizes[i];
		char *there = malloc(size + 8), *back = calloc(1, size + 8);
		cl_mem buffer = NEED(clCreateBuffer(s->context, 0, size + 8, NULL, &error));

		fill_bytes(there, size + 8, (uint32_t)i);
		SAY("all, blocking", clEnqueueWriteBuffer(s->queue, buffer, CL_TRUE, 0, size + 8, there, 0, NULL, NULL));
		SAY("a part, blocking", clEnqueueReadBuffer(s->queue, buffer, CL_TRUE, 5, size, back, 0, NULL, NULL));
		say_true("the same bytes", memcmp(there + 5, back, size) == 0);
		SAY("a part, not blocking",
		    clEnqueueWriteBuffer(s->queue, buffer, CL_FALSE, 3, size, back, 0, NULL, &event));
		SAY("it", clWaitForEvents(1, &event));
		say_event("state", event);
		SAY("it", clReleaseEvent(event));
		SAY("not blocking", clEnqueueReadBuffer(s->queue, buffer, CL_FALSE, 0, size + 8, there, 0, NULL, NULL));
		SAY("all", clFinish(s->queue));
		say_checksum("contents", there, size + 8);
		SAY("buffer", clReleaseMemObject(buffer));
		free(there);
		free(back);
	}
}

int main(void)
{
	struct setup s = set_up();

	wrong_ways(&s);
	wrong_properties(&s);
	ways(&s);
	wrong_transfers(&s);
	access_of_the_host(&s);
	transfers(&s);
	tear_down(&s);
	return 0;
}
