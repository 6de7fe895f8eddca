/* The fast Walsh transform of a vector, a launch for each of its steps. */
#include "workload.h"

static const char text[] =
	"kernel void walsh(global float *a, uint step)\n"
	"{ uint g = get_global_id(0), group = g % step, pair = 2 * step * (g / step) + group;\n"
	"  float x = a[pair], y = a[pair + step]; a[pair] = x + y; a[pair + step] = x - y; }";

static void on_processor(float *a, size_t count)
{
	for (size_t step = 1; step < count; step *= 2)
		for (size_t g = 0; g < count / 2; g++) {
			size_t pair = 2 * step * (g / step) + g % step;
			float x = a[pair], y = a[pair + step];

			a[pair] = x + y;
			a[pair + step] = x - y;
		}
}

int main(int argc, char **argv)
{
	struct workload w = workload(argc, argv, 1 << 18, 4);
	size_t bytes = w.size * sizeof(float);
	float *expected = random_floats(w.size, 1), *result = malloc(bytes);
	cl_kernel kernel = kernel_of(&w.s, text, "walsh");
	cl_mem buffer = memory(&w, NULL, bytes);

	ARGUMENT(kernel, 0, buffer);
	for (int i = WARM_UP; i < w.rounds; i++) {
		if (i == 0)
			begin(&w);
		MUST(clEnqueueWriteBuffer(w.s.queue, buffer, CL_TRUE, 0, bytes, expected, 0, NULL, NULL));
		for (cl_uint step = 1; step < w.size; step *= 2) {
			ARGUMENT(kernel, 1, step);
			launch(&w, kernel, w.size / 2, 0);
		}
		fetch(&w, buffer, result, bytes);
	}
	on_processor(expected, w.size);
	return end(&w, result, bytes, memcmp(expected, result, bytes) == 0);
}
