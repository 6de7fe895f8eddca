/* Launches: see compute.h. */
#include "compute_internal.h"

#include <string.h>

#define SHARED_ALIGNMENT 128u
#define LOCAL_ALIGNMENT 16u
#define STACK_ALIGNMENT 0x200u
#define MIN_STACK_BYTES 0x200u
#define WARP_ALIGNMENT 0x200u
#define LOCAL_MEMORY_ALIGNMENT 0x20000u
#define WARPS_OF_SM 48u
#define LANES 32u
#define STACK_BEHIND_POINTER 0x3c0u /* from the initial stack pointer to the window's end */
#define MIN_FRAME_BYTES 0x400u
#define MAX_GRID 65535u
#define MAX_BLOCK_XY 1024u
#define MAX_BLOCK_Z 64u
#define MAX_THREADS 1024u
#define REGISTERS_OF_SM 32768u
#define WARP_REGISTER_UNIT 64u
#define LAUNCH_WORDS (SLUICE_LAUNCH_WORDS + SLC_MAX_PARAMETER_BYTES / 4 + SLC_IMAGES_WORDS)

static int check_shape(struct slc_context *ctx, const struct slc_function *f,
		       const struct slc_shape *s)
{
	uint64_t threads, registers;
	uint64_t shared = slc_round_up((uint64_t)f->kernel.shared_bytes + s->shared_bytes,
				   SHARED_ALIGNMENT);
	int i;

	for (i = 0; i < 3; i++) {
		uint32_t most = i < 2 ? MAX_BLOCK_XY : MAX_BLOCK_Z;

		if (s->grid[i] == 0 || s->grid[i] > MAX_GRID)
			return slc_fail(ctx, SLC_INVALID_VALUE, 0, "grid of %u x %u x %u; 1 to %u are allowed",
					s->grid[0], s->grid[1], s->grid[2], MAX_GRID);
		if (s->block[i] == 0 || s->block[i] > most)
			return slc_fail(ctx, SLC_INVALID_VALUE, 0,
					"block of %u x %u x %u; up to 1024 x 1024 x 64 are allowed",
					s->block[0], s->block[1], s->block[2]);
	}
	threads = (uint64_t)s->block[0] * s->block[1] * s->block[2];
	if (threads > MAX_THREADS)
		return slc_fail(ctx, SLC_INVALID_VALUE, 0, "%llu threads in a block; at most %u",
				(unsigned long long)threads, MAX_THREADS);
	if (shared > SLC_MAX_SHARED_BYTES)
		return slc_fail(ctx, SLC_OUT_OF_RESOURCES, 0, "%llu bytes of shared memory; at most %u",
				(unsigned long long)shared, SLC_MAX_SHARED_BYTES);
	registers = slc_round_up(threads, LANES) / LANES *
		    slc_round_up((uint64_t)f->kernel.registers * LANES, WARP_REGISTER_UNIT);
	if (registers > REGISTERS_OF_SM)
		return slc_fail(ctx, SLC_OUT_OF_RESOURCES, 0,
				"%llu threads with %u registers each need %llu; there are %u",
				(unsigned long long)threads, f->kernel.registers,
				(unsigned long long)registers, REGISTERS_OF_SM);
	return SLC_OK;
}

/* Sizes of local memory, as Gdev computes them; memory for it only if the kernel uses some. */
static int local_memory(struct slc_context *ctx, const struct slc_kernel *k, struct sluice_grid *g)
{
	uint32_t stack = k->stack_bytes > MIN_STACK_BYTES ? k->stack_bytes : MIN_STACK_BYTES;
	uint32_t frame = k->frame_bytes > MIN_FRAME_BYTES ? k->frame_bytes : MIN_FRAME_BYTES;
	bool used = k->local_bytes || k->frame_bytes;
	uint64_t warp;
	int ret;

	g->stack_bytes = (uint32_t)slc_round_up(stack, STACK_ALIGNMENT);
	if (used) {
		g->local_low_bytes = (uint32_t)slc_round_up(k->local_bytes + k->frame_bytes, LOCAL_ALIGNMENT);
		g->local_high_bytes =
			(uint32_t)slc_round_up(frame, LOCAL_ALIGNMENT) + STACK_BEHIND_POINTER;
	}
	warp = (uint64_t)LANES * (g->local_low_bytes + g->local_high_bytes) + LANES * g->stack_bytes;
	g->local_bytes = slc_round_up(WARPS_OF_SM * ctx->multiprocessors * warp, LOCAL_MEMORY_ALIGNMENT);
	g->local_warp_bytes = (uint32_t)slc_round_up(warp, WARP_ALIGNMENT);
	if (!used || ctx->local.bytes >= g->local_bytes) {
		g->local_address = used ? ctx->local.address : 0;
		return SLC_OK;
	}
	ret = slc_synchronize(ctx); /* launches before may use the smaller one */
	if (ret)
		return ret;
	slc_buffer_free(ctx, &ctx->local);
	ret = slc_buffer_new(ctx, SLUICE_VRAM, g->local_bytes, &ctx->local);
	g->local_address = ctx->local.address;
	return ret;
}

static int pack(struct slc_context *ctx, const struct slc_kernel *k, void *const *arguments,
		uint32_t count, uint8_t *to)
{
	uint32_t i;

	if (count != k->parameter_count)
		return slc_fail(ctx, SLC_INVALID_VALUE, 0, "%u arguments for %u parameters", count,
				k->parameter_count);
	for (i = 0; i < count; i++)
		memcpy(to + k->parameter[i].offset, arguments[i], k->parameter[i].bytes);
	return SLC_OK;
}

int slc_launch(const struct slc_function *f, const struct slc_shape *shape, void *const *arguments,
	       uint32_t count)
{
	struct slc_context *ctx = f->module->ctx;
	uint32_t words[LAUNCH_WORDS];
	struct sluice_words w = { .word = words, .capacity = LAUNCH_WORDS };
	uint32_t parameters[SLC_MAX_PARAMETER_BYTES / 4] = { 0 };
	struct sluice_grid g = {
		.program = f->module->memory.address,
		.start = f->start,
		.registers = f->kernel.registers,
		.barriers = f->kernel.barriers,
		.parameter = parameters,
		.parameter_words = (f->kernel.parameter_bytes + 3) / 4,
	};
	int ret = slc_check_channel(ctx);

	if (ret == SLC_OK)
		ret = check_shape(ctx, f, shape);
	if (ret == SLC_OK)
		ret = pack(ctx, &f->kernel, arguments, count, (uint8_t *)parameters);
	if (ret == SLC_OK)
		ret = local_memory(ctx, &f->kernel, &g);
	if (ret)
		return ret;
	memcpy(g.grid, shape->grid, sizeof(g.grid));
	memcpy(g.block, shape->block, sizeof(g.block));
	memcpy(g.bank, f->bank, sizeof(g.bank));
	g.shared_bytes =
		(uint32_t)slc_round_up(f->kernel.shared_bytes + shape->shared_bytes, SHARED_ALIGNMENT);
	g.id = ctx->launches++;
	sluice_build_membar(&w);
	ret = slc_build_images(ctx, f, &w);
	if (ret)
		return ret;
	sluice_build_launch(&w, &g);
	return slc_submit(ctx, &w);
}
