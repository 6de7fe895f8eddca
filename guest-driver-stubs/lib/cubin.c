/* See cubin.h. What is NVIDIA's own is named where it is read. */
#include "cubin.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* .nv.info: a record is a format byte, an attribute byte, and 16 bits of value or of size. */
#define FORMAT_NO_VALUE 1u
#define FORMAT_BYTE 2u
#define FORMAT_HALF 3u
#define FORMAT_SIZED 4u
#define ATTRIBUTE_IMAGE_SLOT 0x02u     /* symbol; slot */
#define ATTRIBUTE_PARAM_CBANK 0x0au    /* symbol; base | size << 16 */
#define ATTRIBUTE_FRAME_SIZE 0x11u     /* symbol; bytes */
#define ATTRIBUTE_MIN_STACK_SIZE 0x12u /* symbol; bytes */
#define ATTRIBUTE_KPARAM_INFO 0x17u    /* 0; index | offset << 16; size << 18 | flags */
#define ATTRIBUTE_PARAM_BYTES 0x19u    /* in the record itself */
#define ATTRIBUTE_CRS_STACK 0x1eu      /* bytes */

struct reader {
	struct slc_cubin *cubin;
	struct slc_elf *elf;
	uint64_t global_bytes;
	struct slc_bytes bank[SLC_BANKS]; /* those of all kernels */
	bool given[SLC_MAX_PARAMETERS];   /* parameters of the kernel whose records are being read */
};

#define wrong(r, ...) slc_elf_wrong((r)->elf, __VA_ARGS__)

/* The rest of a section's name behind a prefix, or NULL. */
static const char *behind(const char *name, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(name, prefix, length) == 0 ? name + length : NULL;
}

static const uint8_t *bytes_of(const struct reader *r, const struct slc_section *s)
{
	return s->type == SLC_SHT_NOBITS ? NULL : r->elf->file + s->offset;
}

/* A section that is to be loaded, whose size has been checked. */
static struct slc_bytes load(struct reader *r, const struct slc_section *s, enum slc_load as)
{
	r->cubin->load[s->index] = (uint8_t)as;
	r->cubin->size[s->index] = (uint32_t)s->size;
	return (struct slc_bytes){ bytes_of(r, s), (uint32_t)s->size, s->index };
}

/* ---- kernels ----------------------------------------------------------------------------------- */

static struct slc_kernel *kernel_named(struct slc_cubin *cubin, const char *name)
{
	uint32_t i;

	for (i = 0; i < cubin->kernel_count; i++)
		if (strcmp(cubin->kernel[i].name, name) == 0)
			return &cubin->kernel[i];
	return NULL;
}

const struct slc_kernel *slc_cubin_kernel(const struct slc_cubin *cubin, const char *name)
{
	return kernel_named((struct slc_cubin *)cubin, name);
}

static int kernel_add(struct reader *r, const struct slc_section *s, const char *name)
{
	struct slc_cubin *cubin = r->cubin;
	struct slc_kernel *k;

	if (cubin->kernel_count == SLC_MAX_KERNELS)
		return wrong(r, "more than %u kernels", SLC_MAX_KERNELS);
	if (!*name || kernel_named(cubin, name))
		return wrong(r, "section %u: kernel \"%.40s\" has no name or is there twice", s->index, name);
	if (s->type == SLC_SHT_NOBITS || s->size == 0 || s->size % 8 || s->size > SLC_MAX_CODE_BYTES)
		return wrong(r, "kernel %.40s: %llu bytes of code; whole words of 8, 1 to %u of them",
			     name, (unsigned long long)s->size, SLC_MAX_CODE_BYTES / 8);
	k = &cubin->kernel[cubin->kernel_count++];
	*k = (struct slc_kernel){
		.name = name,
		.code = load(r, s, SLC_CODE),
		.registers = s->info >> 24,
		.barriers = (uint32_t)(s->flags >> 20) & 0x1f,
	};
	if (k->registers == 0 || k->registers > SLC_MAX_REGISTERS)
		return wrong(r, "kernel %.40s: %u registers; 1 to %u are allowed", name, k->registers,
			     SLC_MAX_REGISTERS);
	if (k->barriers > SLC_MAX_BARRIERS)
		return wrong(r, "kernel %.40s: %u barriers; at most %u are allowed", name, k->barriers,
			     SLC_MAX_BARRIERS);
	return 0;
}

static int kernels_read(struct reader *r)
{
	struct slc_section s;
	const char *name;
	uint32_t i;
	int ret;

	for (i = 1; i < r->elf->section_count; i++) {
		ret = slc_elf_section(r->elf, i, &s);
		name = ret ? NULL : behind(s.name, ".text.");
		if (name)
			ret = kernel_add(r, &s, name);
		if (ret)
			return ret;
	}
	return r->cubin->kernel_count ? 0 : wrong(r, "there is no kernel in it");
}

/* ---- attributes -------------------------------------------------------------------------------- */

/* The kernel whose code a symbol names, if it is one. The table is the one that the section links to;
 * older compilers link to none and mean the file's. */
static int symbol_kernel(struct reader *r, const struct slc_section *info, uint32_t number,
			 struct slc_kernel **kernel)
{
	struct slc_symbol symbol;
	uint32_t i;
	int ret = slc_elf_symbol(r->elf, info->link ? info->link : r->elf->symbol_table, number, &symbol);

	for (i = 0; ret == 0 && i < r->cubin->kernel_count; i++)
		if (r->cubin->kernel[i].code.section == symbol.section)
			*kernel = &r->cubin->kernel[i];
	return ret;
}

static int frame_read(struct reader *r, const struct slc_section *s, const uint8_t *payload)
{
	struct slc_kernel *k = NULL;
	uint32_t bytes = slc_u32(payload + 4);
	int ret = symbol_kernel(r, s, slc_u32(payload), &k);

	if (ret || !k) /* of a function that is not a kernel */
		return ret;
	if (bytes > SLC_MAX_LOCAL_BYTES)
		return wrong(r, "kernel %.40s: a frame of %u bytes; at most %u are allowed", k->name,
			     bytes, SLC_MAX_LOCAL_BYTES);
	if (bytes > k->frame_bytes)
		k->frame_bytes = bytes;
	return 0;
}

static int image_read(struct reader *r, const struct slc_section *s, struct slc_kernel *k,
		      const uint8_t *payload)
{
	struct slc_symbol symbol;
	int ret = slc_elf_symbol(r->elf, s->link ? s->link : r->elf->symbol_table, slc_u32(payload),
				 &symbol);

	return ret ? ret : slc_cubin_image_bind(r->cubin, k, &symbol, slc_u32(payload + 4));
}

static int parameter_read(struct reader *r, struct slc_kernel *k, const uint8_t *payload)
{
	uint32_t index = slc_u16(payload + 4);
	uint32_t offset = slc_u16(payload + 6);
	uint32_t bytes = slc_u32(payload + 8) >> 18;

	if (index >= SLC_MAX_PARAMETERS || r->given[index])
		return wrong(r, "kernel %.40s: parameter %u is one too many or there twice", k->name,
			     index);
	if (bytes == 0 || offset + bytes > SLC_MAX_PARAMETER_BYTES)
		return wrong(r, "kernel %.40s: parameter %u has %u bytes at %u", k->name, index, bytes,
			     offset);
	r->given[index] = true;
	k->parameter[index] = (struct slc_parameter){ (uint16_t)offset, (uint16_t)bytes };
	if (index >= k->parameter_count)
		k->parameter_count = index + 1;
	return 0;
}

/* One record; k is NULL in the file's own .nv.info. */
static int record_read(struct reader *r, const struct slc_section *s, struct slc_kernel *k,
		       uint32_t attribute, uint32_t value, const uint8_t *payload)
{
	static const uint8_t sizes[256] = {
		[ATTRIBUTE_IMAGE_SLOT] = 8,
		[ATTRIBUTE_PARAM_CBANK] = 8,
		[ATTRIBUTE_FRAME_SIZE] = 8,
		[ATTRIBUTE_MIN_STACK_SIZE] = 8,
		[ATTRIBUTE_KPARAM_INFO] = 12,
		[ATTRIBUTE_CRS_STACK] = 4,
	};

	if (payload ? value < sizes[attribute] : sizes[attribute])
		return wrong(r, "%.60s: attribute %#x is too short", s->name, attribute);
	switch (attribute) {
	case ATTRIBUTE_FRAME_SIZE:
	case ATTRIBUTE_MIN_STACK_SIZE:
		return frame_read(r, s, payload);
	case ATTRIBUTE_IMAGE_SLOT:
		return k ? image_read(r, s, k, payload) : 0;
	case ATTRIBUTE_KPARAM_INFO:
		return k ? parameter_read(r, k, payload) : 0;
	case ATTRIBUTE_PARAM_CBANK:
		if (k && slc_u16(payload + 4) != SLC_PARAMETER_BASE)
			return wrong(r, "kernel %.40s: parameters at %#x of bank 0, not %#x", k->name,
				     slc_u16(payload + 4), SLC_PARAMETER_BASE);
		if (k)
			k->parameter_bytes = slc_u16(payload + 6);
		return 0;
	case ATTRIBUTE_PARAM_BYTES:
		if (k)
			k->parameter_bytes = value;
		return 0;
	case ATTRIBUTE_CRS_STACK:
		if (k)
			k->stack_bytes = slc_u32(payload);
		return 0;
	default:
		return 0; /* tells nothing that a launch needs */
	}
}

static int records_read(struct reader *r, const struct slc_section *s, struct slc_kernel *k)
{
	uint64_t at = 0;

	memset(r->given, 0, sizeof(r->given));
	if (s->type == SLC_SHT_NOBITS)
		return wrong(r, "%.60s is not in the file", s->name);
	while (at < s->size) {
		const uint8_t *record = r->elf->file + s->offset + at;
		uint32_t format, value, bytes;
		int ret;

		if (s->size - at < 4)
			return wrong(r, "%.60s ends in the middle of a record", s->name);
		format = record[0];
		value = slc_u16(record + 2);
		bytes = format == FORMAT_SIZED ? value : 0;
		if (format < FORMAT_NO_VALUE || format > FORMAT_SIZED)
			return wrong(r, "%.60s: a record of format %u", s->name, format);
		if (bytes > s->size - at - 4)
			return wrong(r, "%.60s ends in the middle of a record", s->name);
		ret = record_read(r, s, k, record[1], value, bytes ? record + 4 : NULL);
		if (ret)
			return ret;
		at += 4 + bytes;
	}
	return 0;
}

/* ".nv.constantN", ".nv.constantN.F": a bank of all kernels, or of one. */
static int constants_read(struct reader *r, const struct slc_section *s, const char *rest)
{
	struct slc_kernel *k = NULL;
	uint32_t bank = 0;
	int digits = 0;

	for (; *rest >= '0' && *rest <= '9' && digits < 3; rest++, digits++)
		bank = bank * 10 + (uint32_t)(*rest - '0');
	if (!digits || bank >= SLC_BANKS || (*rest && *rest != '.'))
		return wrong(r, "%.60s is no constant bank of 0 to %u", s->name, SLC_BANKS - 1);
	if (bank == 1)
		return wrong(r, "%.60s: bank 1 is the driver's", s->name);
	if (s->size > SLC_MAX_BANK_BYTES)
		return wrong(r, "%.60s has %llu bytes; at most %u are allowed", s->name,
			     (unsigned long long)s->size, SLC_MAX_BANK_BYTES);
	if (*rest && !(k = kernel_named(r->cubin, rest + 1)))
		return wrong(r, "%.60s belongs to no kernel", s->name);
	if (bank == 0) /* the launch's own: the file only tells its size */
		return 0;
	if ((k ? k->bank : r->bank)[bank].size)
		return wrong(r, "%.60s is there twice", s->name);
	(k ? k->bank : r->bank)[bank] = load(r, s, SLC_CONSTANTS);
	return 0;
}

static int globals_read(struct reader *r, const struct slc_section *s)
{
	struct slc_cubin *cubin = r->cubin;
	uint64_t alignment = s->alignment ? s->alignment : 1;

	if (!s->size)
		return 0;
	if (cubin->globals_count == SLC_MAX_GLOBALS)
		return wrong(r, "more than %u sections of variables", SLC_MAX_GLOBALS);
	if (s->size > SLC_MAX_GLOBAL_BYTES - r->global_bytes)
		return wrong(r, "%.60s has %llu bytes; at most %u are allowed in all", s->name,
			     (unsigned long long)s->size, SLC_MAX_GLOBAL_BYTES);
	if (alignment > SLC_MAX_ALIGNMENT || (alignment & (alignment - 1)))
		return wrong(r, "%.60s is aligned to %llu bytes; powers of two up to %u are allowed",
			     s->name, (unsigned long long)alignment, SLC_MAX_ALIGNMENT);
	r->global_bytes += s->size;
	cubin->globals[cubin->globals_count++] =
		(struct slc_globals){ load(r, s, SLC_GLOBALS), (uint32_t)alignment };
	return 0;
}

static int memory_read(struct reader *r, const struct slc_section *s, const char *name, bool shared)
{
	struct slc_kernel *k = kernel_named(r->cubin, name);
	uint32_t most = shared ? SLC_MAX_SHARED_BYTES : SLC_MAX_LOCAL_BYTES;

	if (!k)
		return wrong(r, "%.60s belongs to no kernel", s->name);
	if (s->size > most)
		return wrong(r, "%.60s has %llu bytes; at most %u are allowed", s->name,
			     (unsigned long long)s->size, most);
	if (shared)
		k->shared_bytes = (uint32_t)s->size;
	else
		k->local_bytes = (uint32_t)s->size;
	return 0;
}

static int attributes_read(struct reader *r, const struct slc_section *s)
{
	const char *rest;

	if ((rest = behind(s->name, ".nv.constant")))
		return constants_read(r, s, rest);
	if ((rest = behind(s->name, ".nv.shared.")))
		return memory_read(r, s, rest, true);
	if ((rest = behind(s->name, ".nv.local.")))
		return memory_read(r, s, rest, false);
	if ((rest = behind(s->name, ".nv.info."))) {
		struct slc_kernel *k = kernel_named(r->cubin, rest);

		return k ? records_read(r, s, k) : wrong(r, "%.60s belongs to no kernel", s->name);
	}
	if (strcmp(s->name, ".nv.info") == 0)
		return records_read(r, s, NULL);
	if (behind(s->name, ".nv.global"))
		return globals_read(r, s);
	return 0;
}

/* ---- variables --------------------------------------------------------------------------------- */

static bool is_variable(const struct slc_cubin *cubin, const struct slc_symbol *symbol)
{
	uint32_t as = symbol->section < SLC_MAX_SECTIONS ? cubin->load[symbol->section] : 0;

	return symbol->type == SLC_STT_OBJECT && *symbol->name &&
	       (as == SLC_GLOBALS || as == SLC_CONSTANTS);
}

static int variable_add(struct reader *r, const struct slc_symbol *symbol)
{
	struct slc_cubin *cubin = r->cubin;
	uint32_t size = cubin->size[symbol->section];

	if (symbol->value > size || symbol->size > size - symbol->value)
		return wrong(r, "variable %.60s lies outside its section", symbol->name);
	if (cubin->variable_count == SLC_MAX_VARIABLES)
		return wrong(r, "more than %u variables", SLC_MAX_VARIABLES);
	cubin->variable[cubin->variable_count++] =
		(struct slc_variable){ symbol->name, symbol->section, (uint32_t)symbol->value,
				       (uint32_t)symbol->size };
	return 0;
}

static int variables_read(struct reader *r)
{
	uint32_t table = r->elf->symbol_table;
	struct slc_symbol symbol;
	uint32_t i, count = 0;
	int ret = table ? slc_elf_symbol_count(r->elf, table, &count) : 0;

	for (i = 1; ret == 0 && i < count; i++) {
		ret = slc_elf_symbol(r->elf, table, i, &symbol);
		if (ret == 0 && is_variable(r->cubin, &symbol))
			ret = variable_add(r, &symbol);
	}
	return ret;
}

/* ---- the whole --------------------------------------------------------------------------------- */

/* Gives a kernel the banks of all kernels where it has none of its own. */
static void banks_share(const struct reader *r, struct slc_kernel *k)
{
	uint32_t b;

	for (b = 0; b < SLC_BANKS; b++)
		if (!k->bank[b].size)
			k->bank[b] = r->bank[b];
}

/* What only all sections together can show. */
static int kernel_check(struct reader *r, const struct slc_kernel *k)
{
	uint32_t i;

	if (k->parameter_bytes > SLC_MAX_PARAMETER_BYTES)
		return wrong(r, "kernel %.40s: %u bytes of parameters", k->name, k->parameter_bytes);
	for (i = 0; i < k->parameter_count; i++)
		if (!k->parameter[i].bytes ||
		    (uint32_t)k->parameter[i].offset + k->parameter[i].bytes > k->parameter_bytes)
			return wrong(r, "kernel %.40s: parameter %u is missing or outside", k->name, i);
	if (k->stack_bytes > SLC_MAX_STACK_BYTES)
		return wrong(r, "kernel %.40s: a call stack of %u bytes", k->name, k->stack_bytes);
	if (k->local_bytes + k->frame_bytes > SLC_MAX_LOCAL_BYTES)
		return wrong(r, "kernel %.40s: %u bytes of local memory", k->name,
			     k->local_bytes + k->frame_bytes);
	return 0;
}

int slc_cubin_read(struct slc_cubin *cubin, const void *file, size_t size)
{
	struct reader r = { .cubin = cubin, .elf = &cubin->elf };
	struct slc_section s;
	uint32_t i;
	int ret;

	memset(cubin, 0, sizeof(*cubin));
	ret = slc_elf_open(&cubin->elf, file, size, cubin->problem);
	if (ret == 0)
		ret = kernels_read(&r);
	if (ret == 0)
		ret = slc_cubin_images_read(cubin);
	for (i = 1; ret == 0 && i < cubin->elf.section_count; i++) {
		ret = slc_elf_section(r.elf, i, &s);
		if (ret == 0)
			ret = attributes_read(&r, &s);
	}
	for (i = 0; ret == 0 && i < cubin->kernel_count; i++) {
		banks_share(&r, &cubin->kernel[i]);
		ret = kernel_check(&r, &cubin->kernel[i]);
	}
	if (ret == 0)
		ret = variables_read(&r);
	if (ret == 0)
		ret = slc_cubin_link(cubin, NULL);
	if (ret)
		cubin->kernel_count = 0;
	return ret;
}
