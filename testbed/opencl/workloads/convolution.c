/* A separable convolution of a square picture, rows and then columns: size is its side. */
#include "workload.h"

#define RADIUS 8

static const char text[] =
	"kernel void rows(global const float *in, global float *out, constant float *f, int n)\n"
	"{ int x = get_global_id(0), y = get_global_id(1); float sum = 0;\n"
	"  for (int k = -8; k <= 8; k++) { int at = x + k; if (at >= 0 && at < n) sum += in[y * n + at] * f[8 - k]; } out[y * n + x] = sum; }\n"
	"kernel void columns(global const float *in, global float *out, constant float *f, int n)\n"
	"{ int x = get_global_id(0), y = get_global_id(1); float sum = 0;\n"
	"  for (int k = -8; k <= 8; k++) { int at = y + k; if (at >= 0 && at < n) sum += in[at * n + x] * f[8 - k]; } out[y * n + x] = sum; }";

static bool is_right(const float *in, const float *out, const float *f, int n)
{
	for (int y = 0; y < n; y += 37)
		for (int x = 0; x < n; x += 41) {
			double sum = 0;

			for (int j = -RADIUS; j <= RADIUS; j++)
				for (int i = -RADIUS; i <= RADIUS; i++)
					if (x + i >= 0 && x + i < n && y + j >= 0 && y + j < n)
						sum += (double)in[(y + j) * n + x + i] * f[RADIUS - i] * f[RADIUS - j];
			if (fabs(sum - out[y * n + x]) > 1e-3)
				return false;
		}
	return true;
}

int main(int argc, char **argv)
{
	struct workload w = workload(argc, argv, 512, 4);
	size_t bytes = w.size * w.size * sizeof(float);
	float *in = random_floats(w.size * w.size, 6), *filter = random_floats(2 * RADIUS + 1, 7), *out = malloc(bytes);
	cl_program program = build(&w.s, text, "");
	cl_kernel rows = NEED(clCreateKernel(program, "rows", &error)), columns = NEED(clCreateKernel(program, "columns", &error));
	cl_mem source = memory(&w, NULL, bytes), between = memory(&w, NULL, bytes), target = memory(&w, NULL, bytes);
	cl_mem factors = memory(&w, filter, (2 * RADIUS + 1) * sizeof(float));
	cl_int n = (cl_int)w.size;

	ARGUMENT(rows, 0, source);
	ARGUMENT(rows, 1, between);
	ARGUMENT(columns, 0, between);
	ARGUMENT(columns, 1, target);
	ARGUMENT(rows, 2, factors);
	ARGUMENT(columns, 2, factors);
	ARGUMENT(rows, 3, n);
	ARGUMENT(columns, 3, n);
	for (int i = WARM_UP; i < w.rounds; i++) {
		if (i == 0)
			begin(&w);
		MUST(clEnqueueWriteBuffer(w.s.queue, source, CL_FALSE, 0, bytes, in, 0, NULL, NULL));
		launch_plane(&w, rows, w.size, w.size, 0);
		launch_plane(&w, columns, w.size, w.size, 0);
		fetch(&w, target, out, bytes);
	}
	return end(&w, out, bytes, is_right(in, out, filter, n));
}
