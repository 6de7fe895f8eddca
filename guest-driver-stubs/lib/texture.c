/* Textures and surfaces of modules, by name: see compute.h. A module has a pool of headers and one of
 * samplers, with an entry for each of its textures; binding one writes its entries on the device, in
 * order with launches. */
#include "compute_internal.h"

#include <string.h>

#define TEXTURE_ALIGNMENT 32u
#define SURFACE_ALIGNMENT 256u
#define MAX_BUFFER_TEXELS (1u << 27)
#define MAX_SIDE 65535u
#define MAX_PITCH 0xfffe0u

static const char *kind_of(bool surface)
{
	return surface ? "surface" : "texture";
}

static int find(struct slc_module *module, const char *name, bool surface,
		struct slc_reference **reference)
{
	uint32_t i;

	*reference = NULL;
	for (i = 0; i < module->reference_count; i++)
		if (module->reference[i].surface == surface &&
		    strcmp(module->reference[i].name, name) == 0)
			*reference = &module->reference[i];
	return *reference ? SLC_OK :
			    slc_fail(module->ctx, SLC_NOT_FOUND, 0, "no %s %.60s in the module",
				     kind_of(surface), name);
}

int slc_module_texture(struct slc_module *module, const char *name, struct slc_reference **texture)
{
	return find(module, name, false, texture);
}

int slc_module_surface(struct slc_module *module, const char *name, struct slc_reference **surface)
{
	return find(module, name, true, surface);
}

/* ---- binding ----------------------------------------------------------------------------------- */

static int write_entry(struct slc_reference *r, uint64_t pool, const uint32_t *words)
{
	uint64_t index = (uint64_t)(r - r->module->reference);

	return slc_store(r->module->ctx, pool + index * SLUICE_ENTRY_BYTES, words, SLUICE_ENTRY_BYTES);
}

static int bind(struct slc_reference *r, const struct sluice_image *image, uint64_t bytes,
		const struct slc_sampling *sampling)
{
	static const struct slc_sampling plain = { .address = { SLC_CLAMP, SLC_CLAMP } };
	uint32_t words[SLUICE_ENTRY_WORDS];
	int ret = SLC_OK;

	if (r->surface) {
		r->target = sluice_surface_words(image);
	} else {
		sluice_header_words(words, image, sampling ? sampling : &plain);
		ret = write_entry(r, r->module->headers, words);
		sluice_sampler_words(words, sampling ? sampling : &plain);
		if (ret == SLC_OK)
			ret = write_entry(r, r->module->samplers, words);
	}
	r->address = image->address;
	r->bytes = ret ? 0 : bytes;
	return ret;
}

static int check(struct slc_reference *r, bool surface, const struct slc_texel *texel,
		 const struct slc_sampling *sampling)
{
	struct slc_context *ctx = r->module->ctx;

	if (r->surface != surface)
		return slc_fail(ctx, SLC_INVALID_VALUE, 0, "%.60s is a %s", r->name,
				kind_of(r->surface));
	if (!sluice_texel_known(texel))
		return slc_fail(ctx, SLC_INVALID_VALUE, 0, "no texels of %u components of %u bits",
				texel->channels, texel->bits);
	if (sampling && (sampling->address[0] > SLC_BORDER || sampling->address[1] > SLC_BORDER))
		return slc_fail(ctx, SLC_INVALID_VALUE, 0, "%.60s: no such mode beyond the edge",
				r->name);
	return slc_check_channel(ctx);
}

static int check_alignment(struct slc_reference *r, uint64_t address, uint32_t alignment)
{
	return address % alignment == 0 ?
		       SLC_OK :
		       slc_fail(r->module->ctx, SLC_INVALID_VALUE, 0,
				"%.60s: address %#llx is not a multiple of %u", r->name,
				(unsigned long long)address, alignment);
}

int slc_texture_bind_array(struct slc_reference *texture, const struct slc_array *array,
			   const struct slc_sampling *sampling)
{
	int ret = check(texture, false, &array->image.texel, sampling);

	return ret ? ret : bind(texture, &array->image, array->memory.bytes, sampling);
}

int slc_texture_bind_lines(struct slc_reference *texture, const struct slc_lines *lines,
			   const struct slc_sampling *sampling)
{
	struct slc_context *ctx = texture->module->ctx;
	struct sluice_image image = {
		.layout = SLUICE_LINES,
		.texel = lines->texel,
		.address = lines->address,
		.width = lines->width,
		.height = lines->height,
		.pitch = lines->pitch,
	};
	uint64_t line = (uint64_t)lines->width * sluice_texel_bytes(&lines->texel);
	uint64_t bytes = (uint64_t)lines->pitch * lines->height;
	int ret = check(texture, false, &lines->texel, sampling);

	if (ret)
		return ret;
	if (!lines->width || lines->width > MAX_SIDE || !lines->height || lines->height > MAX_SIDE ||
	    lines->pitch > MAX_PITCH || lines->pitch % TEXTURE_ALIGNMENT || lines->pitch < line)
		return slc_fail(ctx, SLC_INVALID_VALUE, 0, "%.60s: %u x %u texels, %u bytes a line",
				texture->name, lines->width, lines->height, lines->pitch);
	/* Behind the last line nothing is read. */
	bytes -= lines->pitch - line;
	ret = check_alignment(texture, lines->address, TEXTURE_ALIGNMENT);
	if (ret == SLC_OK)
		ret = slc_check_range(ctx, lines->address, bytes);
	return ret ? ret : bind(texture, &image, bytes, sampling);
}

static int bind_buffer(struct slc_reference *r, bool surface, const struct slc_texel *texel,
		       uint64_t address, uint32_t count, uint32_t alignment)
{
	struct slc_context *ctx = r->module->ctx;
	struct sluice_image image = {
		.layout = SLUICE_BUFFER,
		.texel = *texel,
		.address = address,
		.width = count,
	};
	uint64_t bytes = (uint64_t)count * sluice_texel_bytes(texel);
	int ret = check(r, surface, texel, NULL);

	if (ret == SLC_OK && (count == 0 || count > MAX_BUFFER_TEXELS))
		ret = slc_fail(ctx, SLC_INVALID_VALUE, 0, "%.60s: %u texels; 1 to %u are allowed",
			       r->name, count, MAX_BUFFER_TEXELS);
	if (ret == SLC_OK)
		ret = check_alignment(r, address, alignment);
	if (ret == SLC_OK)
		ret = slc_check_range(ctx, address, bytes);
	return ret ? ret : bind(r, &image, bytes, NULL);
}

int slc_texture_bind_buffer(struct slc_reference *texture, const struct slc_texel *texel,
			    uint64_t address, uint32_t count)
{
	return bind_buffer(texture, false, texel, address, count, TEXTURE_ALIGNMENT);
}

int slc_surface_bind_array(struct slc_reference *surface, const struct slc_array *array)
{
	int ret = check(surface, true, &array->image.texel, NULL);

	if (ret == SLC_OK && array->image.layers)
		ret = slc_fail(surface->module->ctx, SLC_INVALID_VALUE, 0,
			       "%.60s: a surface has no layers", surface->name);
	return ret ? ret : bind(surface, &array->image, array->memory.bytes, NULL);
}

int slc_surface_bind_buffer(struct slc_reference *surface, uint64_t address, uint32_t bytes)
{
	static const struct slc_texel byte = { .channels = 1, .bits = 8 };

	return bind_buffer(surface, true, &byte, address, bytes, SURFACE_ALIGNMENT);
}

void slc_references_unbind(struct slc_context *ctx, uint64_t address, uint64_t bytes)
{
	uint32_t slot, i;

	for (slot = 0; slot < SLC_MAX_MODULES; slot++) {
		struct slc_module *module = ctx->module[slot];

		for (i = 0; module && i < module->reference_count; i++) {
			struct slc_reference *r = &module->reference[i];

			if (r->address < address + bytes && address < r->address + r->bytes)
				r->bytes = 0;
		}
	}
}

/* ---- launches ---------------------------------------------------------------------------------- */

int slc_build_images(struct slc_context *ctx, const struct slc_function *f, struct sluice_words *w)
{
	static const struct sluice_surface nothing;
	const struct slc_module *module = f->module;
	uint32_t i;

	if (f->kernel.image_count)
		sluice_build_pools(w, module->headers, module->samplers, module->reference_count);
	for (i = 0; i < f->kernel.image_count; i++) {
		const struct slc_image_slot *slot = &f->kernel.image[i];
		const struct slc_reference *r = &module->reference[slot->image];

		if (!r->bytes && slot->needed)
			return slc_fail(ctx, SLC_INVALID_VALUE, 0, "kernel %.60s: %s %.60s is not bound",
					f->name, kind_of(r->surface), r->name);
		if (r->surface)
			sluice_build_surface(w, slot->slot, r->bytes ? &r->target : &nothing);
		else
			sluice_build_texture(w, slot->slot, slot->image, r->bytes);
	}
	return SLC_OK;
}
