/* Arrays: images in blocks, as textures and surfaces read them. See compute.h. */
#include "compute_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COPY_WORDS 64
#define GOB_LINES 8u
#define GOB_WIDTH_BYTES 64u
#define GOB_BYTES 512u
#define MAX_BLOCK_SHIFT 4u
#define MAX_WIDTH 65536u
#define MAX_HEIGHT 65535u
#define MAX_LAYERS 2048u
#define MAX_LINES 2047u /* of one command */

static uint32_t lines_of(const struct sluice_image *image)
{
	return image->height ? image->height : 1;
}

static uint64_t line_bytes(const struct sluice_image *image)
{
	return (uint64_t)image->width * sluice_texel_bytes(&image->texel);
}

/* Blocks as high as a layer has lines, so that little is wasted. */
static uint32_t block_shift_of(uint32_t lines)
{
	uint32_t shift = 0;

	while (shift < MAX_BLOCK_SHIFT && GOB_LINES << shift < lines)
		shift++;
	return shift;
}

static uint64_t bytes_of(const struct sluice_image *image)
{
	uint64_t block_lines = GOB_LINES << image->block_shift;
	uint64_t rows = (lines_of(image) + block_lines - 1) / block_lines;
	uint64_t columns = (line_bytes(image) + GOB_WIDTH_BYTES - 1) / GOB_WIDTH_BYTES;

	return rows * columns * ((uint64_t)GOB_BYTES << image->block_shift) *
	       (image->layers ? image->layers : 1);
}

int slc_array_create(struct slc_context *ctx, const struct slc_texel *texel, uint32_t width,
		     uint32_t height, uint32_t layers, struct slc_array **array)
{
	struct slc_array *a;
	int ret = slc_check_channel(ctx);

	*array = NULL;
	if (ret)
		return ret;
	if (!sluice_texel_known(texel))
		return slc_fail(ctx, SLC_INVALID_VALUE, 0, "no texels of %u components of %u bits",
				texel->channels, texel->bits);
	if (width == 0 || width > MAX_WIDTH || height > MAX_HEIGHT || layers > MAX_LAYERS)
		return slc_fail(ctx, SLC_INVALID_VALUE, 0,
				"an array of %u x %u texels and %u layers; at most %u x %u and %u",
				width, height, layers, MAX_WIDTH, MAX_HEIGHT, MAX_LAYERS);
	a = calloc(1, sizeof(*a));
	if (!a)
		return slc_fail(ctx, SLC_NO_HOST_MEMORY, ENOMEM, "no memory for an array");
	a->ctx = ctx;
	a->image = (struct sluice_image){
		.layout = SLUICE_BLOCKS,
		.texel = *texel,
		.width = width,
		.height = height,
		.layers = layers,
	};
	a->image.block_shift = block_shift_of(lines_of(&a->image));
	ret = slc_buffer_new(ctx, SLUICE_VRAM, bytes_of(&a->image), &a->memory);
	if (ret) {
		free(a);
		return ret;
	}
	a->image.address = a->memory.address;
	a->next = ctx->array;
	ctx->array = a;
	*array = a;
	return SLC_OK;
}

void slc_arrays_free(struct slc_context *ctx)
{
	while (ctx->array) {
		struct slc_array *a = ctx->array;

		ctx->array = a->next;
		slc_buffer_free(ctx, &a->memory);
		free(a);
	}
}

int slc_array_destroy(struct slc_array *array)
{
	struct slc_context *ctx = array->ctx;
	struct slc_array **at = &ctx->array;
	int ret = slc_synchronize(ctx);

	if (ret && ret != SLC_CHANNEL_ENDED)
		return ret;
	while (*at != array)
		at = &(*at)->next;
	*at = array->next;
	slc_references_unbind(ctx, array->memory.address, array->memory.bytes);
	slc_buffer_free(ctx, &array->memory);
	free(array);
	return SLC_OK;
}

/* ---- copies ------------------------------------------------------------------------------------ */

static int submit_lines(struct slc_array *a, uint32_t layer, uint32_t first, uint32_t count,
			struct bounce *b, bool write)
{
	struct slc_context *ctx = a->ctx;
	uint32_t words[COPY_WORDS];
	struct sluice_words w = { .word = words, .capacity = COPY_WORDS };
	struct sluice_blocks blocks = {
		.address = a->image.address,
		.shift = a->image.block_shift,
		.line_bytes = (uint32_t)line_bytes(&a->image),
		.lines = lines_of(&a->image),
		.layers = a->image.layers ? a->image.layers : 1,
		.layer = layer,
		.first_line = first,
	};

	sluice_build_membar(&w);
	sluice_build_m2mf_blocks(&w, &blocks, b->memory.address, count, write);
	return slc_submit_fenced(ctx, &w, &b->fence);
}

/* Copies a layer, as many lines at a time as fit a bounce buffer. */
static int copy_layer(struct slc_array *a, uint32_t layer, uint8_t *host, bool write)
{
	struct slc_context *ctx = a->ctx;
	uint32_t lines = lines_of(&a->image);
	uint64_t line = line_bytes(&a->image);
	uint32_t most = (uint32_t)(BOUNCE_BYTES / line);
	uint32_t done, count, turn = 0;
	int ret = slc_check_channel(ctx);

	if (ret == SLC_OK && layer >= (a->image.layers ? a->image.layers : 1))
		ret = slc_fail(ctx, SLC_INVALID_VALUE, 0, "layer %u of %u", layer, a->image.layers);
	if (most > MAX_LINES)
		most = MAX_LINES;
	for (done = 0; ret == SLC_OK && done < lines; done += count, turn++) {
		struct bounce *b = &ctx->bounce[turn % BOUNCES];

		count = lines - done < most ? lines - done : most;
		ret = b->fence ? slc_wait_fence(ctx, b->fence) : SLC_OK;
		if (ret == SLC_OK && write)
			memcpy(b->memory.bo.map, host + done * line, count * line);
		if (ret == SLC_OK)
			ret = submit_lines(a, layer, done, count, b, write);
		if (ret == SLC_OK && !write) {
			ret = slc_wait_fence(ctx, b->fence);
			if (ret == SLC_OK)
				memcpy(host + done * line, b->memory.bo.map, count * line);
		}
	}
	return ret;
}

int slc_array_write(struct slc_array *array, uint32_t layer, const void *from)
{
	return copy_layer(array, layer, (uint8_t *)from, true);
}

int slc_array_read(struct slc_array *array, uint32_t layer, void *to)
{
	return copy_layer(array, layer, to, false);
}
