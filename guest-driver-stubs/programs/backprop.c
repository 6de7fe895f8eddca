/*
 * backprop, of Rodinia: a training step of a network of 16 hidden units and one output. The GPU
 * multiplies and adds up the first layer, the processor does what lies between, the GPU adjusts the
 * first layer's weights.
 */
#include "workloads/workload.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INPUTS 65536 /* Rodinia's default */
#define HIDDEN 16
#define HEIGHT 16 /* input units of a block */
#define RATE 0.3
#define TARGET 0.1f

static uint32_t inputs;
static float *input, *weights, *changes;
static float *partial, *new_weights, *new_changes;
static float output_weights[HIDDEN + 1];
static float deltas[HIDDEN + 1];
static uint64_t device_input, device_output, device_weights, device_partial, device_deltas,
	device_changes;

static uint64_t weight_bytes(void)
{
	return ((uint64_t)inputs + 1) * (HIDDEN + 1) * sizeof(float);
}

static uint64_t partial_bytes(void)
{
	return (uint64_t)inputs / HEIGHT * HIDDEN * sizeof(float);
}

static uint64_t input_bytes(void)
{
	return ((uint64_t)inputs + 1) * sizeof(float);
}

static bool prepare(uint32_t size)
{
	inputs = size;
	input = malloc(input_bytes());
	weights = malloc(weight_bytes());
	changes = malloc(weight_bytes());
	partial = malloc(partial_bytes());
	new_weights = malloc(weight_bytes());
	new_changes = malloc(weight_bytes());
	if (!input || !weights || !changes || !partial || !new_weights || !new_changes)
		return false;
	random_floats(input, (uint64_t)inputs + 1, 0, 1, 5);
	random_floats(weights, weight_bytes() / sizeof(float), -1, 1, 6);
	random_floats(changes, weight_bytes() / sizeof(float), -0.1f, 0.1f, 8);
	random_floats(output_weights, HIDDEN + 1, -1, 1, 9);
	return true;
}

static int allocate(struct run *run)
{
	struct {
		uint64_t bytes;
		uint64_t *address;
	} const wanted[] = {
		{ input_bytes(), &device_input },     { sizeof(deltas), &device_output },
		{ weight_bytes(), &device_weights },  { partial_bytes(), &device_partial },
		{ sizeof(deltas), &device_deltas },   { weight_bytes(), &device_changes },
	};
	size_t i;
	int ret = SLC_OK;

	for (i = 0; ret == SLC_OK && i < sizeof(wanted) / sizeof(*wanted); i++)
		ret = slc_memory_alloc(run->ctx, wanted[i].bytes, wanted[i].address);
	return ret;
}

static int upload(struct run *run)
{
	int ret = slc_copy_to_device(run->ctx, device_input, input, input_bytes());

	return ret ? ret : slc_copy_to_device(run->ctx, device_weights, weights, weight_bytes());
}

static float squash(float x)
{
	return 1.0f / (1.0f + expf(-x));
}

/* From the partial sums to the hidden units' deltas. */
static void between(void)
{
	float hidden[HIDDEN + 1] = { 1.0f };
	float output = 0, delta;
	uint32_t block, j;

	for (j = 1; j <= HIDDEN; j++) {
		float sum = 0;

		for (block = 0; block < inputs / HEIGHT; block++)
			sum += partial[block * HIDDEN + j - 1];
		hidden[j] = squash((sum + weights[j]) / (float)HEIGHT);
	}
	for (j = 0; j <= HIDDEN; j++)
		output += output_weights[j] * hidden[j];
	output = squash(output);
	delta = output * (1.0f - output) * (TARGET - output);
	deltas[0] = 0;
	for (j = 1; j <= HIDDEN; j++)
		deltas[j] = hidden[j] * (1.0f - hidden[j]) * delta * output_weights[j];
}

static int execute(struct run *run)
{
	const struct slc_function *forward, *adjust;
	uint32_t hidden = HIDDEN;
	void *forward_arguments[] = { &device_input,   &device_output, &device_weights,
				      &device_partial, &inputs,        &hidden };
	void *adjust_arguments[] = { &device_deltas, &hidden,	      &device_input,
				     &inputs,	     &device_weights, &device_changes };
	struct slc_shape shape = {
		.grid = { 1, inputs / HEIGHT, 1 },
		.block = { HIDDEN, HEIGHT, 1 },
	};
	int ret = slc_module_function(run->module, "layerforward", &forward);

	if (ret == SLC_OK)
		ret = slc_module_function(run->module, "adjust_weights", &adjust);
	if (ret == SLC_OK)
		ret = slc_launch(forward, &shape, forward_arguments, 6);
	if (ret == SLC_OK)
		ret = slc_copy_to_host(run->ctx, partial, device_partial, partial_bytes());
	if (ret == SLC_OK)
		ret = workload_progress(run, 1, 2);
	if (ret)
		return ret;
	between();
	/* The first kernel left products where the weights were. */
	ret = slc_copy_to_device(run->ctx, device_weights, weights, weight_bytes());
	if (ret == SLC_OK)
		ret = slc_copy_to_device(run->ctx, device_changes, changes, weight_bytes());
	if (ret == SLC_OK)
		ret = slc_copy_to_device(run->ctx, device_deltas, deltas, sizeof(deltas));
	if (ret == SLC_OK)
		ret = slc_launch(adjust, &shape, adjust_arguments, 6);
	return ret ? ret : workload_progress(run, 2, 2);
}

static int download(struct run *run)
{
	int ret = slc_copy_to_host(run->ctx, new_weights, device_weights, weight_bytes());

	return ret ? ret : slc_copy_to_host(run->ctx, new_changes, device_changes, weight_bytes());
}

/* ---- the same on the processor ----------------------------------------------------------------- */

/* Multiplies a block's weights and adds rows up in pairs, then pairs of pairs. */
static void forward_block(uint32_t block, float sums[HIDDEN])
{
	float matrix[HEIGHT][HIDDEN];
	uint32_t x, y, step;

	for (y = 0; y < HEIGHT; y++) {
		uint64_t unit = (uint64_t)HEIGHT * block + y + 1;

		for (x = 0; x < HIDDEN; x++)
			matrix[y][x] = weights[unit * (HIDDEN + 1) + x + 1] * input[unit];
	}
	for (step = 2; step <= HEIGHT; step *= 2)
		for (y = 0; y < HEIGHT; y += step)
			for (x = 0; x < HIDDEN; x++)
				matrix[y][x] += matrix[y + step / 2][x];
	memcpy(sums, matrix[0], sizeof(matrix[0]));
}

static void adjust_one(float *w, float *change, double gain)
{
	double new_change = fma(RATE, (double)*change, gain);

	*w = (float)(*w + new_change);
	*change = (float)new_change;
}

static bool verify(void)
{
	float *expected_partial = need_memory(partial_bytes());
	float *w = need_memory(weight_bytes());
	float *change = need_memory(weight_bytes());
	uint32_t i, j;
	bool right;

	for (i = 0; i < inputs / HEIGHT; i++)
		forward_block(i, expected_partial + i * HIDDEN);
	memcpy(w, weights, weight_bytes());
	memcpy(change, changes, weight_bytes());
	for (i = 1; i <= inputs; i++) {
		for (j = 1; j <= HIDDEN; j++) {
			uint64_t index = (uint64_t)i * (HIDDEN + 1) + j;

			adjust_one(w + index, change + index, RATE * deltas[j] * input[i]);
		}
	}
	for (j = 1; j <= HIDDEN; j++)
		adjust_one(w + j, change + j, RATE * deltas[j]);
	right = floats_agree("partial sum", partial, expected_partial,
			     partial_bytes() / sizeof(float), 0) &&
		floats_agree("weight", new_weights, w, weight_bytes() / sizeof(float), 0) &&
		floats_agree("change", new_changes, change, weight_bytes() / sizeof(float), 0);
	free(expected_partial);
	free(w);
	free(change);
	return right;
}

int main(int argc, char **argv)
{
	static const struct workload backprop = {
		.name = "backprop",
		.size_is = "input units, a multiple of 16",
		.size = INPUTS,
		.unit = HEIGHT,
		.max_size = 1u << 20,
		.prepare = prepare,
		.allocate = allocate,
		.upload = upload,
		.execute = execute,
		.download = download,
		.verify = verify,
	};

	return workload_main(&backprop, argc, argv);
}
