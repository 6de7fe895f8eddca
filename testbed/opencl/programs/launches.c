/* Launches: ranges of one to three dimensions with offsets and group sizes, and wrong ones. */
#include "check.h"

#define ITEMS 4096

static const char text[] =
	"kernel void where(global uint *out, uint n)\n"
	"{ uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
	"  uint at = ((z - get_global_offset(2)) * get_global_size(1) + (y - get_global_offset(1))) * get_global_size(0)\n"
	"            + x - get_global_offset(0);\n"
	"  if (at < n) out[at] = x + 31 * y + 1009 * z + 65537 * get_work_dim()\n"
	"    + 7 * get_global_size(0) + 11 * get_global_offset(0); }\n"
	"kernel void groups(global uint *out) { out[get_global_id(0)] = get_group_id(0) * 1000 + get_local_id(0)\n"
	"    + 100000 * get_local_size(0) + 1000000 * get_num_groups(0); }\n"
	"kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eight(global uint *out) { out[get_global_id(0)] = 8; }\n"
	"kernel void task(global uint *out) { out[0] = get_global_size(0) + 41; }\n";

static cl_kernel with_buffer(const struct setup *s, const char *name, cl_mem out)
{
	cl_kernel kernel = kernel_of(s, text, name);

	MUST(clSetKernelArg(kernel, 0, sizeof(out), &out));
	return kernel;
}

static void wrong(const struct setup *s, cl_mem out)
{
	cl_kernel kernel = with_buffer(s, "groups", out), eight = with_buffer(s, "eight", out), unset = kernel_of(s, text, "where");
	size_t items[4] = { ITEMS, 1, 1, 1 }, odd[3] = { 3, 1, 1 }, huge[3] = { 1 << 20, 1, 1 };
	size_t sixteen[3] = { 16, 1, 1 }, cube[3] = { 16, 16, 17 };

	SAY("no queue", clEnqueueNDRangeKernel(NULL, kernel, 1, NULL, items, NULL, 0, NULL, NULL));
	SAY("0 dimensions", clEnqueueNDRangeKernel(s->queue, kernel, 0, NULL, items, NULL, 0, NULL, NULL));
	SAY("4 dimensions", clEnqueueNDRangeKernel(s->queue, kernel, 4, NULL, items, NULL, 0, NULL, NULL));
	SAY("no arguments", clEnqueueNDRangeKernel(s->queue, unset, 1, NULL, items, NULL, 0, NULL, NULL));
	SAY("groups of 3", clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, items, odd, 0, NULL, NULL));
	SAY("groups too large", clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, huge, huge, 0, NULL, NULL));
	SAY("groups too large together", clEnqueueNDRangeKernel(s->queue, kernel, 3, NULL, cube, cube, 0, NULL, NULL));
	SAY("groups that are not the kernel's", clEnqueueNDRangeKernel(s->queue, eight, 1, NULL, items, sixteen, 0, NULL, NULL));
	say_buffer("contents after all that", s, out, ITEMS * 4);
	SAY("kernel", clReleaseKernel(kernel));
	SAY("eight", clReleaseKernel(eight));
	SAY("unset", clReleaseKernel(unset));
}

static void ranges(const struct setup *s, cl_mem out)
{
	static const struct {
		const char *name;
		cl_uint dimensions;
		size_t offset[3], global[3], local[3];
	} shapes[] = {
		{ "line", 1, { 0 }, { ITEMS }, { 0 } },
		{ "line of one", 1, { 0 }, { 1 }, { 1 } },
		{ "line with an offset", 1, { 1000 }, { 777 }, { 0 } },
		{ "line in groups", 1, { 3 }, { 1024 }, { 128 } },
		{ "plane", 2, { 0 }, { 64, 64 }, { 0 } },
		{ "plane in groups", 2, { 5, 6 }, { 64, 32 }, { 8, 4 } },
		{ "odd plane", 2, { 5, 6 }, { 61, 7 }, { 61, 1 } },
		{ "cube", 3, { 0 }, { 16, 16, 16 }, { 0 } },
		{ "cube in groups", 3, { 1, 2, 3 }, { 16, 8, 4 }, { 4, 4, 2 } },
	};
	cl_kernel kernel = with_buffer(s, "where", out);
	cl_uint n = ITEMS;

	SAY("n", clSetKernelArg(kernel, 1, sizeof(n), &n));
	for (size_t i = 0; i < COUNT(shapes); i++) {
		SAY(shapes[i].name, clEnqueueNDRangeKernel(s->queue, kernel, shapes[i].dimensions,
							   shapes[i].offset[0] ? shapes[i].offset : NULL, shapes[i].global,
							   shapes[i].local[0] ? shapes[i].local : NULL, 0, NULL, NULL));
		say_buffer(shapes[i].name, s, out, ITEMS * 4);
	}
	SAY("kernel", clReleaseKernel(kernel));
}

static void groups(const struct setup *s, cl_mem out)
{
	cl_kernel kernel = with_buffer(s, "groups", out), eight = with_buffer(s, "eight", out), task = with_buffer(s, "task", out);
	size_t global = ITEMS;

	for (size_t local = 1; local <= 1024; local *= 4) {
		SAY("groups", clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
		say_buffer("groups", s, out, ITEMS * 4);
	}
	SAY("its own groups", clEnqueueNDRangeKernel(s->queue, eight, 1, NULL, &global, &(size_t){ 8 }, 0, NULL, NULL));
	say_buffer("its own groups", s, out, ITEMS * 4);
	SAY("no groups said", clEnqueueNDRangeKernel(s->queue, eight, 1, NULL, &global, NULL, 0, NULL, NULL));
	say_buffer("no groups said", s, out, ITEMS * 4);
	SAY("a task", clEnqueueTask(s->queue, task, 0, NULL, NULL));
	SAY("a task of no queue", clEnqueueTask(NULL, task, 0, NULL, NULL));
	say_buffer("a task", s, out, ITEMS * 4);
	SAY("kernel", clReleaseKernel(kernel));
	SAY("eight", clReleaseKernel(eight));
	SAY("task", clReleaseKernel(task));
}

/* A launch takes its arguments as they are when it is queued. */
static void many(const struct setup *s, cl_mem out)
{
	cl_kernel kernel = kernel_of(s, "kernel void add(global uint *a, uint v) { a[get_global_id(0)] = a[get_global_id(0)] * 3 + v; }", "add");
	size_t global = 256;
	bool right = true;

	MUST(clSetKernelArg(kernel, 0, sizeof(out), &out));
	for (cl_uint i = 0; i < 2000; i++) {
		right &= clSetKernelArg(kernel, 1, sizeof(i), &i) == CL_SUCCESS;
		right &= clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL) == CL_SUCCESS;
	}
	say_true("2000 launches", right);
	SAY("kernel before its launches end", clReleaseKernel(kernel));
	SAY("all", clFinish(s->queue));
	say_buffer("of 2000", s, out, ITEMS * 4);
}

int main(void)
{
	struct setup s = set_up();
	cl_mem out = buffer_of(&s, ITEMS * 4, 1);

	wrong(&s, out);
	ranges(&s, out);
	groups(&s, out);
	many(&s, out);
	SAY("out", clReleaseMemObject(out));
	tear_down(&s);
	return 0;
}
