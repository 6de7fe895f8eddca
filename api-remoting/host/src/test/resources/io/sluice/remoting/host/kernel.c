// Compiles and runs a kernel on the first OpenCL device, and prints whether its results are right.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

static const char *source =
    "__kernel void twice(__global int *a) {"
    "  int i = get_global_id(0);"
    "  a[i] = 2 * a[i] + (int)(0.5f * fabs(sin((float)i)));"
    "}";

static int failed(const char *what, cl_int error) {
  printf("%s %d\n", what, error);
  return 1;
}

int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int error;
  int words[64];
  size_t size = 64;
  if ((error = clGetPlatformIDs(1, &platform, NULL))) return failed("platform", error);
  if ((error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))) return failed("device", error);
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  if (error) return failed("context", error);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  if (error) return failed("queue", error);
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  if ((error = clBuildProgram(program, 1, &device, "", NULL, NULL))) return failed("build", error);
  cl_kernel kernel = clCreateKernel(program, "twice", &error);
  if (error) return failed("kernel", error);
  for (int i = 0; i < 64; i++) words[i] = i;
  cl_mem memory = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof words, words, &error);
  if (error) return failed("buffer", error);
  clSetKernelArg(kernel, 0, sizeof memory, &memory);
  if ((error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL))) return failed("run", error);
  if ((error = clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL))) return failed("read", error);
  for (int i = 0; i < 64; i++) {
    if (words[i] != 2 * i) return failed("wrong", i);
  }
  printf("right\n");
  return 0;
}
