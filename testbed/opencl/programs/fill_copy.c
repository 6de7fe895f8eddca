/* Fills, copies and migrations of buffers. */
#include "check.h"

#define SIZE 8192

static void wrong_fills(const struct setup *s, cl_mem buffer)
{
	char pattern[256] = { 1, 2, 3 };

	SAY("no queue", clEnqueueFillBuffer(NULL, buffer, pattern, 4, 0, 64, 0, NULL, NULL));
	SAY("no buffer", clEnqueueFillBuffer(s->queue, NULL, pattern, 4, 0, 64, 0, NULL, NULL));
	SAY("no pattern", clEnqueueFillBuffer(s->queue, buffer, NULL, 4, 0, 64, 0, NULL, NULL));
	SAY("pattern of 0", clEnqueueFillBuffer(s->queue, buffer, pattern, 0, 0, 64, 0, NULL, NULL));
	SAY("no bytes", clEnqueueFillBuffer(s->queue, buffer, pattern, 4, 64, 0, 0, NULL, NULL));
	SAY("pattern of 3", clEnqueueFillBuffer(s->queue, buffer, pattern, 3, 0, 63, 0, NULL, NULL));
	SAY("pattern of 256", clEnqueueFillBuffer(s->queue, buffer, pattern, 256, 0, 256, 0, NULL, NULL));
	SAY("offset no multiple", clEnqueueFillBuffer(s->queue, buffer, pattern, 4, 2, 64, 0, NULL, NULL));
	SAY("size no multiple", clEnqueueFillBuffer(s->queue, buffer, pattern, 4, 0, 66, 0, NULL, NULL));
	SAY("over the end", clEnqueueFillBuffer(s->queue, buffer, pattern, 4, SIZE - 32, 64, 0, NULL, NULL));
	SAY("beyond the end", clEnqueueFillBuffer(s->queue, buffer, pattern, 4, SIZE, 4, 0, NULL, NULL));
	SAY("a count without a list", clEnqueueFillBuffer(s->queue, buffer, pattern, 4, 0, 64, 1, NULL, NULL));
	say_buffer("contents after all that", s, buffer, SIZE);
}

static void fills(const struct setup *s, cl_mem buffer)
{
	char pattern[128];

	for (size_t size = 1; size <= sizeof(pattern); size *= 2) {
		fill_bytes(pattern, sizeof(pattern), (uint32_t)size);
		SAY("a pattern", clEnqueueFillBuffer(s->queue, buffer, pattern, size, size, SIZE / 2, 0, NULL, NULL));
		say_buffer("filled", s, buffer, SIZE);
	}
}

static void copies(const struct setup *s, cl_mem from, cl_mem to)
{
	cl_event event, none = NULL;

	SAY("no queue", clEnqueueCopyBuffer(NULL, from, to, 0, 0, 64, 0, NULL, NULL));
	SAY("no source", clEnqueueCopyBuffer(s->queue, NULL, to, 0, 0, 64, 0, NULL, NULL));
	SAY("no target", clEnqueueCopyBuffer(s->queue, from, NULL, 0, 0, 64, 0, NULL, NULL));
	SAY("size 0", clEnqueueCopyBuffer(s->queue, from, to, 0, 0, 0, 0, NULL, NULL));
	SAY("over the source's end", clEnqueueCopyBuffer(s->queue, from, to, SIZE - 8, 0, 64, 0, NULL, NULL));
	SAY("over the target's end", clEnqueueCopyBuffer(s->queue, from, to, 0, SIZE - 8, 64, 0, NULL, NULL));
	SAY("beyond the source's end", clEnqueueCopyBuffer(s->queue, from, to, SIZE, 0, 64, 0, NULL, NULL));
	SAY("a sum that wraps", clEnqueueCopyBuffer(s->queue, from, to, SIZE_MAX - 7, 0, 64, 0, NULL, NULL));
	SAY("overlap", clEnqueueCopyBuffer(s->queue, from, from, 0, 32, 64, 0, NULL, NULL));
	SAY("overlap downwards", clEnqueueCopyBuffer(s->queue, from, from, 32, 0, 64, 0, NULL, NULL));
	SAY("same place", clEnqueueCopyBuffer(s->queue, from, from, 0, 0, 64, 0, NULL, NULL));
	SAY("a NULL event", clEnqueueCopyBuffer(s->queue, from, to, 0, 0, 64, 1, &none, NULL));
	SAY("side by side", clEnqueueCopyBuffer(s->queue, from, from, 0, 64, 64, 0, NULL, NULL));
	SAY("a part", clEnqueueCopyBuffer(s->queue, from, to, 100, 200, 3000, 0, NULL, &event));
	SAY("it", clWaitForEvents(1, &event));
	say_event("state", event);
	SAY("it", clReleaseEvent(event));
	say_buffer("source", s, from, SIZE);
	say_buffer("target", s, to, SIZE);
}

static void migrations(const struct setup *s, cl_mem first, cl_mem second)
{
	cl_mem both[2] = { first, second }, holed[2] = { first, NULL };
	cl_event event;

	SAY("no queue", clEnqueueMigrateMemObjects(NULL, 1, both, 0, 0, NULL, NULL));
	SAY("none", clEnqueueMigrateMemObjects(s->queue, 0, both, 0, 0, NULL, NULL));
	SAY("no list", clEnqueueMigrateMemObjects(s->queue, 1, NULL, 0, 0, NULL, NULL));
	SAY("a NULL buffer", clEnqueueMigrateMemObjects(s->queue, 2, holed, 0, 0, NULL, NULL));
	SAY("unknown flag", clEnqueueMigrateMemObjects(s->queue, 2, both, 1 << 20, 0, NULL, NULL));
	SAY("to the device", clEnqueueMigrateMemObjects(s->queue, 2, both, 0, 0, NULL, NULL));
	SAY("to the host",
	    clEnqueueMigrateMemObjects(s->queue, 2, both, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, &event));
	SAY("it", clWaitForEvents(1, &event));
	SAY("it", clReleaseEvent(event));
	say_buffer("first", s, first, SIZE);
	say_buffer("second", s, second, SIZE);
}

int main(void)
{
	struct setup s = set_up();
	cl_mem first = buffer_of(&s, SIZE, 1), second = buffer_of(&s, SIZE, 2);

	wrong_fills(&s, first);
	fills(&s, first);
	copies(&s, first, second);
	migrations(&s, first, second);
	SAY("first", clReleaseMemObject(first));
	SAY("second", clReleaseMemObject(second));
	tear_down(&s);
	return 0;
}
