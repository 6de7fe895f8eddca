/* Modules and launches: see compute.h. */
#include "compute_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 256u /* of code and of constant banks */
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
#define LAUNCH_WORDS (SLUICE_LAUNCH_WORDS + SLC_MAX_PARAMETER_BYTES / 4)

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

/* ---- loading ----------------------------------------------------------------------------------- */

static uint32_t bank_0_bytes(const struct slc_kernel *k)
{
	return (uint32_t)round_up(SLC_PARAMETER_BASE + k->parameter_bytes, ALIGNMENT);
}

/* Where everything goes: code first, then each kernel's banks. Returns the bytes of it all. */
static uint64_t lay_out(struct slc_module *module, uint64_t base)
{
	uint64_t at = 0;
	uint32_t i, b;

	for (i = 0; i < module->function_count; i++) {
		module->function[i].start = (uint32_t)at;
		at = round_up(at + module->function[i].kernel.code.size, ALIGNMENT);
	}
	for (i = 0; i < module->function_count; i++) {
		struct slc_function *f = &module->function[i];

		f->bank[1] = (struct sluice_bank){ module->ctx->bank_1.address, SLUICE_BANK_1_BYTES };
		for (b = 0; b < SLC_BANKS; b++) {
			uint32_t bytes = b ? f->kernel.bank[b].size : bank_0_bytes(&f->kernel);

			if (b == 1 || !bytes)
				continue;
			f->bank[b] = (struct sluice_bank){ base + at, bytes };
			at = round_up(at + bytes, ALIGNMENT);
		}
	}
	return at;
}

static void fill(const struct slc_module *module, uint8_t *image)
{
	uint32_t i, b;

	for (i = 0; i < module->function_count; i++) {
		const struct slc_function *f = &module->function[i];

		memcpy(image + f->start, f->kernel.code.at, f->kernel.code.size);
		for (b = 2; b < SLC_BANKS; b++)
			if (f->kernel.bank[b].at)
				memcpy(image + (f->bank[b].address - module->memory.address),
				       f->kernel.bank[b].at, f->kernel.bank[b].size);
	}
}

/* Brings code and constants to the device. */
static int upload(struct slc_module *module)
{
	struct slc_context *ctx = module->ctx;
	uint64_t bytes = lay_out(module, 0);
	struct allocation staging = { 0 };
	uint32_t words[512];
	struct sluice_words w = { .word = words, .capacity = 512 };
	uint32_t fence;
	int ret = slc_buffer_new(ctx, SLUICE_VRAM, bytes, &module->memory);

	if (ret == SLC_OK)
		ret = slc_buffer_new(ctx, SLUICE_SYSRAM, bytes, &staging);
	if (ret == SLC_OK) {
		lay_out(module, module->memory.address);
		memset(staging.bo.map, 0, bytes);
		fill(module, staging.bo.map);
		sluice_build_m2mf_copy(&w, module->memory.address, staging.address, bytes,
				       (struct sluice_report){ ctx->ch.fence_address + 32, 0 });
		ret = slc_submit_fenced(ctx, &w, &fence);
	}
	if (ret == SLC_OK)
		ret = slc_wait_fence(ctx, fence);
	slc_buffer_free(ctx, &staging);
	return ret;
}

static struct slc_module *module_new(struct slc_context *ctx, const struct slc_cubin *cubin)
{
	struct slc_module *module =
		calloc(1, sizeof(*module) + cubin->kernel_count * sizeof(module->function[0]));
	uint32_t i;

	if (!module)
		return NULL;
	module->ctx = ctx;
	module->slot = SLC_MAX_MODULES;
	for (i = 0; i < cubin->kernel_count; i++) {
		struct slc_function *f = &module->function[i];

		f->module = module;
		f->kernel = cubin->kernel[i];
		f->name = strdup(cubin->kernel[i].name);
		module->function_count++;
		if (!f->name) {
			slc_module_unload(module);
			return NULL;
		}
	}
	return module;
}

static int module_add(struct slc_context *ctx, const struct slc_cubin *cubin, uint32_t slot,
		      struct slc_module **result)
{
	struct slc_module *module = module_new(ctx, cubin);
	int ret;

	if (!module)
		return slc_fail(ctx, SLC_NO_HOST_MEMORY, ENOMEM, "no memory for a module");
	ret = upload(module);
	if (ret) {
		struct slc_error error = ctx->error;

		slc_module_unload(module);
		ctx->error = error;
		return ret;
	}
	module->slot = slot;
	ctx->module[slot] = module;
	*result = module;
	return SLC_OK;
}

int slc_module_load(struct slc_context *ctx, const void *image, size_t bytes,
		    struct slc_module **module)
{
	struct slc_cubin *cubin;
	uint32_t slot = 0;
	int ret = slc_check_channel(ctx);

	*module = NULL;
	if (ret)
		return ret;
	while (slot < SLC_MAX_MODULES && ctx->module[slot])
		slot++;
	if (slot == SLC_MAX_MODULES)
		return slc_fail(ctx, SLC_OUT_OF_RESOURCES, 0, "%u modules already", slot);
	cubin = malloc(sizeof(*cubin));
	if (!cubin)
		return slc_fail(ctx, SLC_NO_HOST_MEMORY, ENOMEM, "no memory for a module");
	if (slc_cubin_read(cubin, image, bytes))
		ret = slc_fail(ctx, SLC_INVALID_IMAGE, 0, "cubin: %s", cubin->problem);
	else
		ret = module_add(ctx, cubin, slot, module);
	free(cubin);
	return ret;
}

int slc_module_load_file(struct slc_context *ctx, const char *path, struct slc_module **module)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = NULL;
	long size = 0;
	int ret;

	*module = NULL;
	if (!file)
		return slc_fail(ctx, SLC_NOT_FOUND, errno, "%s: %s", path, strerror(errno));
	if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0 &&
	    size <= (long)SLC_MAX_FILE_BYTES && fseek(file, 0, SEEK_SET) == 0)
		bytes = malloc((size_t)size);
	if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size)
		ret = slc_fail(ctx, SLC_INVALID_IMAGE, 0, "%s: empty, too large or not readable", path);
	else
		ret = slc_module_load(ctx, bytes, (size_t)size, module);
	free(bytes);
	fclose(file);
	return ret;
}

int slc_module_unload(struct slc_module *module)
{
	struct slc_context *ctx = module->ctx;
	uint32_t i;

	if (module->memory.address && ctx->ch.control) {
		int ret = slc_synchronize(ctx);

		if (ret && ret != SLC_CHANNEL_ENDED)
			return ret;
	}
	slc_buffer_free(ctx, &module->memory);
	if (module->slot < SLC_MAX_MODULES)
		ctx->module[module->slot] = NULL;
	for (i = 0; i < module->function_count; i++)
		free(module->function[i].name);
	free(module);
	return SLC_OK;
}

int slc_module_function(struct slc_module *module, const char *name,
			const struct slc_function **function)
{
	uint32_t i;

	*function = NULL;
	for (i = 0; i < module->function_count; i++)
		if (strcmp(module->function[i].name, name) == 0)
			*function = &module->function[i];
	return *function ? SLC_OK :
			   slc_fail(module->ctx, SLC_NOT_FOUND, 0, "no kernel %.60s in the module", name);
}

void slc_function_info(const struct slc_function *function, struct slc_function_info *info)
{
	const struct slc_kernel *k = &function->kernel;

	*info = (struct slc_function_info){
		.registers = k->registers,
		.shared_bytes = k->shared_bytes,
		.local_bytes = k->local_bytes + k->frame_bytes,
		.parameter_count = k->parameter_count,
		.parameter_bytes = k->parameter_bytes,
	};
}

/* ---- launches ---------------------------------------------------------------------------------- */

static int check_shape(struct slc_context *ctx, const struct slc_function *f,
		       const struct slc_shape *s)
{
	uint64_t threads, registers;
	uint64_t shared = round_up((uint64_t)f->kernel.shared_bytes + s->shared_bytes,
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
	registers = round_up(threads, LANES) / LANES *
		    round_up((uint64_t)f->kernel.registers * LANES, WARP_REGISTER_UNIT);
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

	g->stack_bytes = (uint32_t)round_up(stack, STACK_ALIGNMENT);
	if (used) {
		g->local_low_bytes = (uint32_t)round_up(k->local_bytes + k->frame_bytes, LOCAL_ALIGNMENT);
		g->local_high_bytes =
			(uint32_t)round_up(frame, LOCAL_ALIGNMENT) + STACK_BEHIND_POINTER;
	}
	warp = (uint64_t)LANES * (g->local_low_bytes + g->local_high_bytes) + LANES * g->stack_bytes;
	g->local_bytes = round_up(WARPS_OF_SM * ctx->multiprocessors * warp, LOCAL_MEMORY_ALIGNMENT);
	g->local_warp_bytes = (uint32_t)round_up(warp, WARP_ALIGNMENT);
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
		(uint32_t)round_up(f->kernel.shared_bytes + shape->shared_bytes, SHARED_ALIGNMENT);
	g.id = ctx->launches++;
	sluice_build_membar(&w);
	sluice_build_launch(&w, &g);
	return slc_submit(ctx, &w);
}
