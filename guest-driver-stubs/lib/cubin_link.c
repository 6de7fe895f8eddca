/* Relocations of cubins: see cubin.h. Their numbers and fields are those that nvdisasm names R_CUDA_*. */
#include "cubin.h"

#include <stdbool.h>
#include <string.h>

#define INSTRUCTION_BYTES 8u

/* What a field gets, if it is no address. */
enum image {
	NO_IMAGE = 0,
	TEXTURE = 1, /* the slot of one */
	SURFACE = 2,
};

/* Where a value goes. */
struct field {
	const char *name;
	uint8_t bytes; /* of the word that is changed */
	uint8_t low;   /* its first bit */
	uint8_t width;
	uint8_t shift; /* of the value, before */
	bool part;     /* of the value: the rest is lost, or is elsewhere */
	bool relative; /* to the instruction behind */
	enum image image;
};

#define FIELDS 64u

static const struct field fields[FIELDS] = {
	[1] = { "R_CUDA_32", 4, 0, 32, 0, false, false, NO_IMAGE },
	[2] = { "R_CUDA_64", 8, 0, 64, 0, false, false, NO_IMAGE },
	[3] = { "R_CUDA_G32", 4, 0, 32, 0, false, false, NO_IMAGE },
	[4] = { "R_CUDA_G64", 8, 0, 64, 0, false, false, NO_IMAGE },
	[5] = { "R_CUDA_ABS32_26", 8, 26, 32, 0, false, false, NO_IMAGE },
	[10] = { "R_CUDA_ABS32_LO_26", 8, 26, 32, 0, true, false, NO_IMAGE },
	[11] = { "R_CUDA_ABS32_HI_26", 8, 26, 32, 32, true, false, NO_IMAGE },
	[15] = { "R_CUDA_ABS24_26", 8, 26, 24, 0, false, false, NO_IMAGE },
	[17] = { "R_CUDA_ABS16_26", 8, 26, 16, 0, false, false, NO_IMAGE },
	[19] = { "R_CUDA_TEX_SLOT", 8, 32, 8, 0, false, false, TEXTURE },
	/* A texture has its own sampler, whatever the instruction names. */
	[20] = { "R_CUDA_SAMP_SLOT", 8, 40, 5, 0, true, false, TEXTURE },
	[21] = { "R_CUDA_SURF_SLOT", 8, 26, 6, 0, false, false, SURFACE },
	[40] = { "R_CUDA_PCREL_IMM24_26", 8, 26, 24, 0, false, true, NO_IMAGE },
};

struct relocation {
	uint64_t offset;
	uint32_t type;
	uint32_t symbol;
	bool explicit; /* the addend is here, otherwise in the field */
	uint64_t addend;
};

static uint64_t mask_of(const struct field *f)
{
	return f->width == 64 ? ~0ull : (1ull << f->width) - 1;
}

static uint64_t word_at(const uint8_t *at, uint32_t bytes)
{
	return bytes == 8 ? slc_u64(at) : slc_u32(at);
}

static void word_set(uint8_t *at, uint32_t bytes, uint64_t value)
{
	uint32_t i;

	for (i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t entry_bytes(const struct slc_elf *elf, bool explicit)
{
	return (elf->wide ? 8u : 4u) * (explicit ? 3u : 2u);
}

static struct relocation entry_at(const struct slc_elf *elf, const uint8_t *at, bool explicit)
{
	struct relocation r = { .explicit = explicit };

	if (elf->wide) {
		uint64_t info = slc_u64(at + 8);

		r.offset = slc_u64(at);
		r.type = (uint32_t)info;
		r.symbol = (uint32_t)(info >> 32);
		r.addend = explicit ? slc_u64(at + 16) : 0;
	} else {
		uint32_t info = slc_u32(at + 4);

		r.offset = slc_u32(at);
		r.type = info & 0xff;
		r.symbol = info >> 8;
		r.addend = explicit ? (uint64_t)(int64_t)(int32_t)slc_u32(at + 8) : 0;
	}
	return r;
}

/* The addend that stands in the file, in the field. */
static uint64_t addend_in(const struct field *f, const uint8_t *at)
{
	uint64_t value = word_at(at, f->bytes) >> f->low & mask_of(f);

	if (f->relative && value >> (f->width - 1))
		value |= ~mask_of(f);
	return value << f->shift;
}

static bool fits(const struct field *f, uint64_t value)
{
	if (f->part)
		return true;
	if (f->relative) {
		int64_t top = (int64_t)value >> (f->width - 1);

		return top == 0 || top == -1;
	}
	return (value & ~mask_of(f)) == 0;
}

static int symbol_check(struct slc_cubin *cubin, const struct slc_symbol *symbol)
{
	struct slc_elf *elf = &cubin->elf;

	if (symbol->section == SLC_SHN_UNDEFINED)
		return slc_elf_wrong(elf, "it needs %.60s, which is not in the file", symbol->name);
	if (symbol->section >= elf->section_count ||
	    (cubin->load[symbol->section] != SLC_CODE && cubin->load[symbol->section] != SLC_GLOBALS))
		return slc_elf_wrong(elf, "a relocation needs the address of %.60s, which has none",
				     symbol->name);
	return symbol->value <= cubin->size[symbol->section] ?
		       0 :
		       slc_elf_wrong(elf, "symbol %.60s lies outside its section", symbol->name);
}

static struct slc_kernel *kernel_at(struct slc_cubin *cubin, uint32_t section)
{
	uint32_t i;

	for (i = 0; i < cubin->kernel_count; i++)
		if (cubin->kernel[i].code.section == section)
			return &cubin->kernel[i];
	return NULL;
}

/* What the field gets, but for its addend. Without a place only whether there is such a thing. */
static int value_of(struct slc_cubin *cubin, const struct field *f, const struct slc_section *target,
		    const struct slc_symbol *symbol, const struct slc_place *place, uint64_t *value)
{
	uint32_t slot = 0;
	int ret;

	if (f->image == NO_IMAGE) {
		ret = symbol_check(cubin, symbol);
		*value = ret || !place ? 0 : place[symbol->section].address + symbol->value;
		return ret;
	}
	ret = slc_cubin_image_slot(cubin, kernel_at(cubin, target->index), symbol,
				   f->image == SURFACE, &slot);
	*value = slot;
	return ret;
}

static int relocate(struct slc_cubin *cubin, const struct slc_section *section,
		    const struct slc_section *target, const struct relocation *r,
		    const struct slc_place *place)
{
	struct slc_elf *elf = &cubin->elf;
	const struct field *f = r->type < FIELDS ? &fields[r->type] : NULL;
	struct slc_symbol symbol;
	uint64_t value, word;
	uint8_t *at;
	int ret;

	if (!r->type) /* R_CUDA_NONE */
		return 0;
	if (!f || !f->name)
		return slc_elf_wrong(elf, "%.60s: relocations of type %u are not supported",
				     section->name, r->type);
	if (f->bytes > target->size || r->offset > target->size - f->bytes ||
	    r->offset % (f->low ? INSTRUCTION_BYTES : 4))
		return slc_elf_wrong(elf, "%.60s: a relocation at %#llx of %llu bytes", section->name,
				     (unsigned long long)r->offset, (unsigned long long)target->size);
	ret = slc_elf_symbol(elf, section->link, r->symbol, &symbol);
	if (ret == 0)
		ret = value_of(cubin, f, target, &symbol, place, &value);
	if (ret || !place)
		return ret;
	value += r->explicit ? r->addend :
			       addend_in(f, elf->file + target->offset + r->offset);
	if (f->relative)
		value -= place[target->index].address + r->offset + INSTRUCTION_BYTES;
	if (!fits(f, value))
		return slc_elf_wrong(elf, "%.60s: the %s of %.60s does not fit %s", section->name,
				     f->image ? "slot" : "address", symbol.name, f->name);
	at = place[target->index].bytes + r->offset;
	word = word_at(at, f->bytes) & ~(mask_of(f) << f->low);
	word_set(at, f->bytes, word | (value >> f->shift & mask_of(f)) << f->low);
	return 0;
}

static int section_link(struct slc_cubin *cubin, const struct slc_section *section,
			const struct slc_place *place)
{
	struct slc_elf *elf = &cubin->elf;
	bool explicit = section->type == SLC_SHT_RELA;
	uint32_t bytes = entry_bytes(elf, explicit);
	struct slc_section target;
	uint64_t done;
	int ret;

	if (section->info >= elf->section_count || !cubin->load[section->info])
		return 0; /* of what is not loaded: debugging information */
	ret = slc_elf_section(elf, section->info, &target);
	if (ret)
		return ret;
	if (section->size % bytes || target.type == SLC_SHT_NOBITS)
		return slc_elf_wrong(elf, "%.60s: %llu bytes of relocations of %.60s", section->name,
				     (unsigned long long)section->size, target.name);
	for (done = 0; ret == 0 && done < section->size; done += bytes) {
		struct relocation r =
			entry_at(elf, elf->file + section->offset + done, explicit);

		ret = relocate(cubin, section, &target, &r, place);
	}
	return ret;
}

int slc_cubin_link(struct slc_cubin *cubin, const struct slc_place *place)
{
	struct slc_section section;
	uint32_t i;
	int ret = 0;

	for (i = 1; ret == 0 && i < cubin->elf.section_count; i++) {
		ret = slc_elf_section(&cubin->elf, i, &section);
		if (ret == 0 && (section.type == SLC_SHT_REL || section.type == SLC_SHT_RELA))
			ret = section_link(cubin, &section, place);
	}
	return ret;
}
