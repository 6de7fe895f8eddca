/* References: what each kind of object counts, and what holds what. */
#include "check.h"

static void counted(const struct setup *s)
{
	cl_mem buffer = buffer_of(s, 64, 1);
	cl_kernel kernel = kernel_of(s, "kernel void k(global uint *a) { a[get_global_id(0)] += 1; }", "k");
	cl_event event = NEED(clCreateUserEvent(s->context, &error));
	cl_sampler sampler = NEED(clCreateSampler(s->context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error));
	cl_uint number = 77;

	for (int i = 0; i < 3; i++) {
		SAY("buffer", clRetainMemObject(buffer));
		SAY("kernel", clRetainKernel(kernel));
		SAY("event", clRetainEvent(event));
		SAY("sampler", clRetainSampler(sampler));
	}
	SAY("buffer", clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof(number), &number, NULL));
	say_number("buffer", number);
	SAY("kernel", clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof(number), &number, NULL));
	say_number("kernel", number);
	SAY("event", clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof(number), &number, NULL));
	say_number("event", number);
	SAY("sampler", clGetSamplerInfo(sampler, CL_SAMPLER_REFERENCE_COUNT, sizeof(number), &number, NULL));
	say_number("sampler", number);
	SAY("event", clSetUserEventStatus(event, CL_COMPLETE));
	for (int i = 0; i < 4; i++) {
		SAY("buffer", clReleaseMemObject(buffer));
		SAY("kernel", clReleaseKernel(kernel));
		SAY("event", clReleaseEvent(event));
		SAY("sampler", clReleaseSampler(sampler));
	}
}

/* A context lives as long as anything of it does. */
static void held_contexts(cl_device_id device)
{
	cl_context context = MAKE("context", clCreateContext(NULL, 1, &device, NULL, NULL, &error));
	cl_mem buffer = MAKE("buffer", clCreateBuffer(context, 0, 64, NULL, &error));
	cl_command_queue queue;
	char bytes[64] = { 7 };

	SAY("its buffer is left", clReleaseContext(context));
	SAY("of the buffer", clGetMemObjectInfo(buffer, CL_MEM_CONTEXT, sizeof(context), &context, NULL));
	queue = MAKE("of a context that the buffer holds", clCreateCommandQueue(context, device, 0, &error));
	SAY("buffer", clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 64, bytes, 0, NULL, NULL));
	SAY("buffer", clReleaseMemObject(buffer));
	SAY("queue is left", clFinish(queue));
	SAY("queue", clReleaseCommandQueue(queue));
}

/* What a queued command uses lives until it is done, whoever released it. */
static void released_while_queued(const struct setup *s)
{
	cl_kernel kernel = kernel_of(s, "kernel void k(global uint *a, global uint *b) { size_t g = get_global_id(0); b[g] = a[g] * 7; }", "k");
	cl_event gate = NEED(clCreateUserEvent(s->context, &error)), done;
	cl_mem a = buffer_of(s, 4096, 1), b = buffer_of(s, 4096, 2);
	size_t global = 1024;

	SAY("a", clSetKernelArg(kernel, 0, sizeof(a), &a));
	SAY("b", clSetKernelArg(kernel, 1, sizeof(b), &b));
	SAY("behind a gate", clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, NULL, 1, &gate, &done));
	SAY("kernel", clReleaseKernel(kernel));
	SAY("a", clReleaseMemObject(a));
	SAY("gate opens", clSetUserEventStatus(gate, CL_COMPLETE));
	SAY("gate", clReleaseEvent(gate));
	SAY("done", clWaitForEvents(1, &done));
	SAY("done", clReleaseEvent(done));
	say_buffer("b", s, b, 4096);
	SAY("b", clReleaseMemObject(b));
}

static void many(const struct setup *s)
{
	bool right = true;

	for (int i = 0; i < 3000; i++) {
		cl_mem buffer = clCreateBuffer(s->context, 0, 4096, NULL, &error);
		cl_event event = clCreateUserEvent(s->context, &error);

		right &= buffer != NULL && event != NULL;
		right &= clSetUserEventStatus(event, CL_COMPLETE) == CL_SUCCESS;
		right &= clReleaseEvent(event) == CL_SUCCESS && clReleaseMemObject(buffer) == CL_SUCCESS;
	}
	say_true("3000 buffers and events made and released", right);
}

int main(void)
{
	struct setup s = set_up();

	counted(&s);
	held_contexts(s.device);
	released_while_queued(&s);
	many(&s);
	tear_down(&s);
	return 0;
}
