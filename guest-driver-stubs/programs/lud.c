/* lud, of Rodinia: the LU decomposition of an n by n matrix of floats, in place, in steps of 16 rows
 * and columns of three launches each. */
#include "workloads/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TILE 16
/* The kernels multiply by a reciprocal and correct once where we divide: a quotient may differ by a
 * unit in its last place, and passes that on. */
#define ULPS 64

static uint32_t n;
static float *matrix, *result, *expected;
static uint64_t device;

static uint64_t bytes(void)
{
	return (uint64_t)n * n * sizeof(float);
}

/* As in Rodinia: a product of triangular matrices, so that it can be decomposed. */
static bool prepare(uint32_t size)
{
	uint32_t row, column;

	n = size;
	matrix = malloc(bytes());
	result = malloc(bytes());
	if (!matrix || !result)
		return false;
	for (row = 0; row < n; row++)
		for (column = 0; column < n; column++)
			matrix[(uint64_t)row * n + column] =
				(float)(10.0 * exp(-0.001 * abs((int)row - (int)column)));
	return true;
}

static int allocate(struct run *run)
{
	return slc_memory_alloc(run->ctx, bytes(), &device);
}

static int upload(struct run *run)
{
	return slc_copy_to_device(run->ctx, device, matrix, bytes());
}

struct kernels {
	const struct slc_function *diagonal, *perimeter, *internal;
};

static int find(struct slc_module *module, struct kernels *k)
{
	int ret = slc_module_function(module, "lud_diagonal", &k->diagonal);

	if (ret == SLC_OK)
		ret = slc_module_function(module, "lud_perimeter", &k->perimeter);
	if (ret == SLC_OK)
		ret = slc_module_function(module, "lud_internal", &k->internal);
	return ret;
}

static int step(const struct kernels *k, uint32_t offset)
{
	uint32_t rest = (n - offset) / TILE - 1;
	void *arguments[] = { &device, &n, &offset };
	struct slc_shape diagonal = { .grid = { 1, 1, 1 }, .block = { TILE, 1, 1 } };
	struct slc_shape perimeter = { .grid = { rest, 1, 1 }, .block = { 2 * TILE, 1, 1 } };
	struct slc_shape internal = { .grid = { rest, rest, 1 }, .block = { TILE, TILE, 1 } };
	int ret = slc_launch(k->diagonal, &diagonal, arguments, 3);

	if (ret == SLC_OK && rest)
		ret = slc_launch(k->perimeter, &perimeter, arguments, 3);
	if (ret == SLC_OK && rest)
		ret = slc_launch(k->internal, &internal, arguments, 3);
	return ret;
}

static int execute(struct run *run)
{
	struct kernels kernels;
	uint32_t offset;
	int ret = find(run->module, &kernels);

	for (offset = 0; ret == SLC_OK && offset < n; offset += TILE) {
		ret = step(&kernels, offset);
		if (ret == SLC_OK)
			ret = workload_progress(run, offset / TILE + 1, n / TILE);
	}
	return ret;
}

static int download(struct run *run)
{
	memset(result, 0xff, bytes());
	return slc_copy_to_host(run->ctx, result, device, bytes());
}

/* ---- the same on the processor ----------------------------------------------------------------- */

static float *at(float *m, uint32_t row, uint32_t column)
{
	return m + (uint64_t)row * n + column;
}

static void decompose_tile(float *m, uint32_t offset)
{
	uint32_t i, j, other;

	for (i = offset; i < offset + TILE; i++) {
		for (other = i + 1; other < offset + TILE; other++) {
			for (j = offset; j < i; j++)
				*at(m, other, i) = fmaf(-*at(m, other, j), *at(m, j, i), *at(m, other, i));
			*at(m, other, i) /= *at(m, i, i);
		}
		if (i + 1 == offset + TILE)
			return;
		for (other = i + 1; other < offset + TILE; other++)
			for (j = offset; j <= i; j++)
				*at(m, i + 1, other) =
					fmaf(-*at(m, i + 1, j), *at(m, j, other), *at(m, i + 1, other));
	}
}

static void solve_tiles(float *m, uint32_t offset)
{
	uint32_t i, j, other;

	for (other = offset + TILE; other < n; other++) {
		for (i = offset; i < offset + TILE; i++) {
			float right = *at(m, i, other);
			float below = *at(m, other, i);

			for (j = offset; j < i; j++) {
				right = fmaf(-*at(m, i, j), *at(m, j, other), right);
				below = fmaf(-*at(m, other, j), *at(m, j, i), below);
			}
			*at(m, i, other) = right;
			*at(m, other, i) = below / *at(m, i, i);
		}
	}
}

__attribute__((target_clones("arch=haswell", "default"))) static void
subtract_products(float *m, uint32_t offset, float *sums)
{
	uint32_t row, column, i;

	for (row = offset + TILE; row < n; row++) {
		float *line = m + (uint64_t)row * n;

		memset(sums, 0, n * sizeof(float));
		for (i = offset; i < offset + TILE; i++)
			for (column = offset + TILE; column < n; column++)
				sums[column] = fmaf(line[i], m[(uint64_t)i * n + column], sums[column]);
		for (column = offset + TILE; column < n; column++)
			line[column] -= sums[column];
	}
}

static bool verify(void)
{
	uint32_t offset;
	float *sums;
	bool right;

	if (expected) /* of an earlier run, the same to the bit */
		return floats_agree("m", result, expected, (uint64_t)n * n, 0);
	expected = need_memory(bytes());
	sums = need_memory(n * sizeof(float));
	memcpy(expected, matrix, bytes());
	for (offset = 0; offset < n; offset += TILE) {
		decompose_tile(expected, offset);
		solve_tiles(expected, offset);
		subtract_products(expected, offset, sums);
	}
	free(sums);
	right = floats_agree("m", result, expected, (uint64_t)n * n, ULPS);
	memcpy(expected, result, bytes());
	return right;
}

int main(int argc, char **argv)
{
	static const struct workload lud = {
		.name = "lud",
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

	return workload_main(&lud, argc, argv);
}
