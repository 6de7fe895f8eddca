/* printf in kernels: what they print comes out at the program's standard output, before the application sees them done. */
#include "check.h"

#include <sched.h>

#define LINES 1200

static const char text[] =
	"kernel void hello(global int *a, int n) { for (int i = 0; i < n; i++) printf(\"item %d of %s: %.3f %c %#x\\n\", i, \"all\",\n"
	"  i * 0.5f, 'a' + i % 26, a[i % 64]); }\n"
	"kernel void quiet(global int *a, int n) { a[0] = n; }";

static void hello(const struct setup *s, cl_kernel kernel, cl_int n, cl_uint count, const cl_event *waits, cl_event *event)
{
	size_t one = 1;

	SAY("n", clSetKernelArg(kernel, 1, sizeof(n), &n));
	MUST(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &one, &one, count, waits, event));
}

static void CL_CALLBACK done(cl_event event, cl_int status, void *data)
{
	(void)event;
	say_number("called", status);
	fflush(stdout);
	__atomic_store_n((int *)data, 1, __ATOMIC_RELEASE);
}

/* Seen as done by a wait, a read, a callback, a query. */
static void seen(const struct setup *s, cl_kernel kernel, cl_mem buffer)
{
	cl_event event, after;
	cl_int status = CL_QUEUED;
	int called = 0, word;

	hello(s, kernel, 2, 0, NULL, &event);
	SAY("hello", clWaitForEvents(1, &event));
	MUST(clReleaseEvent(event));
	hello(s, kernel, 3, 0, NULL, NULL);
	SAY("read", clEnqueueReadBuffer(s->queue, buffer, CL_TRUE, 0, sizeof(word), &word, 0, NULL, NULL));
	hello(s, kernel, 4, 0, NULL, &event);
	MUST(clSetEventCallback(event, CL_COMPLETE, done, &called));
	MUST(clFlush(s->queue));
	while (!__atomic_load_n(&called, __ATOMIC_ACQUIRE))
		sched_yield();
	MUST(clReleaseEvent(event));
	hello(s, kernel, 1, 0, NULL, NULL);
	MUST(clEnqueueMarkerWithWaitList(s->queue, 0, NULL, &after));
	MUST(clFlush(s->queue));
	while (status > CL_COMPLETE)
		MUST(clGetEventInfo(after, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, NULL));
	say_number("status", status);
	MUST(clReleaseEvent(after));
}

/* Not before the application lets it. */
static void let(const struct setup *s, cl_kernel kernel)
{
	cl_event user = NEED(clCreateUserEvent(s->context, &error));

	hello(s, kernel, 5, 1, &user, NULL);
	say_number("waits", 5);
	fflush(stdout);
	MUST(clSetUserEventStatus(user, CL_COMPLETE));
	SAY("let", clFinish(s->queue));
	MUST(clReleaseEvent(user));
}

/* An argument is a number to begin with, by which runs beside one another are told apart. */
int main(int argc, char **argv)
{
	struct setup s = set_up();
	cl_kernel kernel = kernel_of(&s, text, "hello");
	cl_kernel quiet = kernel_of(&s, text, "quiet");
	cl_mem buffer = buffer_of(&s, 256, 1);
	cl_int who = argc > 1 ? atoi(argv[1]) : 0;
	size_t one = 1;

	setvbuf(stdout, NULL, _IOLBF, 0);
	SAY("buffer", clSetKernelArg(quiet, 0, sizeof(buffer), &buffer));
	SAY("who", clSetKernelArg(quiet, 1, sizeof(who), &who));
	MUST(clEnqueueNDRangeKernel(s.queue, quiet, 1, NULL, &one, &one, 0, NULL, NULL));
	SAY("buffer", clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	for (cl_int n = 1; n < 40; n *= 3) {
		hello(&s, kernel, n, 0, NULL, NULL);
		SAY("hello", clFinish(s.queue));
	}
	seen(&s, kernel, buffer);
	let(&s, kernel);
	hello(&s, kernel, LINES, 0, NULL, NULL);
	SAY("many", clFinish(s.queue));
	SAY("buffer", clReleaseMemObject(buffer));
	SAY("kernel", clReleaseKernel(kernel));
	SAY("kernel", clReleaseKernel(quiet));
	tear_down(&s);
	return 0;
}
