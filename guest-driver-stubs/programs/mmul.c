/* mmul: the product of two n by n matrices of floats; one launch, unless progress is wanted. */
#include "workloads/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TILE 16
#define BANDS 16           /* launches, when progress is wanted */
#define MAX_CHECKED_ROWS 512 /* of larger results rows here and there are checked */
#define SOME_ROWS 32

static uint32_t n;
static float *a, *b, *c;
static float *checked; /* a result that was right */
static uint64_t device_a, device_b, device_c;

static uint64_t bytes(void)
{
	return (uint64_t)n * n * sizeof(float);
}

static bool prepare(uint32_t size)
{
	n = size;
	a = malloc(bytes());
	b = malloc(bytes());
	c = malloc(bytes());
	if (!a || !b || !c)
		return false;
	random_floats(a, (uint64_t)n * n, -1, 1, 1);
	random_floats(b, (uint64_t)n * n, -1, 1, 2);
	return true;
}

static int allocate(struct run *run)
{
	int ret = slc_memory_alloc(run->ctx, bytes(), &device_a);

	if (ret == SLC_OK)
		ret = slc_memory_alloc(run->ctx, bytes(), &device_b);
	if (ret == SLC_OK)
		ret = slc_memory_alloc(run->ctx, bytes(), &device_c);
	return ret;
}

static int upload(struct run *run)
{
	int ret = slc_copy_to_device(run->ctx, device_a, a, bytes());

	return ret ? ret : slc_copy_to_device(run->ctx, device_b, b, bytes());
}

/* Rows of tiles from one on: the same kernel with the pointers moved. */
static int launch(const struct slc_function *function, uint32_t first, uint32_t count)
{
	uint64_t offset = (uint64_t)first * TILE * n * sizeof(float);
	uint64_t from = device_a + offset;
	uint64_t to = device_c + offset;
	void *arguments[] = { &from, &device_b, &to, &n };
	struct slc_shape shape = { .grid = { n / TILE, count, 1 }, .block = { TILE, TILE, 1 } };

	return slc_launch(function, &shape, arguments, 4);
}

static int execute(struct run *run)
{
	uint32_t rows = n / TILE;
	uint32_t bands = !run->options->progress ? 1 : rows < BANDS ? rows : BANDS;
	const struct slc_function *function;
	uint32_t i;
	int ret = slc_module_function(run->module, "mmul", &function);

	for (i = 0; ret == SLC_OK && i < bands; i++) {
		uint32_t first = rows * i / bands;

		ret = launch(function, first, rows * (i + 1) / bands - first);
		if (ret == SLC_OK)
			ret = workload_progress(run, i + 1, bands);
	}
	return ret;
}

static int download(struct run *run)
{
	memset(c, 0xff, bytes());
	return slc_copy_to_host(run->ctx, c, device_c, bytes());
}

/* A row of the product, each sum in the order of the kernel: the same to the bit. */
__attribute__((target_clones("arch=haswell", "default"))) static void multiply_row(const float *from,
										   float *to)
{
	uint32_t k, column;

	memset(to, 0, n * sizeof(float));
	for (k = 0; k < n; k++)
		for (column = 0; column < n; column++)
			to[column] = fmaf(from[k], b[(uint64_t)k * n + column], to[column]);
}

static bool verify(void)
{
	uint32_t step = n <= MAX_CHECKED_ROWS ? 1 : n / SOME_ROWS;
	uint32_t row;
	float *expected;
	bool right = true;

	if (checked)
		return floats_agree("c", c, checked, (uint64_t)n * n, 0);
	expected = need_memory(n * sizeof(float));
	for (row = 0; right && row < n; row += step) {
		multiply_row(a + (uint64_t)row * n, expected);
		right = floats_agree("c of a row", c + (uint64_t)row * n, expected, n, 0);
	}
	free(expected);
	checked = need_memory(bytes());
	memcpy(checked, c, bytes());
	return right;
}

int main(int argc, char **argv)
{
	static const struct workload mmul = {
		.name = "mmul",
		.size_is = "rows and columns, a multiple of 16",
		.size = 2048,
		.unit = TILE,
		.max_size = 8192,
		.prepare = prepare,
		.allocate = allocate,
		.upload = upload,
		.execute = execute,
		.download = download,
		.verify = verify,
	};

	return workload_main(&mmul, argc, argv);
}
