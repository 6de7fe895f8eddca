/* Separate compilation: programs compiled with headers, linked together and into libraries. */
#include "check.h"

static const char header[] = "int twice(int x);\n#define OFFSET 100\n";
static const char library[] = "#include \"twice.h\"\nint twice(int x) { return 2 * x + OFFSET; }\n";
static const char user[] = "#include \"twice.h\"\n"
			   "kernel void k(global int *a, global const int *none, ulong large, ulong small)\n"
			   "{ int i = get_global_id(0); a[i] = twice(a[i]) + (none ? none[0] : 3) + (int)(large >> 20) + (int)small; }\n";

static cl_program source_of(const struct setup *s, const char *text)
{
	return NEED(clCreateProgramWithSource(s->context, 1, &text, NULL, &error));
}

static void say_type(const char *what, const struct setup *s, cl_program program)
{
	cl_program_binary_type type = 77;

	SAY(what, clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BINARY_TYPE, sizeof(type), &type, NULL));
	say_number(what, type);
}

static void wrong(const struct setup *s)
{
	cl_program program = source_of(s, user), other = source_of(s, header), linked;
	const char *name = "twice.h";
	int data;

	SAY("NULL", clCompileProgram(NULL, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
	SAY("a count without devices", clCompileProgram(program, 1, NULL, "", 0, NULL, NULL, NULL, NULL));
	SAY("devices without a count", clCompileProgram(program, 0, &s->device, "", 0, NULL, NULL, NULL, NULL));
	SAY("headers without a count", clCompileProgram(program, 0, NULL, "", 0, &other, &name, NULL, NULL));
	SAY("data for no callback", clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, &data));
	SAY("unknown option", clCompileProgram(program, 0, NULL, "-nobody-knows-this", 0, NULL, NULL, NULL, NULL));
	SAY("without its header", clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
	linked = MAKE("no context", clLinkProgram(NULL, 0, NULL, "", 1, &program, NULL, NULL, &error));
	linked = MAKE("no programs", clLinkProgram(s->context, 0, NULL, "", 0, NULL, NULL, NULL, &error));
	linked = MAKE("a count without programs", clLinkProgram(s->context, 0, NULL, "", 1, NULL, NULL, NULL, &error));
	linked = MAKE("devices without a count", clLinkProgram(s->context, 0, &s->device, "", 1, &program, NULL, NULL, &error));
	linked = MAKE("not compiled", clLinkProgram(s->context, 0, NULL, "", 1, &other, NULL, NULL, &error));
	linked = MAKE("data for no callback", clLinkProgram(s->context, 0, NULL, "", 1, &other, NULL, &data, &error));
	(void)linked;
	SAY("program", clReleaseProgram(program));
	SAY("other", clReleaseProgram(other));
}

static void run(const struct setup *s, cl_program program)
{
	cl_kernel kernel = MAKE("of linked programs", clCreateKernel(program, "k", &error));
	cl_mem buffer = buffer_of(s, 256, 4);
	cl_mem none = NULL;
	cl_ulong large = 0x123456789abcull, small = 70000;
	size_t global = 64;

	/* Of linked programs some do not say what is a buffer and what a number of as many bytes. */
	SAY("buffer", clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
	SAY("no buffer", clSetKernelArg(kernel, 1, sizeof(none), &none));
	SAY("a number as long as an address", clSetKernelArg(kernel, 2, sizeof(large), &large));
	SAY("a small one", clSetKernelArg(kernel, 3, sizeof(small), &small));
	SAY("linked", clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
	say_buffer("result", s, buffer, 256);
	SAY("kernel", clReleaseKernel(kernel));
	SAY("buffer", clReleaseMemObject(buffer));
}

static void right(const struct setup *s)
{
	cl_program parts[2] = { source_of(s, library), source_of(s, user) }, headers[] = { source_of(s, header) };
	cl_program linked, lib;
	const char *names[] = { "twice.h" };

	SAY("library", clCompileProgram(parts[0], 0, NULL, "", 1, headers, names, NULL, NULL));
	SAY("user", clCompileProgram(parts[1], 1, &s->device, "", 1, headers, names, NULL, NULL));
	say_type("compiled", s, parts[0]);
	MAKE("of a compiled program", clCreateKernel(parts[1], "k", &error));
	linked = MAKE("both", clLinkProgram(s->context, 1, &s->device, "", 2, parts, NULL, NULL, &error));
	say_type("linked", s, linked);
	run(s, linked);
	SAY("linked", clReleaseProgram(linked));
	lib = MAKE("a library", clLinkProgram(s->context, 0, NULL, "-create-library", 1, parts, NULL, NULL, &error));
	say_type("a library", s, lib);
	linked = MAKE("with a library", clLinkProgram(s->context, 0, NULL, "", 2, (cl_program[]){ lib, parts[1] }, NULL, NULL, &error));
	run(s, linked);
	SAY("linked", clReleaseProgram(linked));
	SAY("library", clReleaseProgram(lib));
	SAY("header", clReleaseProgram(headers[0]));
	SAY("library", clReleaseProgram(parts[0]));
	SAY("user", clReleaseProgram(parts[1]));
}

int main(void)
{
	struct setup s = set_up();

	wrong(&s);
	right(&s);
	tear_down(&s);
	return 0;
}
