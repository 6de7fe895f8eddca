/* blur: a convolution of 3 by 3 over an image of floats, which the kernel reads as a texture. */
#include "workloads/workload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 512
#define BLOCK 16
#define WINDOW 3

static uint32_t side;
static float *image, *blurred, *expected;
static float weights[WINDOW * WINDOW];
static uint64_t device_image, device_weights, device_blurred;

static uint64_t image_bytes(void)
{
	return (uint64_t)side * side * sizeof(float);
}

static bool prepare(uint32_t size)
{
	side = size;
	image = malloc(image_bytes());
	blurred = malloc(image_bytes());
	if (!image || !blurred)
		return false;
	random_floats(image, (uint64_t)side * side, 0, 1, 1);
	random_floats(weights, WINDOW * WINDOW, 0, 1, 2);
	return true;
}

static int allocate(struct run *run)
{
	int ret = slc_memory_alloc(run->ctx, image_bytes(), &device_image);

	if (ret == SLC_OK)
		ret = slc_memory_alloc(run->ctx, sizeof(weights), &device_weights);
	return ret ? ret : slc_memory_alloc(run->ctx, image_bytes(), &device_blurred);
}

static int upload(struct run *run)
{
	int ret = slc_copy_to_device(run->ctx, device_image, image, image_bytes());

	return ret ? ret : slc_copy_to_device(run->ctx, device_weights, weights, sizeof(weights));
}

static int execute(struct run *run)
{
	struct slc_lines lines = {
		.texel = { .channels = 1, .bits = 32, .component = SLC_FLOAT },
		.address = device_image,
		.width = side,
		.height = side,
		.pitch = side * (uint32_t)sizeof(float),
	};
	void *arguments[] = { &device_weights, &device_blurred, &side, &side };
	uint32_t blocks = (side + BLOCK - 1) / BLOCK;
	struct slc_shape shape = { .grid = { blocks, blocks, 1 }, .block = { BLOCK, BLOCK, 1 } };
	const struct slc_function *blur;
	struct slc_reference *texture;
	int ret = slc_module_function(run->module, "blur", &blur);

	if (ret == SLC_OK)
		ret = slc_module_texture(run->module, "image", &texture);
	if (ret == SLC_OK)
		ret = slc_texture_bind_lines(texture, &lines, NULL);
	if (ret == SLC_OK)
		ret = slc_launch(blur, &shape, arguments, 4);
	return ret ? ret : workload_progress(run, 1, 1);
}

static int download(struct run *run)
{
	memset(blurred, 0xff, image_bytes());
	return slc_copy_to_host(run->ctx, blurred, device_blurred, image_bytes());
}

static uint32_t inside(uint32_t at, uint32_t step)
{
	uint32_t moved = at + step; /* from one point further on */

	return moved == 0 ? 0 : moved > side ? side - 1 : moved - 1;
}

static float convolved(uint32_t x, uint32_t y)
{
	float sum = 0;
	uint32_t k;

	for (k = 0; k < WINDOW * WINDOW; k++)
		sum = fmaf(image[(uint64_t)inside(y, k / WINDOW) * side + inside(x, k % WINDOW)],
			   weights[k], sum);
	return sum;
}

static bool verify(void)
{
	uint32_t x, y;

	if (!expected) {
		expected = need_memory(image_bytes());
		for (y = 0; y < side; y++)
			for (x = 0; x < side; x++)
				expected[(uint64_t)y * side + x] = convolved(x, y);
	}
	return floats_agree("point", blurred, expected, (uint64_t)side * side, 0);
}

int main(int argc, char **argv)
{
	static const struct workload blur = {
		.name = "blur",
		.size_is = "points of a side",
		.size = SIDE,
		.unit = 8,
		.max_size = 8192,
		.prepare = prepare,
		.allocate = allocate,
		.upload = upload,
		.execute = execute,
		.download = download,
		.verify = verify,
	};

	return workload_main(&blur, argc, argv);
}
