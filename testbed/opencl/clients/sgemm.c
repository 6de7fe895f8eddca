/* A client of CLBlast: products of matrices, compared with the processor's. */
#include <clblast_c.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void fill(float *a, size_t count, unsigned seed)
{
	for (size_t i = 0; i < count; i++) {
		seed = seed * 1664525u + 1013904223u;
		a[i] = (float)(seed >> 16) / 65536 - 0.5f;
	}
}

static double worst(const float *a, const float *b, const float *c, size_t n)
{
	double most = 0;

	for (size_t y = 0; y < n; y += 3)
		for (size_t x = 0; x < n; x += 5) {
			double sum = 0;

			for (size_t k = 0; k < n; k++)
				sum += (double)a[y * n + k] * b[k * n + x];
			most = fmax(most, fabs(sum - c[y * n + x]));
		}
	return most;
}

static int product(cl_context context, cl_command_queue queue, size_t n)
{
	size_t bytes = n * n * sizeof(float);
	float *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes);
	cl_mem ma, mb, mc = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, NULL);
	cl_event event = NULL;
	CLBlastStatusCode status;

	fill(a, n * n, 1);
	fill(b, n * n, 2);
	ma = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, bytes, a, NULL);
	mb = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, bytes, b, NULL);
	status = CLBlastSgemm(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, n, n, n, 1.0f, ma, 0, n, mb, 0, n,
			      0.0f, mc, 0, n, &queue, &event);
	printf("CLBlastSgemm: %zu: %d\n", n, status);
	if (status != CLBlastSuccess)
		return 1;
	clWaitForEvents(1, &event);
	clReleaseEvent(event);
	clEnqueueReadBuffer(queue, mc, CL_TRUE, 0, bytes, c, 0, NULL, NULL);
	printf("right: %s\n", worst(a, b, c, n) < 1e-3 ? "yes" : "NO");
	clReleaseMemObject(ma);
	clReleaseMemObject(mb);
	clReleaseMemObject(mc);
	free(a);
	free(b);
	free(c);
	return 0;
}

int main(void)
{
	cl_platform_id platform;
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	int failed;

	if (clGetPlatformIDs(1, &platform, NULL) || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
		return 1;
	context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
	queue = clCreateCommandQueue(context, device, 0, NULL);
	failed = product(context, queue, 64) || product(context, queue, 257);
	clReleaseCommandQueue(queue);
	clReleaseContext(context);
	return failed;
}
