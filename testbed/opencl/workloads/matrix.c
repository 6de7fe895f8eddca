/* The product of two square matrices, by tiles in local memory: size is their side, a multiple of 16. */
#include "workload.h"

static const char text[] =
	"kernel void product(global const float *a, global const float *b, global float *c, uint n)\n"
	"{ local float ta[16][16], tb[16][16]; uint x = get_global_id(0), y = get_global_id(1), i = get_local_id(0), j = get_local_id(1);\n"
	"  float sum = 0;\n"
	"  for (uint t = 0; t < n; t += 16) { ta[j][i] = a[y * n + t + i]; tb[j][i] = b[(t + j) * n + x];\n"
	"    barrier(CLK_LOCAL_MEM_FENCE); for (uint k = 0; k < 16; k++) sum += ta[j][k] * tb[k][i]; barrier(CLK_LOCAL_MEM_FENCE); }\n"
	"  c[y * n + x] = sum; }";

static bool is_right(const float *a, const float *b, const float *c, size_t n)
{
	for (size_t y = 0; y < n; y += 7)
		for (size_t x = 0; x < n; x += 11) {
			double sum = 0;

			for (size_t k = 0; k < n; k++)
				sum += (double)a[y * n + k] * b[k * n + x];
			if (fabs(sum - c[y * n + x]) > 1e-4 * (double)n)
				return false;
		}
	return true;
}

int main(int argc, char **argv)
{
	struct workload w = workload(argc, argv, 256, 2);
	size_t bytes = w.size * w.size * sizeof(float);
	float *a = random_floats(w.size * w.size, 3), *b = random_floats(w.size * w.size, 4), *c = malloc(bytes);
	cl_kernel kernel = kernel_of(&w.s, text, "product");
	cl_mem left = memory(&w, NULL, bytes), right = memory(&w, NULL, bytes), out = memory(&w, NULL, bytes);
	cl_uint n = (cl_uint)w.size;

	ARGUMENT(kernel, 0, left);
	ARGUMENT(kernel, 1, right);
	ARGUMENT(kernel, 2, out);
	ARGUMENT(kernel, 3, n);
	for (int i = WARM_UP; i < w.rounds; i++) {
		if (i == 0)
			begin(&w);
		MUST(clEnqueueWriteBuffer(w.s.queue, left, CL_FALSE, 0, bytes, a, 0, NULL, NULL));
		MUST(clEnqueueWriteBuffer(w.s.queue, right, CL_FALSE, 0, bytes, b, 0, NULL, NULL));
		launch_plane(&w, kernel, w.size, w.size, 16);
		fetch(&w, out, c, bytes);
	}
	return end(&w, c, bytes, is_right(a, b, c, w.size));
}
