/* Rectangles of buffers: reads, writes and copies with every pitch, and the ones that do not fit. */
#include "check.h"

#define SIZE (64 * 64 * 4)

struct box {
	const char *name;
	size_t buffer[3], host[3], region[3];
	size_t buffer_row, buffer_slice, host_row, host_slice;
};

static const struct box boxes[] = {
	{ "whole rows", { 0, 0, 0 }, { 0, 0, 0 }, { 64, 64, 4 }, 64, 4096, 64, 4096 },
	{ "no pitches", { 0, 0, 0 }, { 0, 0, 0 }, { 32, 8, 2 }, 0, 0, 0, 0 },
	{ "inside", { 8, 3, 1 }, { 4, 2, 0 }, { 16, 5, 2 }, 64, 4096, 32, 1024 },
	{ "one row", { 5, 7, 2 }, { 1, 1, 1 }, { 50, 1, 1 }, 64, 4096, 64, 4096 },
	{ "one column", { 5, 7, 2 }, { 1, 1, 1 }, { 1, 50, 1 }, 64, 4096, 64, 4096 },
	{ "no rows", { 0, 0, 0 }, { 0, 0, 0 }, { 16, 0, 1 }, 64, 4096, 64, 4096 },
	{ "no bytes", { 0, 0, 0 }, { 0, 0, 0 }, { 0, 1, 1 }, 64, 4096, 64, 4096 },
	{ "no slices", { 0, 0, 0 }, { 0, 0, 0 }, { 16, 1, 0 }, 64, 4096, 64, 4096 },
	{ "row pitch less than a row", { 0, 0, 0 }, { 0, 0, 0 }, { 16, 2, 1 }, 8, 4096, 64, 4096 },
	{ "host row pitch less than a row", { 0, 0, 0 }, { 0, 0, 0 }, { 16, 2, 1 }, 64, 4096, 8, 4096 },
	{ "slice pitch less than a slice", { 0, 0, 0 }, { 0, 0, 0 }, { 16, 8, 2 }, 64, 256, 64, 4096 },
	{ "host slice pitch less than a slice", { 0, 0, 0 }, { 0, 0, 0 }, { 16, 8, 2 }, 64, 4096, 64, 256 },
	{ "slice pitch that is no multiple", { 0, 0, 0 }, { 0, 0, 0 }, { 16, 8, 2 }, 64, 1000, 64, 4096 },
	{ "over the end", { 0, 0, 3 }, { 0, 0, 0 }, { 64, 64, 2 }, 64, 4096, 64, 4096 },
	{ "beyond the end", { 0, 0, 5 }, { 0, 0, 0 }, { 16, 1, 1 }, 64, 4096, 64, 4096 },
	{ "a row over the end of the last", { 60, 63, 3 }, { 0, 0, 0 }, { 16, 1, 1 }, 64, 4096, 64, 4096 },
};

static void transfers(const struct setup *s)
{
	static char bytes[2 * SIZE];
	cl_mem buffer = buffer_of(s, SIZE, 1);

	for (size_t i = 0; i < COUNT(boxes); i++) {
		const struct box *b = &boxes[i];

		memset(bytes, 0, sizeof(bytes));
		SAY(b->name, clEnqueueReadBufferRect(s->queue, buffer, CL_TRUE, b->buffer, b->host, b->region, b->buffer_row,
						     b->buffer_slice, b->host_row, b->host_slice, bytes, 0, NULL, NULL));
		say_checksum("read", bytes, sizeof(bytes));
		fill_bytes(bytes, sizeof(bytes), (uint32_t)i);
		SAY(b->name, clEnqueueWriteBufferRect(s->queue, buffer, CL_TRUE, b->buffer, b->host, b->region, b->buffer_row,
						      b->buffer_slice, b->host_row, b->host_slice, bytes, 0, NULL, NULL));
		say_buffer("written", s, buffer, SIZE);
	}
	SAY("buffer", clReleaseMemObject(buffer));
}

static void not_blocking(const struct setup *s)
{
	const struct box *b = &boxes[2];
	cl_mem buffer = buffer_of(s, SIZE, 2);
	char bytes[4096];
	cl_event written, read;

	fill_bytes(bytes, sizeof(bytes), 5);
	SAY("not blocking", clEnqueueWriteBufferRect(s->queue, buffer, CL_FALSE, b->buffer, b->host, b->region, b->buffer_row,
						     b->buffer_slice, b->host_row, b->host_slice, bytes, 0, NULL, &written));
	SAY("it", clWaitForEvents(1, &written));
	memset(bytes, 0, sizeof(bytes));
	SAY("not blocking", clEnqueueReadBufferRect(s->queue, buffer, CL_FALSE, b->buffer, b->host, b->region, b->buffer_row,
						    b->buffer_slice, b->host_row, b->host_slice, bytes, 1, &written, &read));
	SAY("both", clWaitForEvents(1, &read));
	say_checksum("read", bytes, sizeof(bytes));
	SAY("written", clReleaseEvent(written));
	SAY("read", clReleaseEvent(read));
	SAY("buffer", clReleaseMemObject(buffer));
}

static void wrong(const struct setup *s)
{
	const struct box *b = &boxes[2];
	cl_mem buffer = buffer_of(s, SIZE, 2);
	char bytes[4096];

	SAY("no queue", clEnqueueReadBufferRect(NULL, buffer, CL_TRUE, b->buffer, b->host, b->region, 0, 0, 0, 0, bytes, 0, NULL, NULL));
	SAY("no buffer", clEnqueueReadBufferRect(s->queue, NULL, CL_TRUE, b->buffer, b->host, b->region, 0, 0, 0, 0, bytes, 0, NULL, NULL));
	SAY("no pointer", clEnqueueReadBufferRect(s->queue, buffer, CL_TRUE, b->buffer, b->host, b->region, 0, 0, 0, 0, NULL, 0, NULL, NULL));
	SAY("no buffer origin", clEnqueueReadBufferRect(s->queue, buffer, CL_TRUE, NULL, b->host, b->region, 0, 0, 0, 0, bytes, 0, NULL, NULL));
	SAY("no host origin", clEnqueueReadBufferRect(s->queue, buffer, CL_TRUE, b->buffer, NULL, b->region, 0, 0, 0, 0, bytes, 0, NULL, NULL));
	SAY("no region", clEnqueueReadBufferRect(s->queue, buffer, CL_TRUE, b->buffer, b->host, NULL, 0, 0, 0, 0, bytes, 0, NULL, NULL));
	SAY("no queue", clEnqueueWriteBufferRect(NULL, buffer, CL_TRUE, b->buffer, b->host, b->region, 0, 0, 0, 0, bytes, 0, NULL, NULL));
	SAY("no pointer", clEnqueueWriteBufferRect(s->queue, buffer, CL_TRUE, b->buffer, b->host, b->region, 0, 0, 0, 0, NULL, 0, NULL, NULL));
	SAY("no buffer", clEnqueueWriteBufferRect(s->queue, NULL, CL_TRUE, b->buffer, b->host, b->region, 0, 0, 0, 0, bytes, 0, NULL, NULL));
	SAY("buffer", clReleaseMemObject(buffer));
}

static void copies(const struct setup *s)
{
	cl_mem from = buffer_of(s, SIZE, 1), to = buffer_of(s, SIZE, 2);

	for (size_t i = 0; i < COUNT(boxes); i++) {
		const struct box *b = &boxes[i];

		SAY(b->name, clEnqueueCopyBufferRect(s->queue, from, to, b->buffer, b->host, b->region, b->buffer_row,
						     b->buffer_slice, b->host_row, b->host_slice, 0, NULL, NULL));
		say_buffer("target", s, to, SIZE);
	}
	SAY("no queue", clEnqueueCopyBufferRect(NULL, from, to, boxes[0].buffer, boxes[0].host, boxes[0].region, 64, 4096, 64, 4096, 0, NULL, NULL));
	SAY("overlap", clEnqueueCopyBufferRect(s->queue, from, from, boxes[2].buffer, (size_t[]){ 10, 4, 1 }, boxes[2].region, 64, 4096, 64, 4096, 0, NULL, NULL));
	SAY("same buffer, apart", clEnqueueCopyBufferRect(s->queue, from, from, boxes[2].buffer, (size_t[]){ 40, 4, 1 }, boxes[2].region, 64, 4096, 64, 4096, 0, NULL, NULL));
	say_buffer("source", s, from, SIZE);
	SAY("from", clReleaseMemObject(from));
	SAY("to", clReleaseMemObject(to));
}

int main(void)
{
	struct setup s = set_up();

	transfers(&s);
	not_blocking(&s);
	wrong(&s);
	copies(&s);
	tear_down(&s);
	return 0;
}
