/*
 * A buffer of so many MiB, held until standard input ends. Prints how making it ended, then whether it still has its
 * contents.
 */
#include "../programs/check.h"

int main(int argc, char **argv)
{
	struct setup s = set_up();
	size_t bytes = (argc > 1 ? strtoull(argv[1], NULL, 0) : 1) << 20;
	cl_mem memory = clCreateBuffer(s.context, 0, bytes, NULL, &error);
	cl_uint value = 0x12345678, last = 0;

	printf("buffer: %s\n", error_name(error));
	fflush(stdout);
	if (!memory)
		return 1;
	MUST(clEnqueueFillBuffer(s.queue, memory, &value, sizeof(value), 0, bytes, 0, NULL, NULL));
	MUST(clFinish(s.queue));
	printf("holding\n");
	fflush(stdout);
	while (getchar() != EOF)
		;
	MUST(clEnqueueReadBuffer(s.queue, memory, CL_TRUE, bytes - sizeof(last), sizeof(last), &last, 0, NULL, NULL));
	printf("contents: %s\n", last == value ? "right" : "WRONG");
	return last != value;
}
