/* Modules: see compute.h. */
#include "compute_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 256u /* of code and of constant banks */

/* ---- loading ----------------------------------------------------------------------------------- */

static uint32_t bank_0_bytes(const struct slc_kernel *k)
{
	return (uint32_t)slc_round_up(SLC_PARAMETER_BASE + k->parameter_bytes, ALIGNMENT);
}

/* A module that is being loaded: where its sections go. */
struct load {
	struct slc_module *module;
	struct slc_cubin *cubin;
	struct slc_place *place; /* by section */
	uint64_t bytes;          /* of all so far */
};

/* Gives a section a place, once. What several kernels share is there once, too. */
static void lay(struct load *load, const struct slc_bytes *bytes, uint32_t alignment)
{
	struct slc_place *place = &load->place[bytes->section];

	if (!bytes->size || place->address != UINT64_MAX)
		return;
	place->address = slc_round_up(load->bytes, alignment > ALIGNMENT ? alignment : ALIGNMENT);
	load->bytes = place->address + bytes->size;
}

/* Where everything goes: code first, then constants, variables, pools, and each kernel's bank 0. */
static void lay_out(struct load *load)
{
	const struct slc_cubin *cubin = load->cubin;
	uint32_t i, b;

	for (i = 0; i < cubin->elf.section_count; i++)
		load->place[i].address = UINT64_MAX;
	for (i = 0; i < cubin->kernel_count; i++)
		lay(load, &cubin->kernel[i].code, 0);
	for (i = 0; i < cubin->kernel_count; i++)
		for (b = 0; b < SLC_BANKS; b++)
			lay(load, &cubin->kernel[i].bank[b], 0);
	for (i = 0; i < cubin->globals_count; i++)
		lay(load, &cubin->globals[i].bytes, cubin->globals[i].alignment);
	load->module->headers = slc_round_up(load->bytes, ALIGNMENT);
	load->module->samplers =
		load->module->headers + (uint64_t)cubin->image_count * SLUICE_ENTRY_BYTES;
	load->bytes = load->module->samplers + (uint64_t)cubin->image_count * SLUICE_ENTRY_BYTES;
	for (i = 0; i < cubin->kernel_count; i++) {
		load->module->function[i].bank[0].address = slc_round_up(load->bytes, ALIGNMENT);
		load->bytes = load->module->function[i].bank[0].address +
			      bank_0_bytes(&cubin->kernel[i]);
	}
}

static void fill_section(struct load *load, const struct slc_bytes *bytes, uint8_t *image)
{
	struct slc_place *place = &load->place[bytes->section];

	if (!bytes->size)
		return;
	place->bytes = image + place->address;
	if (bytes->at)
		memcpy(place->bytes, bytes->at, bytes->size);
}

/* Fills the image; addresses become those of the device, but for code, which is addressed by its
 * place behind the first. */
static int fill(struct load *load, uint8_t *image)
{
	const struct slc_cubin *cubin = load->cubin;
	uint64_t base = load->module->memory.address;
	uint32_t i, b;

	memset(image, 0, load->bytes);
	for (i = 0; i < cubin->kernel_count; i++) {
		fill_section(load, &cubin->kernel[i].code, image);
		for (b = 0; b < SLC_BANKS; b++)
			fill_section(load, &cubin->kernel[i].bank[b], image);
	}
	for (i = 0; i < cubin->globals_count; i++)
		fill_section(load, &cubin->globals[i].bytes, image);
	for (i = 0; i < cubin->elf.section_count; i++)
		if (cubin->load[i] == SLC_CONSTANTS || cubin->load[i] == SLC_GLOBALS)
			load->place[i].address += base;
	return slc_cubin_link(load->cubin, load->place);
}

/* Tells functions and variables where they are. */
static void settle(const struct load *load)
{
	struct slc_module *module = load->module;
	uint32_t i, b;

	for (i = 0; i < module->function_count; i++) {
		struct slc_function *f = &module->function[i];

		f->start = (uint32_t)load->place[f->kernel.code.section].address;
		f->bank[0].address += module->memory.address;
		f->bank[0].bytes = bank_0_bytes(&f->kernel);
		f->bank[1] = (struct sluice_bank){ module->ctx->bank_1.address, SLUICE_BANK_1_BYTES };
		for (b = 2; b < SLC_BANKS; b++)
			if (f->kernel.bank[b].size)
				f->bank[b] = (struct sluice_bank){
					load->place[f->kernel.bank[b].section].address,
					f->kernel.bank[b].size,
				};
	}
	module->headers += module->memory.address;
	module->samplers += module->memory.address;
	for (i = 0; i < module->variable_count; i++)
		module->variable[i].address +=
			load->place[load->cubin->variable[i].section].address;
}

/* Brings code, constants and variables to the device. */
static int upload(struct load *load)
{
	struct slc_module *module = load->module;
	struct slc_context *ctx = module->ctx;
	struct allocation staging = { 0 };
	uint32_t words[512];
	struct sluice_words w = { .word = words, .capacity = 512 };
	uint32_t fence;
	int ret;

	lay_out(load);
	ret = slc_buffer_new(ctx, SLUICE_VRAM, load->bytes, &module->memory);
	if (ret == SLC_OK)
		ret = slc_buffer_new(ctx, SLUICE_SYSRAM, load->bytes, &staging);
	if (ret == SLC_OK && fill(load, staging.bo.map))
		ret = slc_fail(ctx, SLC_INVALID_IMAGE, 0, "cubin: %s", load->cubin->problem);
	if (ret == SLC_OK) {
		settle(load);
		sluice_build_m2mf_copy(&w, module->memory.address, staging.address, load->bytes,
				       (struct sluice_report){ ctx->ch.fence_address + 32, 0 });
		ret = slc_submit_fenced(ctx, &w, &fence);
	}
	if (ret == SLC_OK)
		ret = slc_wait_fence(ctx, fence);
	slc_buffer_free(ctx, &staging);
	return ret;
}

/* false: no memory for them. */
static bool references_new(struct slc_module *module, const struct slc_cubin *cubin)
{
	uint32_t i;

	module->reference = calloc(cubin->image_count + 1, sizeof(*module->reference));
	for (i = 0; module->reference && i < cubin->image_count; i++) {
		struct slc_reference *r = &module->reference[i];

		*r = (struct slc_reference){ .module = module, .name = strdup(cubin->image[i].name),
					     .surface = cubin->image[i].surface };
		module->reference_count++;
		if (!r->name)
			return false;
	}
	return module->reference != NULL;
}

static struct slc_module *module_new(struct slc_context *ctx, const struct slc_cubin *cubin)
{
	struct slc_module *module =
		calloc(1, sizeof(*module) + cubin->kernel_count * sizeof(module->function[0]));
	bool named = true;
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
		named = named && f->name;
	}
	module->variable = calloc(cubin->variable_count + 1, sizeof(*module->variable));
	for (i = 0; module->variable && i < cubin->variable_count; i++) {
		struct variable *v = &module->variable[i];

		*v = (struct variable){ strdup(cubin->variable[i].name), cubin->variable[i].offset,
					cubin->variable[i].bytes };
		module->variable_count++;
		named = named && v->name;
	}
	if (module->variable && named && references_new(module, cubin))
		return module;
	slc_module_unload(module);
	return NULL;
}

static int module_add(struct slc_context *ctx, struct slc_cubin *cubin, uint32_t slot,
		      struct slc_module **result)
{
	struct slc_module *module = module_new(ctx, cubin);
	struct load load = { .module = module, .cubin = cubin };
	int ret;

	if (!module)
		return slc_fail(ctx, SLC_NO_HOST_MEMORY, ENOMEM, "no memory for a module");
	load.place = calloc(cubin->elf.section_count, sizeof(*load.place));
	ret = load.place ? upload(&load) :
			   slc_fail(ctx, SLC_NO_HOST_MEMORY, ENOMEM, "no memory for a module");
	free(load.place);
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
	const void *file;
	size_t file_bytes;
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
	if (slc_fatbin_find(image, bytes, &file, &file_bytes, cubin->problem) ||
	    slc_cubin_read(cubin, file, file_bytes))
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
	for (i = 0; i < module->variable_count; i++)
		free(module->variable[i].name);
	for (i = 0; i < module->reference_count; i++)
		free(module->reference[i].name);
	free(module->variable);
	free(module->reference);
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

int slc_module_variable(struct slc_module *module, const char *name, uint64_t *address,
			uint64_t *bytes)
{
	uint32_t i;

	for (i = 0; i < module->variable_count; i++) {
		const struct variable *v = &module->variable[i];

		if (strcmp(v->name, name) == 0) {
			*address = v->address;
			*bytes = v->bytes;
			return SLC_OK;
		}
	}
	*address = *bytes = 0;
	return slc_fail(module->ctx, SLC_NOT_FOUND, 0, "no variable %.60s in the module", name);
}

bool slc_is_variable(const struct slc_context *ctx, uint64_t address, uint64_t bytes)
{
	uint32_t slot, i;

	for (slot = 0; slot < SLC_MAX_MODULES; slot++) {
		const struct slc_module *module = ctx->module[slot];

		for (i = 0; module && i < module->variable_count; i++) {
			const struct variable *v = &module->variable[i];
			uint64_t offset = address - v->address;

			if (address >= v->address && offset <= v->bytes && bytes <= v->bytes - offset)
				return true;
		}
	}
	return false;
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
