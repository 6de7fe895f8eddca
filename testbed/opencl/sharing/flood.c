/*
 * Launches of a kernel without end: items, and loops of each. Prints how many have run, whenever some have, until it is
 * ended. Results are checked each time.
 */
#include "../programs/check.h"
#include <unistd.h>

#define BATCH 32 /* launches that are counted together, twice as many being queued */

static const char text[] =
	"kernel void work(global uint *out, uint loops, uint begin)\n"
	"{ uint x = begin; for (uint i = 0; i < loops; i++) x = x * 1664525u + 1013904223u; out[get_global_id(0)] = x; }";

static cl_uint expected(cl_uint x, cl_uint loops)
{
	for (cl_uint i = 0; i < loops; i++)
		x = x * 1664525u + 1013904223u;
	return x;
}

int main(int argc, char **argv)
{
	struct setup s = set_up();
	size_t items = argc > 1 ? strtoull(argv[1], NULL, 0) : 1024;
	cl_uint loops = argc > 2 ? (cl_uint)strtoul(argv[2], NULL, 0) : 1000;
	cl_kernel kernel = kernel_of(&s, text, "work");
	cl_mem out = NEED(clCreateBuffer(s.context, 0, items * sizeof(cl_uint), NULL, &error));
	cl_event ends[2] = { NULL, NULL };
	cl_uint last;

	MUST(clSetKernelArg(kernel, 0, sizeof(out), &out));
	MUST(clSetKernelArg(kernel, 1, sizeof(loops), &loops));
	for (cl_uint batch = 0;; batch++) {
		cl_event *end = &ends[batch % 2];

		MUST(clSetKernelArg(kernel, 2, sizeof(batch), &batch));
		for (int i = 0; i < BATCH; i++)
			MUST(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &items, NULL, 0, NULL, i < BATCH - 1 ? NULL : end));
		MUST(clFlush(s.queue));
		if (batch == 0)
			continue;
		end = &ends[(batch - 1) % 2];
		MUST(clWaitForEvents(1, end));
		MUST(clReleaseEvent(*end));
		if (batch % 64 == 0) {
			MUST(clEnqueueReadBuffer(s.queue, out, CL_TRUE, (items - 1) * sizeof(last), sizeof(last), &last, 0, NULL, NULL));
			if (last != expected(batch, loops)) {
				printf("WRONG: %u\n", last);
				return 1;
			}
		}
		printf("launches: %lu\n", (unsigned long)batch * BATCH);
		fflush(stdout);
	}
}
