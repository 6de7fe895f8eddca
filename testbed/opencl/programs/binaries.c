/* Binaries of programs: taken from one, given to another, and those that are none. */
#include "check.h"

static const char text[] = "kernel void k(global uint *a, uint b) { a[get_global_id(0)] += b; }";

static void wrong(const struct setup *s)
{
	const unsigned char *garbage = (const unsigned char *)"this is no binary of a program", *none = NULL;
	const size_t length = 30, nothing = 0;
	cl_int status = NOT_WRITTEN;
	cl_device_id null = NULL;

	MAKE("no context", clCreateProgramWithBinary(NULL, 1, &s->device, &length, &garbage, &status, &error));
	MAKE("no devices", clCreateProgramWithBinary(s->context, 0, &s->device, &length, &garbage, &status, &error));
	MAKE("no list of devices", clCreateProgramWithBinary(s->context, 1, NULL, &length, &garbage, &status, &error));
	MAKE("a NULL device", clCreateProgramWithBinary(s->context, 1, &null, &length, &garbage, &status, &error));
	MAKE("no lengths", clCreateProgramWithBinary(s->context, 1, &s->device, NULL, &garbage, &status, &error));
	status = NOT_WRITTEN;
	MAKE("a length of 0", clCreateProgramWithBinary(s->context, 1, &s->device, &nothing, &garbage, &status, &error));
	say_text("status of no bytes", error_name(status));
	status = NOT_WRITTEN;
	MAKE("a NULL binary", clCreateProgramWithBinary(s->context, 1, &s->device, &length, &none, &status, &error));
	say_text("status of a NULL binary", error_name(status));
	status = NOT_WRITTEN;
	MAKE("garbage", clCreateProgramWithBinary(s->context, 1, &s->device, &length, &garbage, &status, &error));
	say_text("status of garbage", error_name(status));
}

static unsigned char *binary_of(cl_program program, size_t *size)
{
	unsigned char *bytes;

	SAY("sizes", clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(*size), size, NULL));
	say_true("a binary", *size > 0);
	bytes = calloc(1, *size);
	SAY("one pointer too few", clGetProgramInfo(program, CL_PROGRAM_BINARIES, 7, &bytes, NULL));
	SAY("binaries", clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(bytes), &bytes, NULL));
	return bytes;
}

static void run(const struct setup *s, cl_program program)
{
	cl_kernel kernel = MAKE("of a binary", clCreateKernel(program, "k", &error));
	cl_mem buffer = buffer_of(s, 1024, 6);
	size_t global = 256;
	cl_uint added = 99;

	SAY("buffer", clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	SAY("value", clSetKernelArg(kernel, 1, sizeof(added), &added));
	SAY("of a binary", clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
	say_buffer("result", s, buffer, 1024);
	SAY("kernel", clReleaseKernel(kernel));
	SAY("buffer", clReleaseMemObject(buffer));
}

static void round_trip(const struct setup *s)
{
	cl_program first = build(s, text, ""), second;
	cl_program_binary_type type = 77;
	cl_int status = NOT_WRITTEN;
	size_t size = 0;
	unsigned char *bytes = binary_of(first, &size);

	second = MAKE("a binary", clCreateProgramWithBinary(s->context, 1, &s->device, &size,
							    (const unsigned char **)&bytes, &status, &error));
	say_text("status of a binary", error_name(status));
	SAY("a binary", clBuildProgram(second, 1, &s->device, "", NULL, NULL));
	SAY("type", clGetProgramBuildInfo(second, s->device, CL_PROGRAM_BINARY_TYPE, sizeof(type), &type, NULL));
	say_number("type", type);
	run(s, second);
	SAY("first", clReleaseProgram(first));
	SAY("second", clReleaseProgram(second));
	free(bytes);
}

int main(void)
{
	struct setup s = set_up();

	wrong(&s);
	round_trip(&s);
	tear_down(&s);
	return 0;
}
