/*
 * Commands that fail with an event of the application's while others before them run: those end when they do, for who
 * waits for them, or for all of their queue. And a read that fails writes nothing.
 */
#include "check.h"

#include <pthread.h>
#include <unistd.h>

#define STEPS 100000000u
#define BEGUN_US 100000 /* until the other thread has begun; right without it, too */

static const char *source = "__kernel void count(__global uint *words, uint steps) {"
			    "	uint x = 1;"
			    "	for (uint i = 0; i < steps; i++)"
			    "		x = x * 1664525u + 1013904223u + i;"
			    "	words[0] = x | 1;"
			    "	words[1] = 7;"
			    "}";

struct run {
	struct setup s;
	cl_mem words;
	cl_kernel kernel;
	cl_uint got[2];
	cl_event gate, read, end;
};

static void *finish(void *queue)
{
	SAY("beside the one that fails it", clFinish(queue));
	return NULL;
}

/* A kernel, a read of what it writes, and a marker behind an event. */
static void begin(struct run *r)
{
	static const cl_uint zeros[2];
	const size_t one = 1;

	memset(r->got, 0xff, sizeof(r->got));
	r->gate = NEED(clCreateUserEvent(r->s.context, &error));
	MUST(clEnqueueWriteBuffer(r->s.queue, r->words, CL_TRUE, 0, sizeof(zeros), zeros, 0, NULL, NULL));
	MUST(clEnqueueNDRangeKernel(r->s.queue, r->kernel, 1, NULL, &one, &one, 0, NULL, NULL));
	MUST(clEnqueueReadBuffer(r->s.queue, r->words, CL_FALSE, 0, sizeof(r->got), r->got, 0, NULL, &r->read));
	MUST(clEnqueueMarkerWithWaitList(r->s.queue, 1, &r->gate, &r->end));
	MUST(clFlush(r->s.queue));
}

static void end(struct run *r, const char *what)
{
	say_number(what, r->got[1]);
	MUST(clReleaseEvent(r->gate));
	MUST(clReleaseEvent(r->read));
	MUST(clReleaseEvent(r->end));
}

/* The bytes that it was to have stay as they were. */
static void failed_read(const struct setup *s, cl_mem words)
{
	cl_event gate = NEED(clCreateUserEvent(s->context, &error));
	cl_uint got = 5;

	MUST(clEnqueueReadBuffer(s->queue, words, CL_FALSE, sizeof(got), sizeof(got), &got, 1, &gate, NULL));
	SAY("that fails a read", clSetUserEventStatus(gate, -1));
	MUST(clFinish(s->queue));
	say_number("not read", got);
	MUST(clReleaseEvent(gate));
}

int main(void)
{
	struct run r = { .s = set_up() };
	const cl_uint steps = STEPS;
	pthread_t thread;

	r.words = NEED(clCreateBuffer(r.s.context, 0, sizeof(r.got), NULL, &error));
	r.kernel = kernel_of(&r.s, source, "count");
	MUST(clSetKernelArg(r.kernel, 0, sizeof(r.words), &r.words));
	MUST(clSetKernelArg(r.kernel, 1, sizeof(steps), &steps));

	begin(&r);
	SAY("that fails a marker", clSetUserEventStatus(r.gate, -1));
	SAY("of the marker", clWaitForEvents(1, &r.end));
	SAY("of the read before it", clWaitForEvents(1, &r.read));
	end(&r, "read");

	begin(&r);
	pthread_create(&thread, NULL, finish, r.s.queue);
	usleep(BEGUN_US);
	MUST(clSetUserEventStatus(r.gate, -1));
	pthread_join(thread, NULL);
	end(&r, "read when all was finished");

	failed_read(&r.s, r.words);
	MUST(clReleaseKernel(r.kernel));
	MUST(clReleaseMemObject(r.words));
	tear_down(&r.s);
	return 0;
}
