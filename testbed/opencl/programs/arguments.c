/* Arguments of kernels: every kind, wrong ones, those that are not set, and what a clone has. */
#include "check.h"

#define ITEMS 64

static const char text[] =
	"typedef struct { char c; double d; short s[3]; } mixed;\n"
	"kernel void values(global double *out, char c, uchar uc, short sh, ushort us, int i, uint ui, long l, ulong ul,\n"
	"                   float f, double d, int2 i2, float4 f4, char16 c16, long8 l8, mixed m)\n"
	"{ size_t g = get_global_id(0); out[g] = c + uc + sh + us + i + ui + l + ul + f + d + i2.y + f4.w + c16.sf + l8.s7\n"
	"  + m.c + m.d + m.s[2] + g; }\n"
	"kernel void locals(global int *out, local int *a, local int *b, int n)\n"
	"{ int l = get_local_id(0); a[l] = l * n; b[l] = l + n; barrier(CLK_LOCAL_MEM_FENCE);\n"
	"  int last = get_local_size(0) - 1; out[get_global_id(0)] = a[last - l] + b[last - l]; }\n"
	"kernel void constants(global int *out, constant int *table) { size_t g = get_global_id(0); out[g] = table[g % 16]; }\n"
	"kernel void optional(global int *out, global int *maybe) { size_t g = get_global_id(0); out[g] = maybe ? maybe[g] : -1; }\n";

struct mixed {
	cl_char c;
	cl_double d;
	cl_short s[3];
};

static cl_kernel kernel_named(const struct setup *s, const char *name)
{
	return kernel_of(s, text, name);
}

static void launch(const struct setup *s, cl_kernel kernel, size_t local)
{
	size_t global = ITEMS;

	SAY("launch", clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, local ? &local : NULL, 0, NULL, NULL));
}

#define SET(kernel, index, value) SAY(#value, clSetKernelArg(kernel, index, sizeof(value), &(value)))

static void values(const struct setup *s)
{
	cl_kernel kernel = kernel_named(s, "values");
	cl_mem out = buffer_of(s, ITEMS * 8, 1);
	cl_char c = -3;
	cl_uchar uc = 250;
	cl_short sh = -3000;
	cl_ushort us = 65000;
	cl_int i = -300000;
	cl_uint ui = 4000000000u;
	cl_long l = -3000000000000;
	cl_ulong ul = 9000000000000;
	cl_float f = 0.5f;
	cl_double d = 0.25;
	cl_int2 i2 = { { 1, -2 } };
	cl_float4 f4 = { { 1, 2, 3, 4.125f } };
	cl_char16 c16 = { { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 } };
	cl_long8 l8 = { { 1, 2, 3, 4, 5, 6, 7, 800 } };
	struct mixed m = { 1, 1.5, { 1, 2, 3 } };

	launch(s, kernel, 0);
	SET(kernel, 0, out), SET(kernel, 1, c), SET(kernel, 2, uc), SET(kernel, 3, sh), SET(kernel, 4, us);
	SET(kernel, 5, i), SET(kernel, 6, ui), SET(kernel, 7, l), SET(kernel, 8, ul), SET(kernel, 9, f);
	SET(kernel, 10, d), SET(kernel, 11, i2), SET(kernel, 12, f4), SET(kernel, 13, c16), SET(kernel, 14, l8);
	launch(s, kernel, 0);
	SET(kernel, 15, m);
	launch(s, kernel, 0);
	say_buffer("of all values", s, out, ITEMS * 8);
	c = 100;
	launch(s, kernel, 0);
	say_buffer("the copy counts, not the variable", s, out, ITEMS * 8);
	SET(kernel, 1, c);
	launch(s, kernel, 0);
	say_buffer("set anew", s, out, ITEMS * 8);
	SAY("out", clReleaseMemObject(out));
	SAY("kernel", clReleaseKernel(kernel));
}

static void wrong(const struct setup *s)
{
	cl_kernel kernel = kernel_named(s, "values"), locals = kernel_named(s, "locals");
	cl_mem out = buffer_of(s, ITEMS * 8, 1);
	cl_long value = 0;

	SAY("NULL", clSetKernelArg(NULL, 0, sizeof(out), &out));
	SAY("beyond the last", clSetKernelArg(kernel, 16, sizeof(value), &value));
	SAY("far beyond the last", clSetKernelArg(kernel, 0xffffffff, sizeof(value), &value));
	SAY("buffer of size 4", clSetKernelArg(kernel, 0, 4, &out));
	SAY("buffer of size 16", clSetKernelArg(kernel, 0, 16, &out));
	SAY("char of size 4", clSetKernelArg(kernel, 1, 4, &value));
	SAY("char of size 0", clSetKernelArg(kernel, 1, 0, &value));
	SAY("int of size 8", clSetKernelArg(kernel, 5, 8, &value));
	SAY("long of size 4", clSetKernelArg(kernel, 7, 4, &value));
	SAY("int without a value", clSetKernelArg(kernel, 5, 4, NULL));
	SAY("structure of size 8", clSetKernelArg(kernel, 15, 8, &value));
	SAY("local of size 0", clSetKernelArg(locals, 1, 0, NULL));
	SAY("local with a value", clSetKernelArg(locals, 1, 8, &value));
	SAY("out", clReleaseMemObject(out));
	SAY("kernel", clReleaseKernel(kernel));
	SAY("locals", clReleaseKernel(locals));
}

static void locals(const struct setup *s)
{
	cl_kernel kernel = kernel_named(s, "locals");
	cl_mem out = buffer_of(s, ITEMS * 4, 1);
	cl_int n = 11;

	SET(kernel, 0, out);
	SAY("16 numbers", clSetKernelArg(kernel, 1, 16 * 4, NULL));
	SET(kernel, 3, n);
	launch(s, kernel, 16);
	SAY("16 numbers", clSetKernelArg(kernel, 2, 16 * 4, NULL));
	launch(s, kernel, 16);
	say_buffer("of local memory", s, out, ITEMS * 4);
	SAY("64 numbers", clSetKernelArg(kernel, 1, 64 * 4, NULL));
	SAY("64 numbers", clSetKernelArg(kernel, 2, 64 * 4, NULL));
	launch(s, kernel, 64);
	say_buffer("of more", s, out, ITEMS * 4);
	SAY("out", clReleaseMemObject(out));
	SAY("kernel", clReleaseKernel(kernel));
}

static void memory(const struct setup *s)
{
	cl_kernel constants = kernel_named(s, "constants"), optional = kernel_named(s, "optional");
	cl_mem out = buffer_of(s, ITEMS * 4, 1), table = buffer_of(s, 64, 2), none = NULL, second = buffer_of(s, ITEMS * 4, 5);

	SET(constants, 0, out);
	SET(constants, 1, table);
	launch(s, constants, 0);
	say_buffer("of a constant table", s, out, ITEMS * 4);
	SET(optional, 0, out);
	SET(optional, 1, none);
	launch(s, optional, 0);
	say_buffer("of a NULL buffer", s, out, ITEMS * 4);
	SAY("no pointer", clSetKernelArg(optional, 1, sizeof(cl_mem), NULL));
	launch(s, optional, 0);
	say_buffer("of no pointer", s, out, ITEMS * 4);
	SET(optional, 1, second);
	launch(s, optional, 0);
	say_buffer("of a buffer", s, out, ITEMS * 4);
	SAY("table", clReleaseMemObject(table));
	SAY("second", clReleaseMemObject(second));
	SAY("out", clReleaseMemObject(out));
	SAY("constants", clReleaseKernel(constants));
	SAY("optional", clReleaseKernel(optional));
}

static void clones(const struct setup *s)
{
	cl_kernel kernel = kernel_named(s, "locals"), clone;
	cl_mem out = buffer_of(s, ITEMS * 4, 1);
	cl_int n = 3;

	SET(kernel, 0, out);
	SAY("local", clSetKernelArg(kernel, 1, 64, NULL));
	SAY("local", clSetKernelArg(kernel, 2, 64, NULL));
	SET(kernel, 3, n);
	MAKE("NULL", clCloneKernel(NULL, &error));
	clone = MAKE("with its arguments", clCloneKernel(kernel, &error));
	n = 1000;
	SET(clone, 3, n);
	launch(s, kernel, 16);
	say_buffer("of the kernel", s, out, ITEMS * 4);
	SAY("kernel", clReleaseKernel(kernel));
	launch(s, clone, 16);
	say_buffer("of the clone", s, out, ITEMS * 4);
	SAY("clone", clReleaseKernel(clone));
	SAY("out", clReleaseMemObject(out));
}

/* A value of 8 bytes may be any bytes, an address of an object among them. */
static void values_that_look_like_handles(const struct setup *s)
{
	cl_kernel kernel = kernel_of(s, "kernel void k(global ulong *out, ulong v) { out[get_global_id(0)] = v; }", "k");
	cl_mem out = buffer_of(s, ITEMS * 8, 1);
	cl_ulong back[ITEMS], value = (cl_ulong)(uintptr_t)out;

	SET(kernel, 0, out);
	SET(kernel, 1, value);
	launch(s, kernel, 0);
	MUST(clEnqueueReadBuffer(s->queue, out, CL_TRUE, 0, sizeof(back), back, 0, NULL, NULL));
	say_true("the value is what was given", back[0] == value && back[ITEMS - 1] == value);
	SAY("out", clReleaseMemObject(out));
	SAY("kernel", clReleaseKernel(kernel));
}

int main(void)
{
	struct setup s = set_up();

	values(&s);
	wrong(&s);
	locals(&s);
	memory(&s);
	clones(&s);
	values_that_look_like_handles(&s);
	tear_down(&s);
	return 0;
}
