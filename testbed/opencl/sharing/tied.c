/*
 * A session with what may keep it from moving: a kernel of a program of binaries, itself released, and more commands
 * behind a user event than are kept. For a line of standard input the event is set, for another the kernel is released;
 * the program ends with its input.
 */
#include "../programs/check.h"

enum { WAITING = 70000 }; /* 65536 are kept */

static const char text[] = "kernel void seven(global uint *out) { out[0] = 7; }";

static cl_kernel of_binary(const struct setup *s)
{
	cl_program first = build(s, text, ""), second;
	unsigned char *bytes;
	cl_kernel kernel;
	size_t size = 0;

	MUST(clGetProgramInfo(first, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
	bytes = calloc(1, size);
	MUST(clGetProgramInfo(first, CL_PROGRAM_BINARIES, sizeof(bytes), &bytes, NULL));
	second = NEED(clCreateProgramWithBinary(s->context, 1, &s->device, &size, (const unsigned char **)&bytes, NULL,
						&error));
	MUST(clBuildProgram(second, 1, &s->device, "", NULL, NULL));
	kernel = NEED(clCreateKernel(second, "seven", &error));
	MUST(clReleaseProgram(second));
	MUST(clReleaseProgram(first));
	free(bytes);
	return kernel;
}

static void until_told(const char *state)
{
	int c;

	printf("%s\n", state);
	fflush(stdout);
	do
		c = getchar();
	while (c != '\n' && c != EOF);
}

int main(void)
{
	struct setup s = set_up_with(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
	cl_kernel kernel = of_binary(&s);
	cl_event gate = NEED(clCreateUserEvent(s.context, &error));
	cl_mem out = NEED(clCreateBuffer(s.context, 0, sizeof(cl_uint), NULL, &error));
	cl_mem other = NEED(clCreateBuffer(s.context, 0, sizeof(cl_uint), NULL, &error));
	cl_uint result = 0;
	size_t one = 1;

	MUST(clSetKernelArg(kernel, 0, sizeof(out), &out));
	MUST(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &one, NULL, 1, &gate, NULL));
	for (int i = 0; i < WAITING; i++)
		MUST(clEnqueueFillBuffer(s.queue, other, &result, sizeof(result), 0, sizeof(result), 1, &gate, NULL));
	MUST(clFlush(s.queue));
	until_told("tied twice");

	MUST(clSetUserEventStatus(gate, CL_COMPLETE));
	MUST(clFinish(s.queue));
	MUST(clEnqueueReadBuffer(s.queue, out, CL_TRUE, 0, sizeof(result), &result, 0, NULL, NULL));
	until_told("tied once");

	MUST(clReleaseKernel(kernel));
	MUST(clFinish(s.queue));
	until_told("free");
	printf("result: %u\n", result);
	return result != 7;
}
