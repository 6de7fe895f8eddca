/*
 * A program that is built of its own binary, and held until standard input ends. Its kernel is launched a hundred times
 * before and once after; prints whether the result is right each time.
 */
#include "../programs/check.h"

#define NUMBERS 256
#define LAUNCHES 100

static const char text[] = "kernel void add(global uint *a) { a[get_global_id(0)] += 3; }";

/* The program that the binary of one makes. */
static cl_program again(const struct setup *s, cl_program first)
{
	unsigned char *bytes;
	size_t size = 0;
	cl_program second;

	MUST(clGetProgramInfo(first, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
	bytes = malloc(size);
	MUST(clGetProgramInfo(first, CL_PROGRAM_BINARIES, sizeof(bytes), &bytes, NULL));
	second = NEED(clCreateProgramWithBinary(s->context, 1, &s->device, &size, (const unsigned char **)&bytes, NULL, &error));
	free(bytes);
	MUST(clBuildProgram(second, 1, &s->device, "", NULL, NULL));
	return second;
}

static void launch(const struct setup *s, cl_kernel kernel, int times)
{
	size_t global = NUMBERS;

	while (times-- > 0)
		MUST(clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
	MUST(clFinish(s->queue));
}

static bool are_all(const struct setup *s, cl_mem memory, cl_uint expected)
{
	cl_uint numbers[NUMBERS];
	bool right = true;

	MUST(clEnqueueReadBuffer(s->queue, memory, CL_TRUE, 0, sizeof(numbers), numbers, 0, NULL, NULL));
	for (int i = 0; i < NUMBERS; i++)
		right &= numbers[i] == expected;
	return right;
}

int main(void)
{
	struct setup s = set_up();
	cl_uint numbers[NUMBERS] = { 0 };
	cl_mem memory = NEED(clCreateBuffer(s.context, CL_MEM_COPY_HOST_PTR, sizeof(numbers), numbers, &error));
	cl_program first = build(&s, text, "");
	cl_program second = again(&s, first);
	cl_kernel kernel = NEED(clCreateKernel(second, "add", &error));
	bool right;

	MUST(clReleaseProgram(first));
	MUST(clSetKernelArg(kernel, 0, sizeof(memory), &memory));
	launch(&s, kernel, LAUNCHES);
	printf("before: %s\n", are_all(&s, memory, 3 * LAUNCHES) ? "right" : "WRONG");
	fflush(stdout);
	while (getchar() != EOF)
		;
	launch(&s, kernel, 1);
	right = are_all(&s, memory, 3 * LAUNCHES + 3);
	printf("after: %s\n", right ? "right" : "WRONG");
	return !right;
}
