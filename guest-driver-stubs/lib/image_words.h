/* The words that describe an image to the GPU: texture headers, samplers and surfaces, as
 * cl9097tex.h and cl90c0.h have them. Callers have checked what they describe. */
#ifndef SLUICE_IMAGE_WORDS_H
#define SLUICE_IMAGE_WORDS_H

#include "compute.h"
#include "launch.h"

#define SLUICE_ENTRY_WORDS 8u /* of a header, and of a sampler */
#define SLUICE_ENTRY_BYTES 32u

enum sluice_layout {
	SLUICE_BUFFER, /* one line of texels */
	SLUICE_LINES,  /* lines pitch bytes apart */
	SLUICE_BLOCKS, /* blocks of one GOB by 1 << block_shift */
};

struct sluice_image {
	enum sluice_layout layout;
	struct slc_texel texel;
	uint64_t address;
	uint32_t width;
	uint32_t height; /* 0: of one dimension */
	uint32_t layers; /* 0: none */
	uint32_t pitch;
	uint32_t block_shift;
};

/* Whether the GPU has such texels. */
bool sluice_texel_known(const struct slc_texel *texel);
uint32_t sluice_texel_bytes(const struct slc_texel *texel);
void sluice_header_words(uint32_t words[SLUICE_ENTRY_WORDS], const struct sluice_image *image,
			 const struct slc_sampling *sampling);
void sluice_sampler_words(uint32_t words[SLUICE_ENTRY_WORDS], const struct slc_sampling *sampling);
struct sluice_surface sluice_surface_words(const struct sluice_image *image);

#endif /* SLUICE_IMAGE_WORDS_H */
