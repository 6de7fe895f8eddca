/* printf in kernels: what they print comes out at the program's standard output, before the finish returns. */
#include "check.h"

static const char text[] =
	"kernel void hello(global int *a, int n) { for (int i = 0; i < n; i++) printf(\"item %d of %s: %.3f %c %#x\\n\", i, \"all\",\n"
	"  i * 0.5f, 'a' + i % 26, a[i]); }";

int main(void)
{
	struct setup s = set_up();
	cl_kernel kernel = kernel_of(&s, text, "hello");
	cl_mem buffer = buffer_of(&s, 256, 1);
	size_t one = 1;

	SAY("buffer", clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	for (cl_int n = 1; n < 40; n *= 3) {
		SAY("n", clSetKernelArg(kernel, 1, sizeof(n), &n));
		MUST(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL));
		SAY("hello", clFinish(s.queue));
	}
	SAY("buffer", clReleaseMemObject(buffer));
	SAY("kernel", clReleaseKernel(kernel));
	tear_down(&s);
	return 0;
}
