/* Kernels: how they are made, what they and their arguments say. */
#include "check.h"

static const char text[] =
	"kernel __attribute__((reqd_work_group_size(8, 4, 1))) void fixed(global int *a) { a[0] = 1; }\n"
	"kernel void various(global const float *in, constant int *table, local uint *scratch, float4 v, \n"
	"                    read_only image2d_t picture, sampler_t how, global volatile int *restrict out)\n"
	"{ scratch[0] = table[0]; out[0] = (int)(in[0] + v.x + read_imagef(picture, how, (float2)(0, 0)).x); }\n"
	"kernel void plain(int a) { }\n";

static void making(const struct setup *s, cl_program program)
{
	const char *source = text;
	cl_program unbuilt = NEED(clCreateProgramWithSource(s->context, 1, &source, NULL, &error));
	cl_kernel kernels[8] = { NULL };
	cl_uint count = 77;

	MAKE("of NULL", clCreateKernel(NULL, "plain", &error));
	MAKE("no name", clCreateKernel(program, NULL, &error));
	MAKE("empty name", clCreateKernel(program, "", &error));
	MAKE("unknown name", clCreateKernel(program, "nobody", &error));
	MAKE("not built", clCreateKernel(unbuilt, "plain", &error));
	SAY("of NULL", clCreateKernelsInProgram(NULL, 0, NULL, &count));
	SAY("not built", clCreateKernelsInProgram(unbuilt, 0, NULL, &count));
	SAY("too few places", clCreateKernelsInProgram(program, 1, kernels, &count));
	SAY("count", clCreateKernelsInProgram(program, 0, NULL, &count));
	say_number("kernels", count);
	SAY("all", clCreateKernelsInProgram(program, COUNT(kernels), kernels, &count));
	for (cl_uint i = 0; i < count; i++) {
		char name[64] = "";

		SAY("name", clGetKernelInfo(kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof(name), name, NULL));
		say_text("name", name);
		SAY("each", clReleaseKernel(kernels[i]));
	}
	SAY("unbuilt", clReleaseProgram(unbuilt));
	SAY("NULL", clRetainKernel(NULL));
	SAY("NULL", clReleaseKernel(NULL));
}

static void information(const struct setup *s, cl_program program, cl_kernel kernel)
{
	char name[64] = "", attributes[256] = "";
	cl_uint number = 77;
	cl_context context = NULL;
	cl_program of = NULL;
	size_t size = 77;

	SAY("name", clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof(name), name, &size));
	say_text("name", name);
	say_number("its size", (long long)size);
	SAY("arguments", clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof(number), &number, NULL));
	say_number("arguments", number);
	SAY("references", clGetKernelInfo(kernel, CL_KERNEL_REFERENCE_COUNT, sizeof(number), &number, NULL));
	say_number("references", number);
	SAY("context", clGetKernelInfo(kernel, CL_KERNEL_CONTEXT, sizeof(context), &context, NULL));
	say_true("its context", context == s->context);
	SAY("program", clGetKernelInfo(kernel, CL_KERNEL_PROGRAM, sizeof(of), &of, NULL));
	say_true("its program", of == program);
	SAY("attributes", clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, sizeof(attributes), attributes, NULL));
	say_text("attributes", attributes);
	SAY("one byte too few", clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, size - 1, name, NULL));
	SAY("unknown", clGetKernelInfo(kernel, 0x7777, sizeof(name), name, NULL));
	SAY("NULL", clGetKernelInfo(NULL, CL_KERNEL_FUNCTION_NAME, sizeof(name), name, NULL));
}

static void arguments(cl_kernel kernel, cl_uint count)
{
	cl_kernel_arg_address_qualifier address = 0;
	cl_kernel_arg_access_qualifier access = 0;
	cl_kernel_arg_type_qualifier qualifier = 0;
	char name[64], type[64];
	size_t size;

	for (cl_uint i = 0; i < count; i++) {
		name[0] = type[0] = 0;
		SAY("address", clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(address), &address, NULL));
		say_number("address", address);
		SAY("access", clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof(access), &access, NULL));
		say_number("access", access);
		SAY("qualifier", clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof(qualifier), &qualifier, NULL));
		say_number("qualifier", (long long)qualifier);
		SAY("type", clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_TYPE_NAME, sizeof(type), type, NULL));
		say_text("type", type);
		SAY("name", clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, sizeof(name), name, &size));
		say_text("name", name);
		SAY("one byte too few", clGetKernelArgInfo(kernel, i, CL_KERNEL_ARG_NAME, size - 1, name, NULL));
	}
	SAY("beyond the last", clGetKernelArgInfo(kernel, count, CL_KERNEL_ARG_NAME, sizeof(name), name, NULL));
	SAY("unknown", clGetKernelArgInfo(kernel, 0, 0x7777, sizeof(name), name, NULL));
	SAY("NULL", clGetKernelArgInfo(NULL, 0, CL_KERNEL_ARG_NAME, sizeof(name), name, NULL));
}

static void groups(const struct setup *s, cl_kernel kernel)
{
	static const struct {
		cl_kernel_work_group_info param;
		const char *name;
		size_t size;
	} params[] = {
		{ CL_KERNEL_WORK_GROUP_SIZE, "size", sizeof(size_t) },
		{ CL_KERNEL_COMPILE_WORK_GROUP_SIZE, "compiled size", 3 * sizeof(size_t) },
		{ CL_KERNEL_LOCAL_MEM_SIZE, "local memory", sizeof(cl_ulong) },
		{ CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, "multiple", sizeof(size_t) },
		{ CL_KERNEL_PRIVATE_MEM_SIZE, "private memory", sizeof(cl_ulong) },
	};
	size_t value[3], size;

	for (size_t i = 0; i < COUNT(params); i++) {
		memset(value, 0, sizeof(value));
		SAY(params[i].name, clGetKernelWorkGroupInfo(kernel, s->device, params[i].param, sizeof(value), value, &size));
		say_checksum(params[i].name, value, size);
		SAY("the only device", clGetKernelWorkGroupInfo(kernel, NULL, params[i].param, params[i].size, value, NULL));
		SAY("one byte too few", clGetKernelWorkGroupInfo(kernel, s->device, params[i].param, params[i].size - 1, value, NULL));
	}
	SAY("global size of no custom device",
	    clGetKernelWorkGroupInfo(kernel, s->device, CL_KERNEL_GLOBAL_WORK_SIZE, sizeof(value), value, NULL));
	SAY("unknown", clGetKernelWorkGroupInfo(kernel, s->device, 0x7777, sizeof(value), value, NULL));
	SAY("NULL", clGetKernelWorkGroupInfo(NULL, s->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof(value), value, NULL));
}

static void sub_groups(const struct setup *s, cl_kernel kernel)
{
	size_t local[1] = { 64 }, value = 77;

	SAY("NULL", clGetKernelSubGroupInfo(NULL, s->device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof(local), local,
					    sizeof(value), &value, NULL));
	SAY("largest", clGetKernelSubGroupInfo(kernel, s->device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof(local), local,
					       sizeof(value), &value, NULL));
	SAY("unknown", clGetKernelSubGroupInfo(kernel, s->device, 0x7777, 0, NULL, sizeof(value), &value, NULL));
}

int main(void)
{
	struct setup s = set_up();
	cl_program program = build(&s, text, "-cl-kernel-arg-info");
	cl_kernel various = NEED(clCreateKernel(program, "various", &error));
	cl_kernel fixed = NEED(clCreateKernel(program, "fixed", &error));
	cl_program bare = build(&s, text, "");
	cl_kernel uninformed = NEED(clCreateKernel(bare, "various", &error));

	making(&s, program);
	information(&s, program, various);
	information(&s, program, fixed);
	arguments(various, 7);
	arguments(fixed, 1);
	arguments(uninformed, 7);
	groups(&s, various);
	groups(&s, fixed);
	sub_groups(&s, fixed);
	SAY("holds its program", clReleaseProgram(program));
	information(&s, program, various);
	SAY("various", clReleaseKernel(various));
	SAY("fixed", clReleaseKernel(fixed));
	SAY("uninformed", clReleaseKernel(uninformed));
	SAY("bare", clReleaseProgram(bare));
	tear_down(&s);
	return 0;
}
