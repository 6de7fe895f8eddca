/* Binding textures and surfaces before a launch: see launch.h. Fields are those of cl90c0.h and
 * cl9097tex.h. */
#include "launch.h"

#define C SLUICE_SUBCHANNEL_COMPUTE

#define BIND_TEXTURE_HEADER 0x22c
#define SET_SAMPLER_BINDING 0x1234
#define INVALIDATE_SAMPLERS 0x1330
#define INVALIDATE_HEADERS 0x1334
#define INVALIDATE_TEXELS 0x1338
#define SAMPLER_POOL 0x155c /* address high, low, highest index */
#define HEADER_POOL 0x1574
#define SURFACE 0x2700 /* address high, low, width, height, format, block */
#define SURFACE_STRIDE 0x20u

#define SAMPLER_BY_HEADER 1u
#define BIND_VALID 1u
#define HEADER_INDEX_SHIFT 9

static void one(struct sluice_words *w, uint32_t method, uint32_t value)
{
	sluice_method(w, C, method, 1);
	sluice_word(w, value);
}

static void pool(struct sluice_words *w, uint32_t method, uint64_t address, uint32_t entries)
{
	sluice_method(w, C, method, 3);
	sluice_word64(w, address);
	sluice_word(w, entries - 1);
}

void sluice_build_pools(struct sluice_words *w, uint64_t headers, uint64_t samplers, uint32_t entries)
{
	pool(w, SAMPLER_POOL, samplers, entries);
	pool(w, HEADER_POOL, headers, entries);
	one(w, SET_SAMPLER_BINDING, SAMPLER_BY_HEADER);
	one(w, INVALIDATE_SAMPLERS, 0);
	one(w, INVALIDATE_HEADERS, 0);
	one(w, INVALIDATE_TEXELS, 0);
}

void sluice_build_texture(struct sluice_words *w, uint32_t slot, uint32_t index, bool bound)
{
	one(w, BIND_TEXTURE_HEADER,
	    index << HEADER_INDEX_SHIFT | slot << 1 | (bound ? BIND_VALID : 0));
}

void sluice_build_surface(struct sluice_words *w, uint32_t slot, const struct sluice_surface *surface)
{
	sluice_method(w, C, SURFACE + slot * SURFACE_STRIDE, 6);
	sluice_word64(w, surface->address);
	sluice_word(w, surface->width);
	sluice_word(w, surface->height);
	sluice_word(w, surface->format);
	sluice_word(w, surface->block);
}
