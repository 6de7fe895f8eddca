/* A kernel that stores where no memory is. Prints how waiting for it ended. */
#include "../programs/check.h"

static const char text[] = "kernel void wild(ulong where) { *(global volatile uint *)where = 7; }";

int main(void)
{
	struct setup s = set_up();
	cl_kernel kernel = kernel_of(&s, text, "wild");
	cl_ulong where = 16;
	size_t one = 1;

	MUST(clSetKernelArg(kernel, 0, sizeof(where), &where));
	MUST(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL));
	printf("finish: %s\n", error_name(clFinish(s.queue)));
	return 0;
}
