/* Events: what they say, what waits for them, in queues in order and out of order and across queues. */
#include "check.h"

#define ITEMS 1024
#define BARRIERS 200
#define BEHIND_MARKER 20

static const char text[] = "kernel void advance(global uint *a, uint v) { size_t g = get_global_id(0); a[g] = a[g] * 5 + v; }";

static void step(const struct setup *s, cl_command_queue queue, cl_mem buffer, cl_uint v, cl_uint count, const cl_event *waits,
		 cl_event *event)
{
	cl_kernel kernel = kernel_of(s, text, "advance");
	size_t global = ITEMS;

	MUST(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	MUST(clSetKernelArg(kernel, 1, sizeof(v), &v));
	SAY("step", clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, count, waits, event));
	MUST(clReleaseKernel(kernel));
}

static void wrong(const struct setup *s)
{
	cl_event null = NULL, user = NEED(clCreateUserEvent(s->context, &error));
	cl_event holed[2] = { user, NULL };
	cl_uint number = 77;

	SAY("none", clWaitForEvents(0, &user));
	SAY("no list", clWaitForEvents(1, NULL));
	SAY("a NULL event", clWaitForEvents(1, &null));
	SAY("a NULL event among others", clWaitForEvents(2, holed));
	SAY("NULL", clGetEventInfo(NULL, CL_EVENT_COMMAND_TYPE, sizeof(number), &number, NULL));
	SAY("unknown", clGetEventInfo(user, 0x7777, sizeof(number), &number, NULL));
	SAY("one byte too few", clGetEventInfo(user, CL_EVENT_COMMAND_TYPE, 3, &number, NULL));
	SAY("NULL", clRetainEvent(NULL));
	SAY("NULL", clReleaseEvent(NULL));
	SAY("no queue", clEnqueueMarker(NULL, &null));
	SAY("no event", clEnqueueMarker(s->queue, NULL));
	SAY("no queue", clEnqueueBarrier(NULL));
	SAY("no queue", clEnqueueMarkerWithWaitList(NULL, 0, NULL, NULL));
	SAY("no queue", clEnqueueBarrierWithWaitList(NULL, 0, NULL, NULL));
	SAY("a count without a list", clEnqueueMarkerWithWaitList(s->queue, 1, NULL, NULL));
	SAY("a list without a count", clEnqueueMarkerWithWaitList(s->queue, 0, &user, NULL));
	SAY("a NULL event", clEnqueueMarkerWithWaitList(s->queue, 1, &null, NULL));
	SAY("a NULL event", clEnqueueBarrierWithWaitList(s->queue, 1, &null, NULL));
	SAY("no queue", clEnqueueWaitForEvents(NULL, 1, &user));
	SAY("none", clEnqueueWaitForEvents(s->queue, 0, &user));
	SAY("a NULL event", clEnqueueWaitForEvents(s->queue, 1, &null));
	SAY("user", clSetUserEventStatus(user, CL_COMPLETE));
	SAY("user", clReleaseEvent(user));
}

static void information(const char *what, const struct setup *s, cl_command_queue queue, cl_event event)
{
	cl_command_type type = 77;
	cl_command_queue of = NULL;
	cl_context context = NULL;
	cl_uint number = 77;
	size_t size = 77;

	SAY(what, clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, &size));
	say_number("type", type);
	SAY(what, clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof(of), &of, NULL));
	say_true("its queue", of == queue);
	SAY(what, clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof(context), &context, NULL));
	say_true("its context", context == s->context);
	SAY(what, clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof(number), &number, NULL));
	say_event(what, event);
}

static void types(const struct setup *s)
{
	cl_mem a = buffer_of(s, ITEMS * 4, 1), b = buffer_of(s, ITEMS * 4, 2);
	cl_event events[8];
	static char bytes[ITEMS * 4];
	void *at;

	step(s, s->queue, a, 1, 0, NULL, &events[0]);
	SAY("read", clEnqueueReadBuffer(s->queue, a, CL_FALSE, 0, sizeof(bytes), bytes, 0, NULL, &events[1]));
	SAY("write", clEnqueueWriteBuffer(s->queue, b, CL_TRUE, 0, sizeof(bytes), bytes, 0, NULL, &events[2]));
	SAY("copy", clEnqueueCopyBuffer(s->queue, a, b, 0, 0, 64, 0, NULL, &events[3]));
	SAY("fill", clEnqueueFillBuffer(s->queue, a, bytes, 4, 0, 64, 0, NULL, &events[4]));
	SAY("marker", clEnqueueMarkerWithWaitList(s->queue, 0, NULL, &events[5]));
	at = MAKE("map", clEnqueueMapBuffer(s->queue, a, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, &events[6], &error));
	SAY("unmap", clEnqueueUnmapMemObject(s->queue, a, at, 0, NULL, &events[7]));
	SAY("all", clWaitForEvents(COUNT(events), events));
	for (size_t i = 0; i < COUNT(events); i++) {
		information("event", s, s->queue, events[i]);
		SAY("event", clReleaseEvent(events[i]));
	}
	SAY("barrier", clEnqueueBarrierWithWaitList(s->queue, 0, NULL, &events[0]));
	SAY("old marker", clEnqueueMarker(s->queue, &events[1]));
	SAY("old barrier", clEnqueueBarrier(s->queue));
	SAY("all", clFinish(s->queue));
	information("barrier", s, s->queue, events[0]);
	information("old marker", s, s->queue, events[1]);
	SAY("barrier", clReleaseEvent(events[0]));
	SAY("old marker", clReleaseEvent(events[1]));
	SAY("a", clReleaseMemObject(a));
	SAY("b", clReleaseMemObject(b));
}

static void across_queues(const struct setup *s)
{
	cl_command_queue queues[3];
	cl_mem buffer = buffer_of(s, ITEMS * 4, 3);
	cl_event last = NULL, next;

	for (size_t i = 0; i < COUNT(queues); i++)
		queues[i] = NEED(clCreateCommandQueue(s->context, s->device, i == 1 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &error));
	for (cl_uint i = 0; i < 12; i++) {
		step(s, queues[i % 3], buffer, i, last != NULL, last ? &last : NULL, &next);
		SAY("queue", clFlush(queues[i % 3]));
		if (last)
			SAY("last", clReleaseEvent(last));
		last = next;
	}
	SAY("the last", clWaitForEvents(1, &last));
	say_event("the last", last);
	SAY("the last", clReleaseEvent(last));
	say_buffer("of three queues", s, buffer, ITEMS * 4);
	for (size_t i = 0; i < COUNT(queues); i++)
		SAY("queue", clReleaseCommandQueue(queues[i]));
	SAY("buffer", clReleaseMemObject(buffer));
}

static void out_of_order(const struct setup *s)
{
	cl_command_queue queue = NEED(clCreateCommandQueue(s->context, s->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error));
	cl_event gate = NEED(clCreateUserEvent(s->context, &error)), held, after, free_one, both[2];
	cl_mem a = buffer_of(s, ITEMS * 4, 4), b = buffer_of(s, ITEMS * 4, 5);

	step(s, queue, a, 1, 1, &gate, &held);
	step(s, queue, a, 2, 1, &held, &after);
	step(s, queue, b, 3, 0, NULL, &free_one);
	SAY("queue", clFlush(queue));
	SAY("the one that waits for nothing", clWaitForEvents(1, &free_one));
	say_event("the one that waits for nothing", free_one);
	SAY("gate", clSetUserEventStatus(gate, CL_COMPLETE));
	both[0] = after, both[1] = free_one;
	SAY("marker after both", clEnqueueMarkerWithWaitList(queue, 2, both, NULL));
	SAY("barrier", clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL));
	step(s, queue, b, 4, 0, NULL, NULL);
	SAY("queue", clFinish(queue));
	say_event("the first", held);
	say_event("the second", after);
	say_buffer("a", s, a, ITEMS * 4);
	say_buffer("b", s, b, ITEMS * 4);
	SAY("gate", clReleaseEvent(gate));
	SAY("held", clReleaseEvent(held));
	SAY("after", clReleaseEvent(after));
	SAY("free", clReleaseEvent(free_one));
	SAY("a", clReleaseMemObject(a));
	SAY("b", clReleaseMemObject(b));
	SAY("queue", clReleaseCommandQueue(queue));
}

/*
 * Barriers behind what has ended wait for nothing else, in a queue whose first command does not end. PoCL 3.1 has
 * markers wait for all, whatever they name; however many commands are behind one, the application goes on.
 */
static void behind_what_has_ended(const struct setup *s)
{
	cl_command_queue queue = NEED(clCreateCommandQueue(s->context, s->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error));
	cl_event gate = NEED(clCreateUserEvent(s->context, &error)), ended, held, both[2], next;
	cl_mem a = buffer_of(s, ITEMS * 4, 6), b = buffer_of(s, ITEMS * 4, 7);
	bool right = true;

	step(s, queue, b, 1, 0, NULL, &ended);
	SAY("what ends", clWaitForEvents(1, &ended));
	step(s, queue, a, 2, 1, &gate, &held);
	both[0] = both[1] = ended;
	for (int i = 0; i < BARRIERS; i++) {
		right &= clEnqueueBarrierWithWaitList(queue, 1 + i % 2, both, &next) == CL_SUCCESS;
		right &= clWaitForEvents(1, &next) == CL_SUCCESS && clReleaseEvent(next) == CL_SUCCESS;
	}
	say_true("barriers have ended", right);
	step(s, queue, b, 3, 0, NULL, &next);
	SAY("behind the barriers", clWaitForEvents(1, &next));
	SAY("behind the barriers", clReleaseEvent(next));
	SAY("marker", clEnqueueMarkerWithWaitList(queue, 2, both, &next));
	for (cl_uint i = 0; i < BEHIND_MARKER; i++) {
		cl_event before = next;

		step(s, queue, b, i, 1, &before, &next);
		SAY("before", clReleaseEvent(before));
	}
	SAY("gate", clSetUserEventStatus(gate, CL_COMPLETE));
	SAY("behind the marker", clReleaseEvent(next));
	SAY("queue", clFinish(queue));
	say_event("held", held);
	say_buffer("behind the marker", s, b, ITEMS * 4);
	SAY("gate", clReleaseEvent(gate));
	SAY("ended", clReleaseEvent(ended));
	SAY("held", clReleaseEvent(held));
	SAY("a", clReleaseMemObject(a));
	SAY("b", clReleaseMemObject(b));
	SAY("queue", clReleaseCommandQueue(queue));
}

int main(void)
{
	struct setup s = set_up();

	wrong(&s);
	types(&s);
	across_queues(&s);
	out_of_order(&s);
	behind_what_has_ended(&s);
	tear_down(&s);
	return 0;
}
