/*
 * A launch that waits for a user event for as long as standard input is open, in an out-of-order queue. Then the event
 * is set, and the launch's result checked. Meanwhile the program holds no turn.
 */
#include "../programs/check.h"

static const char text[] = "kernel void seven(global uint *out) { out[0] = 7; }";

int main(void)
{
	struct setup s = set_up();
	cl_command_queue queue = NEED(clCreateCommandQueue(s.context, s.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error));
	cl_kernel kernel = kernel_of(&s, text, "seven");
	cl_event gate = NEED(clCreateUserEvent(s.context, &error));
	cl_mem out = NEED(clCreateBuffer(s.context, 0, sizeof(cl_uint), NULL, &error));
	cl_uint result = 0;
	size_t one = 1;

	MUST(clSetKernelArg(kernel, 0, sizeof(out), &out));
	for (int i = 0; i < 100; i++)
		MUST(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 1, &gate, NULL));
	MUST(clFlush(queue));
	printf("waiting\n");
	fflush(stdout);
	while (getchar() != EOF)
		;
	MUST(clSetUserEventStatus(gate, CL_COMPLETE));
	MUST(clFinish(queue));
	MUST(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(result), &result, 0, NULL, NULL));
	printf("result: %u\n", result);
	return result != 7;
}
