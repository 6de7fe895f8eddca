/* A program that forks before it uses OpenCL: parent and child each with their own. */
#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

static uint64_t work(uint32_t seed)
{
	struct setup s;
	cl_kernel kernel;
	cl_mem buffer;
	size_t global = 1024;
	char back[4096];

	MUST(clGetPlatformIDs(1, &s.platform, NULL));
	MUST(clGetDeviceIDs(s.platform, CL_DEVICE_TYPE_ALL, 1, &s.device, NULL));
	s.context = NEED(clCreateContext(NULL, 1, &s.device, NULL, NULL, &error));
	s.queue = NEED(clCreateCommandQueue(s.context, s.device, 0, &error));
	kernel = kernel_of(&s, "kernel void k(global uint *a) { a[get_global_id(0)] *= 5; }", "k");
	buffer = buffer_of(&s, sizeof(back), seed);
	MUST(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	MUST(clEnqueueNDRangeKernel(s.queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
	MUST(clEnqueueReadBuffer(s.queue, buffer, CL_TRUE, 0, sizeof(back), back, 0, NULL, NULL));
	return checksum(back, sizeof(back));
}

int main(void)
{
	int pipes[2], status;
	uint64_t sum = 0;
	pid_t child;

	if (pipe(pipes) || (child = fork()) < 0)
		return 1;
	if (child == 0) {
		sum = work(2);
		_exit(write(pipes[1], &sum, sizeof(sum)) != sizeof(sum));
	}
	printf("parent: %016llx\n", (unsigned long long)work(1));
	if (read(pipes[0], &sum, sizeof(sum)) != sizeof(sum))
		return 1;
	printf("child: %016llx\n", (unsigned long long)sum);
	waitpid(child, &status, 0);
	say_number("child ended with", WEXITSTATUS(status));
	return 0;
}
