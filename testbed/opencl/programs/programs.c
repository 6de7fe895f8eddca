/* Programs: sources, builds and their logs, options, information. */
#include "check.h"

static const char right[] = "kernel void first(global int *a) { a[get_global_id(0)] = FACTOR * 2; }\n"
			    "kernel void second(global int *a, int b) { a[get_global_id(0)] += b; }\n";
static const char broken[] = "kernel void k(global int *a) { a[0] = undeclared; }\n";

static void sources(const struct setup *s)
{
	const char *one = right, *pieces[] = { "kernel void k(glo", "bal int *a) {", " a[0] = 1; } garbage" };
	const char *holed[] = { one, NULL };
	const size_t lengths[] = { 0, 0, 12 };
	cl_program program;
	char text[256];
	size_t size = 77;

	MAKE("no context", clCreateProgramWithSource(NULL, 1, &one, NULL, &error));
	MAKE("none of them", clCreateProgramWithSource(s->context, 0, &one, NULL, &error));
	MAKE("a NULL string", clCreateProgramWithSource(s->context, 2, holed, NULL, &error));
	program = MAKE("pieces", clCreateProgramWithSource(s->context, 3, pieces, lengths, &error));
	SAY("source", clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof(text), text, &size));
	say_text("source", text);
	say_number("its size", (long long)size);
	SAY("one byte too few", clGetProgramInfo(program, CL_PROGRAM_SOURCE, size - 1, text, NULL));
	SAY("pieces", clBuildProgram(program, 1, &s->device, NULL, NULL, NULL));
	SAY("pieces", clReleaseProgram(program));
	program = MAKE("empty", (one = "", clCreateProgramWithSource(s->context, 1, &one, NULL, &error)));
	SAY("empty", clReleaseProgram(program));
}

static void wrong_builds(const struct setup *s)
{
	const char *text = right;
	cl_program program = NEED(clCreateProgramWithSource(s->context, 1, &text, NULL, &error));
	int user;

	SAY("NULL", clBuildProgram(NULL, 0, NULL, NULL, NULL, NULL));
	SAY("a count without a list", clBuildProgram(program, 1, NULL, "-DFACTOR=1", NULL, NULL));
	SAY("a list without a count", clBuildProgram(program, 0, &s->device, "-DFACTOR=1", NULL, NULL));
	SAY("data for no callback", clBuildProgram(program, 0, NULL, "-DFACTOR=1", NULL, &user));
	SAY("unknown option", clBuildProgram(program, 0, NULL, "-nobody-knows-this", NULL, NULL));
	SAY("program", clReleaseProgram(program));
}

static void say_build(const struct setup *s, cl_program program)
{
	cl_build_status status = 77;
	cl_program_binary_type type = 77;
	char options[256] = "";
	static char log[65536];
	size_t size = 77, global = 77;

	SAY("status", clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, &size));
	say_number("status", status);
	SAY("options", clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BUILD_OPTIONS, sizeof(options), options, &size));
	say_text("options", options);
	SAY("type", clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BINARY_TYPE, sizeof(type), &type, &size));
	say_number("type", type);
	SAY("variables", clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE,
					       sizeof(global), &global, &size));
	SAY("log", clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, &size));
	say_true("a log", size > 1);
	say_true("it names the error", strstr(log, "undeclared") != NULL);
	SAY("unknown", clGetProgramBuildInfo(program, s->device, 0x7777, sizeof(log), log, &size));
	SAY("no device", clGetProgramBuildInfo(program, NULL, CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, &size));
	SAY("no program", clGetProgramBuildInfo(NULL, s->device, CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, &size));
	SAY("one byte too few", clGetProgramBuildInfo(program, s->device, CL_PROGRAM_BUILD_STATUS, 3, &status, &size));
}

static void information(const struct setup *s, cl_program program)
{
	cl_context context = NULL;
	cl_device_id device = NULL;
	cl_uint number = 77;
	char names[256] = "";
	cl_bool has = 77;
	size_t size = 77, kernels = 77, binary = 77;

	SAY("context", clGetProgramInfo(program, CL_PROGRAM_CONTEXT, sizeof(context), &context, NULL));
	say_true("its context", context == s->context);
	SAY("devices", clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof(device), &device, NULL));
	say_true("its device", device == s->device);
	SAY("count of devices", clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof(number), &number, NULL));
	say_number("devices", number);
	SAY("references", clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof(number), &number, NULL));
	say_number("references", number);
	SAY("kernels", clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(kernels), &kernels, NULL));
	say_number("kernels", (long long)kernels);
	SAY("names", clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof(names), names, NULL));
	say_text("names", names);
	SAY("sizes of binaries", clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(binary), &binary, &size));
	say_number("size of the sizes", (long long)size);
	SAY("IL", clGetProgramInfo(program, CL_PROGRAM_IL, 0, NULL, &size));
	say_number("size of the IL", (long long)size);
	SAY("constructors", clGetProgramInfo(program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, sizeof(has), &has, NULL));
	SAY("destructors", clGetProgramInfo(program, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, sizeof(has), &has, NULL));
	SAY("unknown", clGetProgramInfo(program, 0x7777, sizeof(has), &has, NULL));
	SAY("NULL", clGetProgramInfo(NULL, CL_PROGRAM_CONTEXT, sizeof(context), &context, NULL));
	SAY("one byte too few", clGetProgramInfo(program, CL_PROGRAM_CONTEXT, 7, &context, NULL));
}

static void builds(const struct setup *s)
{
	const char *text = right;
	cl_program program = NEED(clCreateProgramWithSource(s->context, 1, &text, NULL, &error));

	say_build(s, program);
	SAY("without its macro", clBuildProgram(program, 0, NULL, "", NULL, NULL));
	say_build(s, program);
	SAY("with its macro", clBuildProgram(program, 1, &s->device, "-DFACTOR=21 -cl-mad-enable", NULL, NULL));
	say_build(s, program);
	information(s, program);
	SAY("once more", clBuildProgram(program, 0, NULL, "-D FACTOR=5", NULL, NULL));
	say_build(s, program);
	SAY("once more", clRetainProgram(program));
	SAY("once less", clReleaseProgram(program));
	SAY("program", clReleaseProgram(program));
	program = NEED(clCreateProgramWithSource(s->context, 1, (text = broken, &text), NULL, &error));
	SAY("broken", clBuildProgram(program, 0, NULL, "", NULL, NULL));
	say_build(s, program);
	MAKE("of a broken program", clCreateKernel(program, "k", &error));
	SAY("broken", clReleaseProgram(program));
	SAY("NULL", clRetainProgram(NULL));
	SAY("NULL", clReleaseProgram(NULL));
}

static void rebuilt_while_used(const struct setup *s)
{
	cl_program program = build(s, "kernel void k(global int *a) { }", "");
	cl_kernel kernel = NEED(clCreateKernel(program, "k", &error));

	SAY("with a kernel", clBuildProgram(program, 0, NULL, "", NULL, NULL));
	SAY("kernel", clReleaseKernel(kernel));
	SAY("without", clBuildProgram(program, 0, NULL, "", NULL, NULL));
	SAY("program", clReleaseProgram(program));
}

static _Atomic int told;

static void CL_CALLBACK on_built(cl_program program, void *user)
{
	(void)program;
	told = *(int *)user;
}

static void callbacks(const struct setup *s)
{
	const char *text = "kernel void k(global int *a) { a[0] = 3; }";
	cl_program program = NEED(clCreateProgramWithSource(s->context, 1, &text, NULL, &error));
	int user = 42;

	SAY("with a callback", clBuildProgram(program, 0, NULL, "", on_built, &user));
	while (!told)
		;
	say_number("told", told);
	SAY("program", clReleaseProgram(program));
}

static void CL_CALLBACK released(cl_program program, void *user)
{
	(void)program, (void)user;
}

static void others(const struct setup *s)
{
	cl_program program = build(s, "kernel void k(global int *a) { }", "");
	int value = 1;

	MAKE("no context", clCreateProgramWithBuiltInKernels(NULL, 1, &s->device, "k", &error));
	MAKE("no devices", clCreateProgramWithBuiltInKernels(s->context, 0, NULL, "k", &error));
	MAKE("no names", clCreateProgramWithBuiltInKernels(s->context, 1, &s->device, NULL, &error));
	MAKE("unknown", clCreateProgramWithBuiltInKernels(s->context, 1, &s->device, "nobody.knows.this", &error));
	MAKE("no context", clCreateProgramWithIL(NULL, "1234", 4, &error));
	MAKE("no IL", clCreateProgramWithIL(s->context, NULL, 4, &error));
	MAKE("none of it", clCreateProgramWithIL(s->context, "1234", 0, &error));
	SAY("of NULL", clSetProgramSpecializationConstant(NULL, 0, 4, &value));
	SAY("not of IL", clSetProgramSpecializationConstant(program, 0, 4, &value));
	SAY("of NULL", clSetProgramReleaseCallback(NULL, released, NULL));
	SAY("of a program", clSetProgramReleaseCallback(program, released, NULL));
	SAY("program", clReleaseProgram(program));
}

int main(void)
{
	struct setup s = set_up();

	sources(&s);
	wrong_builds(&s);
	builds(&s);
	rebuilt_while_used(&s);
	callbacks(&s);
	others(&s);
	tear_down(&s);
	return 0;
}
