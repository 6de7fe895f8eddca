/* Reads and writes of many bytes, which pass in pieces: sizes, places, orders, what they wait for, other queues, threads. */
#include "check.h"
#include <pthread.h>

#define MOST (5u << 20)

static const char text[] =
	"kernel void more(global uchar *bytes, uint count)\n"
	"{ for (size_t i = get_global_id(0); i < count; i += get_global_size(0)) bytes[i] += 3; }\n"
	"kernel void copied(global const uchar *from, global uchar *to, uint count)\n"
	"{ for (size_t i = get_global_id(0); i < count; i += get_global_size(0)) to[i] = from[i]; }";

static const size_t sizes[] = { 65536, 262144, 262145, 393216, 1 << 20, (1 << 20) + 3, (2 << 20) + 1, MOST - 20000 };
static const size_t offsets[] = { 0, 1, 4096, 12345 };

struct work {
	struct setup s;
	cl_kernel more, copied;
	unsigned char *bytes, *back;
};

static void launch(cl_command_queue queue, cl_kernel kernel, cl_uint waits, const cl_event *list, cl_event *event)
{
	const size_t items = 16;

	MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, waits, list, event));
}

static void set_more(const struct work *w, cl_mem mem, cl_uint count)
{
	MUST(clSetKernelArg(w->more, 0, sizeof(mem), &mem));
	MUST(clSetKernelArg(w->more, 1, sizeof(count), &count));
}

static cl_mem empty_buffer(const struct work *w, size_t size)
{
	cl_mem mem = NEED(clCreateBuffer(w->s.context, 0, size, NULL, &error));
	cl_uchar zero = 0;

	MUST(clEnqueueFillBuffer(w->s.queue, mem, &zero, 1, 0, size, 0, NULL, NULL));
	MUST(clFinish(w->s.queue));
	return mem;
}

/* Written, changed by a kernel, read: each waited for or not. */
static void to_and_fro(const struct work *w, cl_command_queue queue, cl_bool write, cl_bool read, const char *what)
{
	cl_mem mem = empty_buffer(w, MOST);

	set_more(w, mem, MOST);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		size_t offset = offsets[i % COUNT(offsets)];

		fill_bytes(w->bytes, sizes[i], (uint32_t)i);
		MUST(clEnqueueWriteBuffer(queue, mem, write, offset, sizes[i], w->bytes, 0, NULL, NULL));
		launch(queue, w->more, 0, NULL, NULL);
		MUST(clEnqueueReadBuffer(queue, mem, read, offset, sizes[i], w->back, 0, NULL, NULL));
		MUST(clFinish(queue));
		say_checksum(what, w->back, sizes[i]);
		say_buffer("all of it", &w->s, mem, MOST);
	}
	MUST(clReleaseMemObject(mem));
}

static void out_of_order(const struct work *w)
{
	cl_command_queue queue =
		NEED(clCreateCommandQueue(w->s.context, w->s.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error));
	cl_mem mem = empty_buffer(w, MOST);
	cl_event written, changed;

	set_more(w, mem, MOST);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		fill_bytes(w->bytes, sizes[i], (uint32_t)i + 20);
		MUST(clEnqueueWriteBuffer(queue, mem, i % 2, 0, sizes[i], w->bytes, 0, NULL, &written));
		launch(queue, w->more, 1, &written, &changed);
		MUST(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizes[i], w->back + i, 1, &changed, NULL));
		say_checksum("out of order", w->back + i, sizes[i]);
		MUST(clReleaseEvent(written));
		MUST(clReleaseEvent(changed));
	}
	MUST(clReleaseMemObject(mem));
	MUST(clReleaseCommandQueue(queue));
}

/* One after the other, with nothing between them. */
static void in_a_row(const struct work *w)
{
	cl_mem one = empty_buffer(w, MOST), other = empty_buffer(w, MOST);

	for (uint32_t i = 0; i < 6; i++) {
		fill_bytes(w->bytes, MOST, i);
		MUST(clEnqueueWriteBuffer(w->s.queue, one, CL_TRUE, 0, MOST / 2, w->bytes, 0, NULL, NULL));
		MUST(clEnqueueWriteBuffer(w->s.queue, other, CL_TRUE, 7 * i, MOST / 3, w->bytes + 5, 0, NULL, NULL));
		MUST(clEnqueueReadBuffer(w->s.queue, one, CL_TRUE, 100 * i, MOST / 2, w->back, 0, NULL, NULL));
		say_checksum("one", w->back, MOST / 2);
		MUST(clEnqueueReadBuffer(w->s.queue, other, CL_TRUE, 0, MOST, w->back, 0, NULL, NULL));
		say_checksum("the other", w->back, MOST);
	}
	MUST(clReleaseMemObject(one));
	MUST(clReleaseMemObject(other));
}

/* What one queue was written by, kernels, copies and maps of others see at once. */
static void seen_elsewhere(const struct work *w)
{
	cl_command_queue other = NEED(clCreateCommandQueue(w->s.context, w->s.device, 0, &error));
	cl_mem from = empty_buffer(w, MOST), to = empty_buffer(w, MOST);
	cl_uint count = MOST;

	MUST(clSetKernelArg(w->copied, 0, sizeof(from), &from));
	MUST(clSetKernelArg(w->copied, 1, sizeof(to), &to));
	MUST(clSetKernelArg(w->copied, 2, sizeof(count), &count));
	for (uint32_t i = 0; i < 4; i++) {
		fill_bytes(w->bytes, MOST, 40 + i);
		MUST(clEnqueueWriteBuffer(w->s.queue, from, CL_TRUE, 0, MOST, w->bytes, 0, NULL, NULL));
		launch(other, w->copied, 0, NULL, NULL);
		MUST(clEnqueueReadBuffer(other, to, CL_TRUE, 0, MOST, w->back, 0, NULL, NULL));
		say_true("a kernel of another queue", memcmp(w->bytes, w->back, MOST) == 0);
		fill_bytes(w->bytes, MOST, 50 + i);
		MUST(clEnqueueWriteBuffer(w->s.queue, from, CL_TRUE, 0, MOST, w->bytes, 0, NULL, NULL));
		MUST(clEnqueueCopyBuffer(other, from, to, 0, 0, MOST, 0, NULL, NULL));
		MUST(clEnqueueReadBuffer(other, to, CL_TRUE, 0, MOST, w->back, 0, NULL, NULL));
		say_true("a copy of another queue", memcmp(w->bytes, w->back, MOST) == 0);
		unsigned char *at = NEED(clEnqueueMapBuffer(other, from, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, MOST, 0, NULL,
							    NULL, &error));
		say_true("a map", memcmp(w->bytes, at, MOST) == 0);
		fill_bytes(at, MOST, 60 + i);
		MUST(clEnqueueUnmapMemObject(other, from, at, 0, NULL, NULL));
		MUST(clFinish(other));
		MUST(clEnqueueReadBuffer(w->s.queue, from, CL_TRUE, 0, MOST, w->back, 0, NULL, NULL));
		say_checksum("what was mapped", w->back, MOST);
	}
	MUST(clReleaseMemObject(from));
	MUST(clReleaseMemObject(to));
	MUST(clReleaseCommandQueue(other));
}

static void with_events(const struct work *w, cl_bool blocking)
{
	cl_command_queue other = NEED(clCreateCommandQueue(w->s.context, w->s.device, 0, &error));
	cl_mem mem = empty_buffer(w, MOST);
	cl_event written, changed, read;
	cl_command_type type;

	set_more(w, mem, MOST);
	fill_bytes(w->bytes, MOST, 70);
	MUST(clEnqueueWriteBuffer(w->s.queue, mem, blocking, 0, MOST, w->bytes, 0, NULL, &written));
	MUST(clFlush(w->s.queue));
	launch(other, w->more, 1, &written, &changed);
	MUST(clFlush(other));
	MUST(clEnqueueReadBuffer(w->s.queue, mem, blocking, 0, MOST, w->back, 1, &changed, &read));
	MUST(clWaitForEvents(1, &read));
	say_checksum("written, changed, read", w->back, MOST);
	say_event("written", written);
	say_event("read", read);
	MUST(clGetEventInfo(written, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
	say_number("type of a write", type);
	MUST(clGetEventInfo(read, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
	say_number("type of a read", type);
	MUST(clReleaseEvent(written));
	MUST(clReleaseEvent(changed));
	MUST(clReleaseEvent(read));
	MUST(clReleaseMemObject(mem));
	MUST(clReleaseCommandQueue(other));
}

/* A user event that is set while others follow. */
static void behind_a_user_event(const struct work *w)
{
	cl_mem mem = empty_buffer(w, MOST);
	cl_event gate = NEED(clCreateUserEvent(w->s.context, &error));

	set_more(w, mem, MOST);
	fill_bytes(w->bytes, MOST, 80);
	MUST(clEnqueueWriteBuffer(w->s.queue, mem, CL_FALSE, 0, MOST, w->bytes, 1, &gate, NULL));
	launch(w->s.queue, w->more, 0, NULL, NULL);
	MUST(clEnqueueReadBuffer(w->s.queue, mem, CL_FALSE, 0, MOST, w->back, 0, NULL, NULL));
	MUST(clFlush(w->s.queue));
	MUST(clSetUserEventStatus(gate, CL_COMPLETE));
	MUST(clFinish(w->s.queue));
	say_checksum("behind a user event", w->back, MOST);
	MUST(clEnqueueWriteBuffer(w->s.queue, mem, CL_TRUE, 0, MOST, w->back, 1, &gate, NULL));
	say_buffer("written after it", &w->s, mem, MOST);
	MUST(clReleaseEvent(gate));
	MUST(clReleaseMemObject(mem));
}

static void failing(const struct work *w)
{
	cl_mem mem = empty_buffer(w, MOST);
	cl_event gate = NEED(clCreateUserEvent(w->s.context, &error)), event;
	cl_int status = 1;

	fill_bytes(w->bytes, MOST, 90);
	SAY("over the end", clEnqueueWriteBuffer(w->s.queue, mem, CL_TRUE, 1, MOST, w->bytes, 0, NULL, NULL));
	SAY("over the end", clEnqueueReadBuffer(w->s.queue, mem, CL_TRUE, 1, MOST, w->back, 0, NULL, NULL));
	SAY("to nowhere", clEnqueueReadBuffer(w->s.queue, mem, CL_TRUE, 0, MOST, NULL, 0, NULL, NULL));
	MUST(clEnqueueWriteBuffer(w->s.queue, mem, CL_FALSE, 0, MOST, w->bytes, 1, &gate, &event));
	MUST(clSetUserEventStatus(gate, -77));
	SAY("what waits for one that failed", clWaitForEvents(1, &event));
	MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
	say_true("it has failed", status < 0);
	MUST(clReleaseEvent(event));
	MUST(clReleaseEvent(gate));
	clFinish(w->s.queue);
	say_buffer("nothing of it is there", &w->s, mem, MOST);
	MUST(clReleaseMemObject(mem));
}

static void parts_of_a_buffer(const struct work *w)
{
	cl_mem mem = empty_buffer(w, MOST);
	cl_buffer_region region = { 1 << 20, 3 << 20 };
	cl_mem part = NEED(clCreateSubBuffer(mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error));

	fill_bytes(w->bytes, MOST, 100);
	MUST(clEnqueueWriteBuffer(w->s.queue, mem, CL_TRUE, 0, MOST, w->bytes, 0, NULL, NULL));
	MUST(clEnqueueWriteBuffer(w->s.queue, part, CL_TRUE, 77, 2 << 20, w->bytes, 0, NULL, NULL));
	MUST(clEnqueueReadBuffer(w->s.queue, mem, CL_TRUE, 0, MOST, w->back, 0, NULL, NULL));
	say_checksum("with a part", w->back, MOST);
	MUST(clEnqueueReadBuffer(w->s.queue, part, CL_TRUE, 0, 3 << 20, w->back, 0, NULL, NULL));
	say_checksum("the part", w->back, 3 << 20);
	MUST(clReleaseMemObject(part));
	MUST(clReleaseMemObject(mem));
}

static cl_ulong time_of(cl_event event, cl_profiling_info what)
{
	cl_ulong value = 0;

	MUST(clGetEventProfilingInfo(event, what, sizeof(value), &value, NULL));
	return value;
}

/* The times of an event are those of all of its bytes. */
static void timed(const struct work *w)
{
	cl_command_queue queue = NEED(clCreateCommandQueue(w->s.context, w->s.device, CL_QUEUE_PROFILING_ENABLE, &error));
	cl_mem mem = empty_buffer(w, MOST);
	cl_event event;

	for (int read = 0; read < 2; read++) {
		if (read)
			MUST(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, MOST, w->back, 0, NULL, &event));
		else
			MUST(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, MOST, w->bytes, 0, NULL, &event));
		say_true("begins when it was queued", time_of(event, CL_PROFILING_COMMAND_START) >=
						      time_of(event, CL_PROFILING_COMMAND_QUEUED));
		say_true("lasts for all of it", time_of(event, CL_PROFILING_COMMAND_END) -
							time_of(event, CL_PROFILING_COMMAND_START) > MOST / 1000);
		MUST(clReleaseEvent(event));
	}
	MUST(clReleaseMemObject(mem));
	MUST(clReleaseCommandQueue(queue));
}

struct thread {
	const struct work *w;
	pthread_t thread;
	uint32_t number;
	bool right;
};

static void *one_of_many(void *argument)
{
	struct thread *t = argument;
	const struct setup *s = &t->w->s;
	cl_command_queue queue = NEED(clCreateCommandQueue(s->context, s->device, 0, &error));
	cl_mem mem = NEED(clCreateBuffer(s->context, 0, MOST, NULL, &error));
	unsigned char *bytes = malloc(MOST), *back = malloc(MOST);

	t->right = true;
	for (uint32_t i = 0; i < 20; i++) {
		fill_bytes(bytes, MOST / 4, 1000 * t->number + i);
		MUST(clEnqueueWriteBuffer(queue, mem, i % 3 != 0, 64 * i, MOST / 4, bytes, 0, NULL, NULL));
		MUST(clEnqueueReadBuffer(queue, mem, CL_TRUE, 64 * i, MOST / 4, back, 0, NULL, NULL));
		t->right &= memcmp(bytes, back, MOST / 4) == 0;
	}
	MUST(clReleaseMemObject(mem));
	MUST(clReleaseCommandQueue(queue));
	free(bytes);
	free(back);
	return NULL;
}

static void threads(const struct work *w)
{
	struct thread t[4];

	for (uint32_t i = 0; i < COUNT(t); i++) {
		t[i] = (struct thread){ .w = w, .number = i };
		pthread_create(&t[i].thread, NULL, one_of_many, &t[i]);
	}
	for (size_t i = 0; i < COUNT(t); i++) {
		pthread_join(t[i].thread, NULL);
		say_true("a thread among others", t[i].right);
	}
}

int main(void)
{
	struct work w = { .s = set_up(), .bytes = malloc(MOST + 64), .back = calloc(1, MOST + 64) };
	cl_program program = build(&w.s, text, "");

	w.more = NEED(clCreateKernel(program, "more", &error));
	w.copied = NEED(clCreateKernel(program, "copied", &error));
	to_and_fro(&w, w.s.queue, CL_TRUE, CL_TRUE, "waited for");
	to_and_fro(&w, w.s.queue, CL_FALSE, CL_TRUE, "the write not");
	to_and_fro(&w, w.s.queue, CL_TRUE, CL_FALSE, "the read not");
	to_and_fro(&w, w.s.queue, CL_FALSE, CL_FALSE, "neither");
	out_of_order(&w);
	in_a_row(&w);
	seen_elsewhere(&w);
	with_events(&w, CL_TRUE);
	with_events(&w, CL_FALSE);
	behind_a_user_event(&w);
	parts_of_a_buffer(&w);
	timed(&w);
	threads(&w);
	failing(&w);
	MUST(clReleaseKernel(w.more));
	MUST(clReleaseKernel(w.copied));
	MUST(clReleaseProgram(program));
	tear_down(&w.s);
	return 0;
}
