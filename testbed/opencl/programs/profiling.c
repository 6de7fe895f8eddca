/* Times of events: whether they can be had, and that they are in order. */
#include "check.h"

static const struct {
	cl_profiling_info param;
	const char *name;
} params[] = {
	{ CL_PROFILING_COMMAND_QUEUED, "queued" }, { CL_PROFILING_COMMAND_SUBMIT, "submit" },
	{ CL_PROFILING_COMMAND_START, "start" }, { CL_PROFILING_COMMAND_END, "end" },
	{ CL_PROFILING_COMMAND_COMPLETE, "complete" },
};

static void times(const char *what, cl_event event)
{
	cl_ulong time[COUNT(params)] = { 0 };
	bool sorted = true;
	size_t size = 77;

	for (size_t i = 0; i < COUNT(params); i++) {
		SAY(params[i].name, clGetEventProfilingInfo(event, params[i].param, sizeof(time[i]), &time[i], &size));
		say_number("size", (long long)size);
		sorted &= i == 0 || i == 4 || time[i] >= time[i - 1];
	}
	say_true(what, sorted);
	SAY("unknown", clGetEventProfilingInfo(event, 0x7777, sizeof(time[0]), &time[0], NULL));
	SAY("one byte too few", clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 7, &time[0], NULL));
	SAY("size alone", clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, 0, NULL, &size));
	SAY("NULL", clGetEventProfilingInfo(NULL, CL_PROFILING_COMMAND_END, sizeof(time[0]), &time[0], NULL));
}

static void measured(void)
{
	struct setup s = set_up_with(CL_QUEUE_PROFILING_ENABLE);
	cl_kernel kernel = kernel_of(&s, "kernel void k(global uint *a) { a[get_global_id(0)] += 1; }", "k");
	cl_mem buffer = buffer_of(&s, 65536, 1);
	size_t global = 16384;
	static char bytes[65536];
	cl_event launch, read, held, gate = NEED(clCreateUserEvent(s.context, &error));
	cl_ulong time = 0, first = 0, second = 0;

	SAY("buffer", clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	SAY("launch", clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &global, NULL, 0, NULL, &launch));
	SAY("read", clEnqueueReadBuffer(s.queue, buffer, CL_TRUE, 0, sizeof(bytes), bytes, 0, NULL, &read));
	times("launch in order", launch);
	times("read in order", read);
	MUST(clGetEventProfilingInfo(launch, CL_PROFILING_COMMAND_END, sizeof(first), &first, NULL));
	MUST(clGetEventProfilingInfo(read, CL_PROFILING_COMMAND_START, sizeof(second), &second, NULL));
	say_true("the read begins after the launch ends", second >= first);
	SAY("held", clEnqueueMarkerWithWaitList(s.queue, 1, &gate, &held));
	SAY("not complete", clGetEventProfilingInfo(held, CL_PROFILING_COMMAND_END, sizeof(time), &time, NULL));
	SAY("user event", clGetEventProfilingInfo(gate, CL_PROFILING_COMMAND_END, sizeof(time), &time, NULL));
	SAY("gate", clSetUserEventStatus(gate, CL_COMPLETE));
	SAY("queue", clFinish(s.queue));
	SAY("launch", clReleaseEvent(launch));
	SAY("read", clReleaseEvent(read));
	SAY("held", clReleaseEvent(held));
	SAY("gate", clReleaseEvent(gate));
	SAY("kernel", clReleaseKernel(kernel));
	SAY("buffer", clReleaseMemObject(buffer));
	tear_down(&s);
}

static void not_measured(void)
{
	struct setup s = set_up();
	cl_event marker;
	cl_ulong time;

	SAY("marker", clEnqueueMarkerWithWaitList(s.queue, 0, NULL, &marker));
	SAY("queue", clFinish(s.queue));
	SAY("a queue without profiling", clGetEventProfilingInfo(marker, CL_PROFILING_COMMAND_END, sizeof(time), &time, NULL));
	SAY("marker", clReleaseEvent(marker));
	tear_down(&s);
}

int main(void)
{
	measured();
	not_measured();
	return 0;
}
