/* A kernel that does not end. Prints "running", then how waiting for it ended. */
#include "../programs/check.h"

static const char text[] = "kernel void endless(global volatile uint *go) { while (go[0] == 0) go[1]++; }";

int main(void)
{
	struct setup s = set_up();
	cl_uint zeros[2] = { 0, 0 };
	cl_kernel kernel = kernel_of(&s, text, "endless");
	cl_mem go = NEED(clCreateBuffer(s.context, CL_MEM_COPY_HOST_PTR, sizeof(zeros), zeros, &error));
	size_t one = 1;

	MUST(clSetKernelArg(kernel, 0, sizeof(go), &go));
	MUST(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL));
	MUST(clFlush(s.queue));
	printf("running\n");
	fflush(stdout);
	printf("finish: %s\n", error_name(clFinish(s.queue)));
	return 0;
}
