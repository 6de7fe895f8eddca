/* Answers whose size an application asks first: the bytes that it asks for then have that size. */
#include "check.h"

#include <unistd.h>

enum { ROUNDS = 20, GUARD = 4096, WHILE_US = 60000 };

static const char text[] = "kernel void k(global uint *a, uint b) { a[get_global_id(0)] += b; }";
static const char wrong[] = "kernel void k(global uint *a) { a[get_global_id(0)] += not_declared; }";

static bool is_untouched(const unsigned char *guard)
{
	for (int i = 0; i < GUARD; i++)
		if (guard[i] != 0xa5)
			return false;
	return true;
}

/* Memory with a guard behind it, after a while in which a session may move. */
static unsigned char *guarded(size_t size)
{
	unsigned char *bytes = malloc(size + GUARD);

	usleep(WHILE_US);
	memset(bytes, 0, size);
	memset(bytes + size, 0xa5, GUARD);
	return bytes;
}

static bool binary_is_whole(const struct setup *s, cl_program program)
{
	size_t size = 0;
	unsigned char *bytes;
	cl_program second;
	cl_int status = NOT_WRITTEN;
	bool right;

	MUST(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL));
	bytes = guarded(size);
	MUST(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(bytes), &bytes, NULL));
	right = size > 0 && is_untouched(bytes + size);
	second = clCreateProgramWithBinary(s->context, 1, &s->device, &size, (const unsigned char **)&bytes, &status, &error);
	right &= second && status == CL_SUCCESS && clBuildProgram(second, 1, &s->device, "", NULL, NULL) == CL_SUCCESS;
	if (second)
		MUST(clReleaseProgram(second));
	free(bytes);
	return right;
}

static bool log_is_whole(const struct setup *s, cl_program program)
{
	size_t size = 0, got = 0;
	unsigned char *bytes;
	cl_int status;
	bool right;

	MUST(clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size));
	bytes = guarded(size);
	status = clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BUILD_LOG, size, bytes, &got);
	right = status == CL_SUCCESS && got == size && is_untouched(bytes + size);
	right &= strstr((const char *)bytes, "not_declared") != NULL;
	free(bytes);
	return right;
}

int main(void)
{
	struct setup s = set_up();
	int binaries = 0, logs = 0;

	for (int i = 0; i < ROUNDS; i++) {
		cl_program good = build(&s, text, "");
		const char *source = wrong;
		cl_program bad = NEED(clCreateProgramWithSource(s.context, 1, &source, NULL, &error));

		binaries += binary_is_whole(&s, good);
		clBuildProgram(bad, 1, &s.device, "", NULL, NULL);
		logs += log_is_whole(&s, bad);
		MUST(clReleaseProgram(good));
		MUST(clReleaseProgram(bad));
	}
	say_number("binaries that were whole", binaries);
	say_number("logs that were whole", logs);
	tear_down(&s);
	return 0;
}
