/*
 * The calls that only we are asked, because a native implementation would crash on them or can do them: each must answer what the
 * specification says. Without a session it has no meaning.
 */
#include "../programs/check.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static int failures;

/* A call whose answer the specification gives. */
#define EXPECT(expected, what, call) expect(#call, what, expected, call)
/* As EXPECT, for a call that would make an object. */
#define EXPECT_NOTHING(expected, what, call) \
	do { \
		error = NOT_WRITTEN; \
		const void *made = (call); \
		expect(#call, what, expected, made ? NOT_WRITTEN : error); \
	} while (0)

static void expect(const char *call, const char *what, cl_int expected, cl_int answer)
{
	say(call, what, answer);
	if (answer != expected) {
		printf("FAILED: it must be %s\n", error_name(expected));
		failures++;
	}
}

static void programs(const struct setup *s)
{
	const char *text = "kernel void k(global int *a) { }";
	cl_program program = NEED(clCreateProgramWithSource(s->context, 1, &text, NULL, &error)), null = NULL;
	cl_device_id none = NULL;
	const size_t length = 30;
	cl_int status;

	EXPECT_NOTHING(CL_INVALID_VALUE, "no strings", clCreateProgramWithSource(s->context, 1, NULL, NULL, &error));
	EXPECT(CL_INVALID_DEVICE, "a NULL device", clBuildProgram(program, 1, &none, "", NULL, NULL));
	EXPECT(CL_INVALID_VALUE, "a count without headers", clCompileProgram(program, 0, NULL, "", 1, NULL, NULL, NULL, NULL));
	EXPECT_NOTHING(CL_INVALID_PROGRAM, "a NULL program", clLinkProgram(s->context, 0, NULL, "", 1, &null, NULL, NULL, &error));
	EXPECT_NOTHING(CL_INVALID_VALUE, "no binaries",
		       clCreateProgramWithBinary(s->context, 1, &s->device, &length, NULL, &status, &error));
	MUST(clReleaseProgram(program));
}

/* The names of headers fill what there is room for, and then there is one more. */
static void many_headers(const struct setup *s)
{
	const char *text = "int a;";
	cl_program program = NEED(clCreateProgramWithSource(s->context, 1, &text, NULL, &error)), headers[65];
	const char *names[65];
	char name[128] = { 0 };

	memset(name, 'a', 127);
	for (size_t i = 0; i < COUNT(names); i++) {
		headers[i] = program;
		names[i] = i < 64 ? name : "b";
	}
	EXPECT(CL_INVALID_VALUE, "names too long", clCompileProgram(program, 0, NULL, "", 65, headers, names, NULL, NULL));
	MUST(clReleaseProgram(program));
}

static void launches(const struct setup *s)
{
	cl_kernel kernel = kernel_of(s, "kernel void k(global int *a) { }", "k");
	cl_mem buffer = buffer_of(s, 64, 1);
	size_t items = 16, none = 0;
	cl_event null = NULL;

	MUST(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	EXPECT(CL_INVALID_KERNEL, "no kernel", clEnqueueNDRangeKernel(s->queue, NULL, 1, NULL, &items, NULL, 0, NULL, NULL));
	EXPECT(CL_INVALID_WORK_GROUP_SIZE, "groups of 0", clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &items, &none, 0, NULL, NULL));
	EXPECT(CL_INVALID_EVENT_WAIT_LIST, "a count without a list",
	       clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &items, NULL, 1, NULL, NULL));
	EXPECT(CL_INVALID_EVENT_WAIT_LIST, "a list without a count",
	       clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &items, NULL, 0, &null, NULL));
	EXPECT(CL_INVALID_EVENT_WAIT_LIST, "a NULL event",
	       clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &items, NULL, 1, &null, NULL));
	EXPECT(CL_INVALID_KERNEL, "no task", clEnqueueTask(s->queue, NULL, 0, NULL, NULL));
	MUST(clReleaseKernel(kernel));
	MUST(clReleaseMemObject(buffer));
}

static void memory(const struct setup *s)
{
	const size_t zero[3] = { 0 }, some[3] = { 4, 4, 1 };
	const cl_image_format format = { CL_RGBA, CL_UNORM_INT8 };
	cl_image_desc levels = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8, .num_mip_levels = 2 };
	cl_mem buffer = buffer_of(s, 64, 1);

	EXPECT(CL_INVALID_MEM_OBJECT, "no source", clEnqueueCopyBufferRect(s->queue, NULL, buffer, zero, zero, some, 8, 0, 8, 0, 0, NULL, NULL));
	EXPECT(CL_INVALID_MEM_OBJECT, "no target", clEnqueueCopyBufferRect(s->queue, buffer, NULL, zero, zero, some, 8, 0, 8, 0, 0, NULL, NULL));
	EXPECT_NOTHING(CL_INVALID_IMAGE_DESCRIPTOR, "levels", clCreateImage(s->context, 0, &format, &levels, NULL, &error));
	levels.num_mip_levels = 0, levels.num_samples = 2;
	EXPECT_NOTHING(CL_INVALID_IMAGE_DESCRIPTOR, "samples", clCreateImage(s->context, 0, &format, &levels, NULL, &error));
	MUST(clReleaseMemObject(buffer));
}

static void samplers(const struct setup *s)
{
	cl_addressing_mode addressing = 77;
	cl_sampler sampler = NEED(clCreateSamplerWithProperties(s->context, NULL, &error));

	EXPECT(CL_SUCCESS, "no properties",
	       clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof(addressing), &addressing, NULL));
	expect("clGetSamplerInfo(", "clamps", CL_SUCCESS, addressing == CL_ADDRESS_CLAMP ? CL_SUCCESS : NOT_WRITTEN);
	EXPECT(CL_SUCCESS, "no properties", clReleaseSampler(sampler));
}

static void edges(const struct setup *s, cl_sampler *samplers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		samplers[i] = NEED(clCreateSampler(s->context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &error));
}

/* A launch goes on with its sampler though the application gives that up, and makes others where it was. */
static void samplers_in_use(const struct setup *s)
{
	static const char text[] = "kernel void look(read_only image2d_t in, sampler_t how, global float4 *out)\n"
				   "{ *out = read_imagef(in, how, (int2)(-1, 0)); }\n";
	const cl_image_format format = { CL_RGBA, CL_UNORM_INT8 };
	const cl_image_desc shape = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 1 };
	unsigned char white[16];
	const size_t one = 1;
	cl_kernel kernel = kernel_of(s, text, "look");
	cl_mem out = buffer_of(s, 16, 1), in;
	cl_sampler sampler = NEED(clCreateSampler(s->context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error)), others[16];
	cl_event event = NEED(clCreateUserEvent(s->context, &error));
	float seen[4];

	memset(white, 255, sizeof(white));
	in = NEED(clCreateImage(s->context, CL_MEM_COPY_HOST_PTR, &format, &shape, white, &error));
	MUST(clSetKernelArg(kernel, 0, sizeof(in), &in));
	MUST(clSetKernelArg(kernel, 1, sizeof(sampler), &sampler));
	MUST(clSetKernelArg(kernel, 2, sizeof(out), &out));
	MUST(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &one, NULL, 1, &event, NULL));
	edges(s, others, COUNT(others));
	for (size_t i = 0; i < COUNT(others); i++)
		MUST(clReleaseSampler(others[i]));
	MUST(clReleaseSampler(sampler));
	edges(s, others, COUNT(others)); /* by now at its place, if nobody kept it */
	MUST(clSetUserEventStatus(event, CL_COMPLETE));
	MUST(clEnqueueReadBuffer(s->queue, out, CL_TRUE, 0, sizeof(seen), seen, 0, NULL, NULL));
	expect("clReleaseSampler(", "in use", CL_SUCCESS, seen[0] == 0 && seen[3] == 0 ? CL_SUCCESS : NOT_WRITTEN);
	for (size_t i = 0; i < COUNT(others); i++)
		MUST(clReleaseSampler(others[i]));
	MUST(clReleaseEvent(event));
	MUST(clReleaseMemObject(in));
	MUST(clReleaseMemObject(out));
	MUST(clReleaseKernel(kernel));
}

/* Handles of another kind, as a program in which something is wrong may give. */
static void other_kinds(const struct setup *s)
{
	cl_mem buffer = buffer_of(s, 64, 1);
	cl_event event = NEED(clCreateUserEvent(s->context, &error)), as_event = (cl_event)buffer;
	cl_kernel kernel = kernel_of(s, "kernel void k(global int *a) { }", "k");
	char bytes[64];

	EXPECT(CL_INVALID_COMMAND_QUEUE, "a context", clFinish((cl_command_queue)s->context));
	EXPECT(CL_INVALID_COMMAND_QUEUE, "a buffer", clFlush((cl_command_queue)buffer));
	EXPECT(CL_INVALID_MEM_OBJECT, "a queue", clReleaseMemObject((cl_mem)s->queue));
	EXPECT(CL_INVALID_MEM_OBJECT, "an event", clEnqueueReadBuffer(s->queue, (cl_mem)event, CL_TRUE, 0, 64, bytes, 0, NULL, NULL));
	EXPECT(CL_INVALID_EVENT_WAIT_LIST, "a buffer to wait for",
	       clEnqueueReadBuffer(s->queue, buffer, CL_TRUE, 0, 64, bytes, 1, &as_event, NULL));
	EXPECT(CL_INVALID_EVENT, "a buffer", clWaitForEvents(1, &as_event));
	EXPECT(CL_INVALID_EVENT, "a kernel", clReleaseEvent((cl_event)kernel));
	EXPECT(CL_INVALID_KERNEL, "an event", clReleaseKernel((cl_kernel)event));
	EXPECT(CL_INVALID_KERNEL, "a buffer", clSetKernelArg((cl_kernel)buffer, 0, 8, &buffer));
	EXPECT(CL_INVALID_MEM_OBJECT, "an event for a buffer", clSetKernelArg(kernel, 0, sizeof(event), &event));
	EXPECT(CL_INVALID_PROGRAM, "a kernel", clReleaseProgram((cl_program)kernel));
	EXPECT(CL_INVALID_SAMPLER, "a kernel", clReleaseSampler((cl_sampler)kernel));
	EXPECT(CL_INVALID_CONTEXT, "a device", clReleaseContext((cl_context)s->device));
	EXPECT(CL_INVALID_DEVICE, "a context", clReleaseDevice((cl_device_id)s->context));
	MUST(clSetUserEventStatus(event, CL_COMPLETE));
	MUST(clReleaseEvent(event));
	MUST(clReleaseKernel(kernel));
	MUST(clReleaseMemObject(buffer));
}

static void queues_of_the_device(const struct setup *s)
{
	const cl_queue_properties on_device[] = {
		CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0
	};

	EXPECT_NOTHING(CL_INVALID_QUEUE_PROPERTIES, "on the device",
		       clCreateCommandQueueWithProperties(s->context, s->device, on_device, &error));
}

static void CL_CALLBACK native(void *arguments)
{
	(void)arguments;
}

/* Shared virtual memory and native kernels are those of one process: they are said not to be there. */
static void absent(const struct setup *s)
{
	cl_device_svm_capabilities svm = 77;
	cl_device_exec_capabilities execution = 77;
	cl_kernel kernel = kernel_of(s, "kernel void k(global int *a) { }", "k");
	char bytes[64];
	void *list[1] = { bytes };
	const void *sources[1] = { bytes };
	int *allocated;

	EXPECT(CL_SUCCESS, "SVM", clGetDeviceInfo(s->device, CL_DEVICE_SVM_CAPABILITIES, sizeof(svm), &svm, NULL));
	expect("clGetDeviceInfo(", "no SVM", 0, (cl_int)svm);
	EXPECT(CL_SUCCESS, "execution",
	       clGetDeviceInfo(s->device, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof(execution), &execution, NULL));
	expect("clGetDeviceInfo(", "no native kernels", CL_SUCCESS, (execution & CL_EXEC_NATIVE_KERNEL) ? NOT_WRITTEN : CL_SUCCESS);
	allocated = clSVMAlloc(s->context, CL_MEM_READ_WRITE, 4096, 0);
	expect("clSVMAlloc(", "none", CL_SUCCESS, allocated ? NOT_WRITTEN : CL_SUCCESS);
	clSVMFree(s->context, NULL);
	say_text("clSVMFree", "of NULL");
	EXPECT(CL_INVALID_OPERATION, "free", clEnqueueSVMFree(s->queue, 1, list, NULL, NULL, 0, NULL, NULL));
	EXPECT(CL_INVALID_OPERATION, "copy", clEnqueueSVMMemcpy(s->queue, CL_TRUE, bytes, bytes + 32, 16, 0, NULL, NULL));
	EXPECT(CL_INVALID_OPERATION, "fill", clEnqueueSVMMemFill(s->queue, bytes, bytes, 4, 16, 0, NULL, NULL));
	EXPECT(CL_INVALID_OPERATION, "map", clEnqueueSVMMap(s->queue, CL_TRUE, CL_MAP_READ, bytes, 16, 0, NULL, NULL));
	EXPECT(CL_INVALID_OPERATION, "unmap", clEnqueueSVMUnmap(s->queue, bytes, 0, NULL, NULL));
	EXPECT(CL_INVALID_OPERATION, "migrate", clEnqueueSVMMigrateMem(s->queue, 1, sources, NULL, 0, 0, NULL, NULL));
	EXPECT(CL_INVALID_OPERATION, "argument", clSetKernelArgSVMPointer(kernel, 0, bytes));
	EXPECT(CL_INVALID_OPERATION, "pointers",
	       clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof(list), list));
	EXPECT(CL_INVALID_OPERATION, "native kernel", clEnqueueNativeKernel(s->queue, native, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
	MUST(clReleaseKernel(kernel));
}

static void old_waits(const struct setup *s)
{
	cl_event events[2] = { NEED(clCreateUserEvent(s->context, &error)), NULL };

	MUST(clEnqueueMarker(s->queue, &events[1]));
	EXPECT(CL_SUCCESS, "two", clEnqueueWaitForEvents(s->queue, 2, events));
	MUST(clSetUserEventStatus(events[0], CL_COMPLETE));
	EXPECT(CL_SUCCESS, "after the wait", clFinish(s->queue));
	MUST(clReleaseEvent(events[0]));
	MUST(clReleaseEvent(events[1]));
}

static _Atomic cl_int told = NOT_WRITTEN;

static void CL_CALLBACK on_failure(cl_event event, cl_int status, void *user)
{
	(void)event, (void)user;
	told = status;
}

static void callbacks_of_failures(const struct setup *s)
{
	cl_event event = NEED(clCreateUserEvent(s->context, &error));

	MUST(clSetEventCallback(event, CL_COMPLETE, on_failure, NULL));
	MUST(clSetUserEventStatus(event, -17));
	while (told == NOT_WRITTEN)
		;
	expect("clSetEventCallback(", "of a failure", -17, told);
	MUST(clReleaseEvent(event));
}

static bool main_thread_sleeps(void)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", getpid());
	file = fopen(path, "r");
	if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		_Exit(1);
	fclose(file);
	return state == 'S';
}

/* Fails an event when the main thread waits for its command: natively one that comes after a failure may hang. */
static void *fail(void *event)
{
	while (!main_thread_sleeps())
		sched_yield();
	clSetUserEventStatus(event, -17);
	return NULL;
}

static void waits_that_fail(const struct setup *s)
{
	cl_mem buffer = buffer_of(s, 64, 1);
	cl_event event = NEED(clCreateUserEvent(s->context, &error));
	pthread_t other;
	char bytes[64];

	MUST(clEnqueueReadBuffer(s->queue, buffer, CL_TRUE, 0, sizeof(bytes), bytes, 0, NULL, NULL));
	if (pthread_create(&other, NULL, fail, event))
		_Exit(1);
	EXPECT(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "behind a failure",
	       clEnqueueReadBuffer(s->queue, buffer, CL_TRUE, 0, sizeof(bytes), bytes, 1, &event, NULL));
	pthread_join(other, NULL);
	MUST(clReleaseEvent(event));
	MUST(clReleaseMemObject(buffer));
}

int main(void)
{
	struct setup s = set_up();

	programs(&s);
	many_headers(&s);
	launches(&s);
	memory(&s);
	samplers(&s);
	samplers_in_use(&s);
	other_kinds(&s);
	queues_of_the_device(&s);
	absent(&s);
	old_waits(&s);
	callbacks_of_failures(&s);
	waits_that_fail(&s);
	tear_down(&s);
	say_number("failures", failures);
	return failures != 0;
}
