/*
 * Textures and surfaces of cubins: see cubin.h. The file names them by symbols of NVIDIA's own types.
 * A kernel's records say in which slots its instructions look for them; where an instruction is to be
 * relocated instead, a slot that no kernel uses is chosen, which is then the same in all of them.
 */
#include "cubin.h"

#include <string.h>

static struct slc_image *image_named(struct slc_cubin *cubin, const char *name)
{
	uint32_t i;

	for (i = 0; i < cubin->image_count; i++)
		if (strcmp(cubin->image[i].name, name) == 0)
			return &cubin->image[i];
	return NULL;
}

static uint32_t slots_of(const struct slc_image *image)
{
	return image->surface ? SLC_SURFACE_SLOTS : SLC_TEXTURE_SLOTS;
}

static const char *kind_of(bool surface)
{
	return surface ? "surface" : "texture";
}

static int image_add(struct slc_cubin *cubin, const struct slc_symbol *symbol)
{
	if (symbol->type == SLC_STT_SAMPLER)
		return slc_elf_wrong(&cubin->elf, "sampler %.60s belongs to no texture", symbol->name);
	if (!*symbol->name || image_named(cubin, symbol->name))
		return slc_elf_wrong(&cubin->elf, "%s \"%.60s\" has no name or is there twice",
				     kind_of(symbol->type == SLC_STT_SURFACE), symbol->name);
	if (cubin->image_count == SLC_MAX_IMAGES)
		return slc_elf_wrong(&cubin->elf, "more than %u textures and surfaces", SLC_MAX_IMAGES);
	cubin->image[cubin->image_count++] = (struct slc_image){
		.name = symbol->name,
		.surface = symbol->type == SLC_STT_SURFACE,
	};
	return 0;
}

int slc_cubin_images_read(struct slc_cubin *cubin)
{
	struct slc_elf *elf = &cubin->elf;
	struct slc_symbol symbol;
	uint32_t i, count = 0;
	int ret = elf->symbol_table ? slc_elf_symbol_count(elf, elf->symbol_table, &count) : 0;

	for (i = 1; ret == 0 && i < count; i++) {
		ret = slc_elf_symbol(elf, elf->symbol_table, i, &symbol);
		if (ret == 0 && symbol.type >= SLC_STT_TEXTURE && symbol.type <= SLC_STT_SURFACE)
			ret = image_add(cubin, &symbol);
	}
	return ret;
}

/* The image that a symbol names, or NULL. */
static struct slc_image *image_of(struct slc_cubin *cubin, const struct slc_symbol *symbol)
{
	bool known = symbol->type == SLC_STT_TEXTURE || symbol->type == SLC_STT_SURFACE;

	return known ? image_named(cubin, symbol->name) : NULL;
}

static int slot_give(struct slc_cubin *cubin, struct slc_kernel *k, const struct slc_image *image,
		     uint32_t slot, bool needed)
{
	struct slc_image_slot entry = { (uint8_t)(image - cubin->image), (uint8_t)slot, needed };
	uint32_t i;

	for (i = 0; i < k->image_count; i++) {
		struct slc_image_slot *other = &k->image[i];

		if (other->slot != slot || cubin->image[other->image].surface != image->surface)
			continue;
		if (other->image != entry.image)
			return slc_elf_wrong(&cubin->elf, "kernel %.40s: slot %u has two %ss", k->name,
					     slot, kind_of(image->surface));
		other->needed = other->needed || needed;
		return 0;
	}
	if (k->image_count == SLC_MAX_KERNEL_IMAGES)
		return slc_elf_wrong(&cubin->elf, "kernel %.40s: more than %u textures and surfaces",
				     k->name, SLC_MAX_KERNEL_IMAGES);
	k->image[k->image_count++] = entry;
	return 0;
}

int slc_cubin_image_bind(struct slc_cubin *cubin, struct slc_kernel *k, const struct slc_symbol *symbol,
			 uint32_t slot)
{
	const struct slc_image *image = image_of(cubin, symbol);

	if (!image)
		return slc_elf_wrong(&cubin->elf, "kernel %.40s: %.60s is no texture or surface", k->name,
				     symbol->name);
	if (slot >= slots_of(image))
		return slc_elf_wrong(&cubin->elf, "kernel %.40s: slot %u for %s %.60s; there are %u",
				     k->name, slot, kind_of(image->surface), image->name,
				     slots_of(image));
	return slot_give(cubin, k, image, slot, true);
}

/* The lowest slot that no kernel uses, or the number of slots. */
static uint32_t slot_free(const struct slc_cubin *cubin, const struct slc_image *image)
{
	bool taken[SLC_TEXTURE_SLOTS] = { false };
	uint32_t slot = 0, i, j;

	for (i = 0; i < cubin->kernel_count; i++) {
		const struct slc_kernel *k = &cubin->kernel[i];

		for (j = 0; j < k->image_count; j++)
			if (cubin->image[k->image[j].image].surface == image->surface)
				taken[k->image[j].slot] = true;
	}
	while (slot < slots_of(image) && taken[slot])
		slot++;
	return slot;
}

/* Gives an image a slot of all kernels: which of them call a function is not known. */
static int image_place(struct slc_cubin *cubin, struct slc_image *image)
{
	uint32_t slot = slot_free(cubin, image);
	uint32_t i;
	int ret = 0;

	if (slot == slots_of(image))
		return slc_elf_wrong(&cubin->elf, "no slot is left for %s %.60s",
				     kind_of(image->surface), image->name);
	image->placed = true;
	image->slot = slot;
	for (i = 0; ret == 0 && i < cubin->kernel_count; i++)
		ret = slot_give(cubin, &cubin->kernel[i], image, slot, false);
	return ret;
}

int slc_cubin_image_slot(struct slc_cubin *cubin, struct slc_kernel *code,
			 const struct slc_symbol *symbol, bool surface, uint32_t *slot)
{
	struct slc_image *image = image_of(cubin, symbol);
	uint32_t i;
	int ret = 0;

	if (!image || image->surface != surface)
		return slc_elf_wrong(&cubin->elf, "a relocation needs the slot of %.60s, which is no %s",
				     symbol->name, kind_of(surface));
	for (i = 0; code && i < code->image_count; i++)
		if (code->image[i].needed && &cubin->image[code->image[i].image] == image) {
			*slot = code->image[i].slot;
			return 0;
		}
	if (!image->placed)
		ret = image_place(cubin, image);
	*slot = image->slot;
	return ret || !code ? ret : slot_give(cubin, code, image, image->slot, true);
}
