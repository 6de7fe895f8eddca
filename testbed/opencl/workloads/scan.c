/* Prefix sums: each group of 256 for itself, then the groups' sums, then both added. Size is a multiple of 65536. */
#include "workload.h"

#define GROUP 256

static const char text[] =
	"kernel void scan(global const uint *in, global uint *out, global uint *sums)\n"
	"{ local uint a[2][256]; uint l = get_local_id(0), from = 0; a[0][l] = in[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);\n"
	"  for (uint step = 1; step < 256; step *= 2) { a[1 - from][l] = a[from][l] + (l >= step ? a[from][l - step] : 0);\n"
	"    from = 1 - from; barrier(CLK_LOCAL_MEM_FENCE); }\n"
	"  out[get_global_id(0)] = a[from][l]; if (l == 255) sums[get_group_id(0)] = a[from][l]; }\n"
	"kernel void add(global uint *out, global const uint *sums)\n"
	"{ uint group = get_group_id(0); if (group > 0) out[get_global_id(0)] += sums[group - 1]; }";

struct scan {
	cl_kernel scan, add;
};

static void pass(const struct workload *w, const struct scan *k, cl_mem in, cl_mem out, cl_mem sums, size_t count)
{
	ARGUMENT(k->scan, 0, in);
	ARGUMENT(k->scan, 1, out);
	ARGUMENT(k->scan, 2, sums);
	launch(w, k->scan, count, GROUP);
}

static void add(const struct workload *w, const struct scan *k, cl_mem out, cl_mem sums, size_t count)
{
	ARGUMENT(k->add, 0, out);
	ARGUMENT(k->add, 1, sums);
	launch(w, k->add, count, GROUP);
}

int main(int argc, char **argv)
{
	struct workload w = workload(argc, argv, 1 << 18, 4);
	size_t bytes = w.size * 4, groups = w.size / GROUP, top = groups / GROUP;
	cl_uint *in = malloc(bytes), *result = malloc(bytes), sum = 0;
	cl_program program = build(&w.s, text, "");
	struct scan k = { NEED(clCreateKernel(program, "scan", &error)), NEED(clCreateKernel(program, "add", &error)) };
	cl_mem numbers = memory(&w, NULL, bytes), out = memory(&w, NULL, bytes), sums = memory(&w, NULL, groups * 4);
	cl_mem scanned = memory(&w, NULL, groups * 4), top_sums = memory(&w, NULL, (top + GROUP) * 4);
	cl_uint *tops = calloc(top + GROUP, 4);
	bool right = true;

	fill_bytes(in, bytes, 5);
	for (int i = WARM_UP; i < w.rounds; i++) {
		if (i == 0)
			begin(&w);
		MUST(clEnqueueWriteBuffer(w.s.queue, numbers, CL_FALSE, 0, bytes, in, 0, NULL, NULL));
		pass(&w, &k, numbers, out, sums, w.size);
		pass(&w, &k, sums, scanned, top_sums, groups);
		fetch(&w, top_sums, tops, top * 4);
		for (size_t t = 1; t < top; t++)
			tops[t] += tops[t - 1];
		MUST(clEnqueueWriteBuffer(w.s.queue, top_sums, CL_TRUE, 0, top * 4, tops, 0, NULL, NULL));
		add(&w, &k, scanned, top_sums, groups);
		add(&w, &k, out, scanned, w.size);
		fetch(&w, out, result, bytes);
	}
	for (size_t i = 0; i < w.size; i++)
		right &= result[i] == (sum += in[i]);
	return end(&w, result, bytes, right);
}
