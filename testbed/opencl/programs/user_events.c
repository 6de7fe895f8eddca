/* User events: how they gate queues, and what a negative state does to what waits for them. */
#include "check.h"

#define SIZE 4096

static void wrong(const struct setup *s)
{
	cl_event event, marker;

	MAKE("no context", clCreateUserEvent(NULL, &error));
	event = MAKE("user event", clCreateUserEvent(s->context, &error));
	say_event("new", event);
	SAY("NULL", clSetUserEventStatus(NULL, CL_COMPLETE));
	SAY("running", clSetUserEventStatus(event, CL_RUNNING));
	SAY("submitted", clSetUserEventStatus(event, CL_SUBMITTED));
	SAY("queued", clSetUserEventStatus(event, CL_QUEUED));
	SAY("unknown", clSetUserEventStatus(event, 17));
	SAY("complete", clSetUserEventStatus(event, CL_COMPLETE));
	say_event("complete", event);
	SAY("complete twice", clSetUserEventStatus(event, CL_COMPLETE));
	SAY("an error after", clSetUserEventStatus(event, -5));
	say_event("still complete", event);
	SAY("completed", clWaitForEvents(1, &event));
	SAY("event", clReleaseEvent(event));
	SAY("marker", clEnqueueMarker(s->queue, &marker));
	SAY("no user event", clSetUserEventStatus(marker, CL_COMPLETE));
	SAY("marker", clWaitForEvents(1, &marker));
	SAY("marker", clReleaseEvent(marker));
}

static void information(const struct setup *s)
{
	cl_event event = MAKE("user event", clCreateUserEvent(s->context, &error));
	cl_command_queue queue = s->queue;
	cl_command_type type = 77;
	cl_context context = NULL;
	cl_uint number = 77;

	SAY("queue", clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof(queue), &queue, NULL));
	say_true("no queue", queue == NULL);
	SAY("type", clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof(type), &type, NULL));
	say_number("type", type);
	SAY("context", clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof(context), &context, NULL));
	say_true("its context", context == s->context);
	SAY("once more", clRetainEvent(event));
	SAY("references", clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof(number), &number, NULL));
	say_number("references", number);
	SAY("once less", clReleaseEvent(event));
	SAY("complete", clSetUserEventStatus(event, CL_COMPLETE));
	SAY("event", clReleaseEvent(event));
}

static void gates(const struct setup *s)
{
	cl_event gate = MAKE("gate", clCreateUserEvent(s->context, &error)), written, read;
	cl_mem buffer = buffer_of(s, SIZE, 1);
	static char there[SIZE], back[SIZE];

	fill_bytes(there, SIZE, 2);
	SAY("behind the gate", clEnqueueWriteBuffer(s->queue, buffer, CL_FALSE, 0, SIZE, there, 1, &gate, &written));
	SAY("behind the write", clEnqueueReadBuffer(s->queue, buffer, CL_FALSE, 0, SIZE, back, 1, &written, &read));
	SAY("queue", clFlush(s->queue));
	say_true("read does not end", back[0] == 0 && back[SIZE - 1] == 0);
	SAY("gate", clSetUserEventStatus(gate, CL_COMPLETE));
	SAY("read", clWaitForEvents(1, &read));
	say_event("write", written);
	say_event("read", read);
	say_true("the same bytes", memcmp(there, back, SIZE) == 0);
	SAY("gate", clReleaseEvent(gate));
	SAY("written", clReleaseEvent(written));
	SAY("read", clReleaseEvent(read));
	SAY("buffer", clReleaseMemObject(buffer));
}

static void failures(const struct setup *s)
{
	cl_event gate = MAKE("gate", clCreateUserEvent(s->context, &error)), first, second;
	cl_mem buffer = buffer_of(s, SIZE, 1);
	static char there[SIZE];
	cl_command_queue queue = NEED(clCreateCommandQueue(s->context, s->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error));

	SAY("behind the gate", clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, SIZE, there, 1, &gate, &first));
	SAY("behind the write", clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, SIZE, there, 1, &first, &second));
	SAY("gate fails", clSetUserEventStatus(gate, -77));
	say_event("gate", gate);
	SAY("gate", clWaitForEvents(1, &gate));
	SAY("first", clWaitForEvents(1, &first));
	SAY("second", clWaitForEvents(1, &second));
	say_true("first failed", ({ cl_int state = 0; clGetEventInfo(first, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, &state, NULL); state < 0; }));
	say_true("second failed", ({ cl_int state = 0; clGetEventInfo(second, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, &state, NULL); state < 0; }));
	say_event("first", first);
	say_event("second", second);
	say_buffer("not written", s, buffer, SIZE);
	SAY("gate", clReleaseEvent(gate));
	SAY("first", clReleaseEvent(first));
	SAY("second", clReleaseEvent(second));
	SAY("buffer", clReleaseMemObject(buffer));
	SAY("queue", clReleaseCommandQueue(queue));
}

int main(void)
{
	struct setup s = set_up();

	wrong(&s);
	information(&s);
	gates(&s);
	failures(&s);
	tear_down(&s);
	return 0;
}
