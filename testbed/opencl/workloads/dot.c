/* Dot products of many pairs of vectors of four numbers. */
#include "workload.h"

static const char text[] =
	"kernel void dots(global const float4 *a, global const float4 *b, global float *c)\n"
	"{ size_t g = get_global_id(0); c[g] = dot(a[g], b[g]); }";

static bool is_right(const float *a, const float *b, const float *c, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double sum = 0;

		for (size_t k = 4 * i; k < 4 * i + 4; k++)
			sum += (double)a[k] * b[k];
		if (fabs(sum - c[i]) > 1e-5)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct workload w = workload(argc, argv, 1 << 18, 4);
	size_t bytes = w.size * 4 * sizeof(float);
	float *a = random_floats(4 * w.size, 8), *b = random_floats(4 * w.size, 9), *c = malloc(w.size * sizeof(float));
	cl_kernel kernel = kernel_of(&w.s, text, "dots");
	cl_mem left = memory(&w, NULL, bytes), right = memory(&w, NULL, bytes), out = memory(&w, NULL, bytes / 4);

	ARGUMENT(kernel, 0, left);
	ARGUMENT(kernel, 1, right);
	ARGUMENT(kernel, 2, out);
	for (int i = WARM_UP; i < w.rounds; i++) {
		if (i == 0)
			begin(&w);
		MUST(clEnqueueWriteBuffer(w.s.queue, left, CL_FALSE, 0, bytes, a, 0, NULL, NULL));
		MUST(clEnqueueWriteBuffer(w.s.queue, right, CL_FALSE, 0, bytes, b, 0, NULL, NULL));
		launch(&w, kernel, w.size, 0);
		fetch(&w, out, c, bytes / 4);
	}
	return end(&w, c, bytes / 4, is_right(a, b, c, w.size));
}
