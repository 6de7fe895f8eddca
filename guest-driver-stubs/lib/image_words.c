/* See image_words.h. */
#include "image_words.h"

/* Types of components. */
#define SNORM 1u
#define UNORM 2u
#define SINT 3u
#define UINT 4u
#define FLOAT 7u

/* Where the components of a result come from. */
#define SOURCE_ZERO 0u
#define SOURCE_FIRST 2u
#define SOURCE_ONE_INTEGER 6u
#define SOURCE_ONE_FLOAT 7u

#define ONE_D 0u
#define ONE_D_ARRAY 4u
#define TWO_D_ARRAY 5u
#define ONE_D_BUFFER 6u
#define TWO_D 7u /* without levels */

#define VERSION_2 (1u << 31)
#define PITCH (1u << 18)
#define BLOCK_SHIFT 22
#define NORMALIZED (1u << 31)
#define FILTER_POINT 1u
#define FILTER_LINEAR 2u
#define ONE_LEVEL (1u << 6)

#define SURFACE_LINEAR (1u << 20)
#define COMPONENTS 4u

/* Of each size and count of components, the texture format, and of each size the surface format:
 * unsigned integers, of which any other has the bytes. */
static const struct {
	uint8_t bits;
	uint8_t channels;
	uint8_t texture;
	uint8_t surface;
} formats[] = {
	{ 8, 1, 0x1d, 0xf6 },  { 8, 2, 0x18, 0xf1 },  { 8, 4, 0x08, 0xe4 },
	{ 16, 1, 0x1b, 0xf1 }, { 16, 2, 0x0c, 0xe4 }, { 16, 4, 0x03, 0xcd },
	{ 32, 1, 0x0f, 0xe4 }, { 32, 2, 0x04, 0xcd }, { 32, 4, 0x01, 0xc2 },
};

#define FORMATS (sizeof(formats) / sizeof(formats[0]))

static uint32_t format_of(const struct slc_texel *texel)
{
	uint32_t i = 0;

	while (i < FORMATS &&
	       (formats[i].bits != texel->bits || formats[i].channels != texel->channels))
		i++;
	return i;
}

bool sluice_texel_known(const struct slc_texel *texel)
{
	return format_of(texel) < FORMATS && texel->component <= SLC_FLOAT &&
	       (texel->component != SLC_FLOAT || texel->bits >= 16);
}

uint32_t sluice_texel_bytes(const struct slc_texel *texel)
{
	return texel->bits / 8 * texel->channels;
}

static uint32_t type_of(const struct slc_texel *texel, const struct slc_sampling *sampling)
{
	bool fractions = sampling->fractions && texel->bits <= 16;

	switch (texel->component) {
	case SLC_FLOAT:
		return FLOAT;
	case SLC_SIGNED:
		return fractions ? SNORM : SINT;
	default:
		return fractions ? UNORM : UINT;
	}
}

/* Missing components are 0, and of the fourth 1: as a number of the texture's kind. */
static uint32_t sources(const struct slc_texel *texel, uint32_t type)
{
	uint32_t words = 0;
	uint32_t i;

	for (i = 0; i < COMPONENTS; i++) {
		uint32_t source = i < texel->channels ? SOURCE_FIRST + i : SOURCE_ZERO;

		if (i == COMPONENTS - 1 && texel->channels < COMPONENTS)
			source = type == SINT || type == UINT ? SOURCE_ONE_INTEGER : SOURCE_ONE_FLOAT;
		words |= source << (18 + 3 * i) | type << (6 + 3 * i);
	}
	return words;
}

static uint32_t kind_of(const struct sluice_image *image)
{
	if (image->layout == SLUICE_BUFFER)
		return ONE_D_BUFFER;
	if (image->layers)
		return image->height ? TWO_D_ARRAY : ONE_D_ARRAY;
	return image->height ? TWO_D : ONE_D;
}

void sluice_header_words(uint32_t words[SLUICE_ENTRY_WORDS], const struct sluice_image *image,
			 const struct slc_sampling *sampling)
{
	bool blocks = image->layout == SLUICE_BLOCKS;

	words[0] = formats[format_of(&image->texel)].texture |
		   sources(&image->texel, type_of(&image->texel, sampling));
	words[1] = (uint32_t)image->address;
	words[2] = (uint32_t)(image->address >> 32) | kind_of(image) << 14 |
		   (blocks ? image->block_shift << BLOCK_SHIFT : PITCH) |
		   (sampling->normalized ? NORMALIZED : 0);
	words[3] = image->layout == SLUICE_LINES ? image->pitch : 0;
	words[4] = VERSION_2 | image->width;
	words[5] = (image->layers ? image->layers : 1) << 16 | (image->height ? image->height : 1);
	words[6] = 0;
	words[7] = 0;
}

void sluice_sampler_words(uint32_t words[SLUICE_ENTRY_WORDS], const struct slc_sampling *sampling)
{
	uint32_t filter = sampling->linear ? FILTER_LINEAR : FILTER_POINT;
	uint32_t i;

	words[0] = (uint32_t)sampling->address[0] | (uint32_t)sampling->address[1] << 3 |
		   (uint32_t)SLC_CLAMP << 6;
	words[1] = filter | filter << 4 | ONE_LEVEL;
	for (i = 2; i < SLUICE_ENTRY_WORDS; i++)
		words[i] = 0;
}

struct sluice_surface sluice_surface_words(const struct sluice_image *image)
{
	uint32_t format = formats[format_of(&image->texel)].surface;
	bool linear = image->layout == SLUICE_BUFFER;

	return (struct sluice_surface){
		.address = image->address,
		.width = linear ? image->width * sluice_texel_bytes(&image->texel) : image->width,
		.height = (image->height ? image->height : 1) | (linear ? SURFACE_LINEAR : 0),
		.format = format << 4,
		.block = linear ? 0 : image->block_shift << 4,
	};
}
