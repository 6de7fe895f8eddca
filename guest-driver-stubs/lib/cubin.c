/* See cubin.h. Layout: the ELF-64 specification; what is NVIDIA's own is named where it is read. */
#include "cubin.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define EHDR_BYTES 64u
#define SHDR_BYTES 64u
#define SYMBOL_BYTES 24u
#define EM_CUDA 190u
#define SM_20 20u
#define SM_21 21u
#define SHT_NULL 0u
#define SHT_SYMTAB 2u
#define SHT_NOBITS 8u

/* .nv.info: a record is a format byte, an attribute byte, and 16 bits of value or of size. */
#define FORMAT_NO_VALUE 1u
#define FORMAT_BYTE 2u
#define FORMAT_HALF 3u
#define FORMAT_SIZED 4u
#define ATTRIBUTE_PARAM_CBANK 0x0au    /* symbol; base | size << 16 */
#define ATTRIBUTE_FRAME_SIZE 0x11u     /* symbol; bytes */
#define ATTRIBUTE_MIN_STACK_SIZE 0x12u /* symbol; bytes */
#define ATTRIBUTE_KPARAM_INFO 0x17u    /* 0; index | offset << 16; size << 18 | flags */
#define ATTRIBUTE_PARAM_BYTES 0x19u    /* in the record itself */
#define ATTRIBUTE_CRS_STACK 0x1eu      /* bytes */

struct section {
	const char *name;
	uint32_t type;
	uint64_t flags;
	uint64_t offset;
	uint64_t size;
	uint32_t link;
	uint32_t info;
};

struct reader {
	struct slc_cubin *cubin;
	const uint8_t *file;
	uint64_t size;
	uint64_t sections_at;
	uint32_t section_count;
	struct section names;
	bool given[SLC_MAX_PARAMETERS]; /* parameters of the kernel whose records are being read */
};

__attribute__((format(printf, 2, 3))) static int wrong(struct reader *r, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(r->cubin->problem, sizeof(r->cubin->problem), format, args);
	va_end(args);
	return -EINVAL;
}

/* ---- bytes: callers have checked the range ----------------------------------------------------- */

static uint32_t u16(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8;
}

static uint32_t u32(const uint8_t *at)
{
	return u16(at) | u16(at + 2) << 16;
}

static uint64_t u64(const uint8_t *at)
{
	return u32(at) | (uint64_t)u32(at + 4) << 32;
}

static bool is_inside(const struct reader *r, uint64_t offset, uint64_t bytes)
{
	return offset <= r->size && bytes <= r->size - offset;
}

/* A string inside a section, with its end; NULL if there is none. */
static const char *string_at(const struct reader *r, const struct section *strings, uint32_t offset)
{
	const uint8_t *start;

	if (offset >= strings->size)
		return NULL;
	start = r->file + strings->offset + offset;
	return memchr(start, 0, strings->size - offset) ? (const char *)start : NULL;
}

/* ---- sections ---------------------------------------------------------------------------------- */

/* Reads the header of a section but for its name, and checks that its bytes are in the file. */
static int section_read(struct reader *r, uint32_t index, struct section *s)
{
	const uint8_t *at;

	if (index >= r->section_count)
		return wrong(r, "section %u of %u", index, r->section_count);
	at = r->file + r->sections_at + (uint64_t)index * SHDR_BYTES;
	*s = (struct section){
		.name = "",
		.type = u32(at + 4),
		.flags = u64(at + 8),
		.offset = u64(at + 24),
		.size = u64(at + 32),
		.link = u32(at + 40),
		.info = u32(at + 44),
	};
	if (s->type == SHT_NULL) /* nothing in it means anything */
		s->size = 0;
	if (s->type == SHT_NULL || s->type == SHT_NOBITS)
		s->offset = 0; /* no bytes in the file: whoever wants some asks for the type */
	else if (!is_inside(r, s->offset, s->size))
		return wrong(r, "section %u lies outside the file", index);
	return 0;
}

static int section_at(struct reader *r, uint32_t index, struct section *s)
{
	int ret = section_read(r, index, s);

	if (ret)
		return ret;
	s->name = string_at(r, &r->names, u32(r->file + r->sections_at + (uint64_t)index * SHDR_BYTES));
	return s->name ? 0 : wrong(r, "section %u has no name", index);
}

/* The rest of a section's name behind a prefix, or NULL. */
static const char *behind(const char *name, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(name, prefix, length) == 0 ? name + length : NULL;
}

static int header_read(struct reader *r)
{
	static const uint8_t magic[] = { 0x7f, 'E', 'L', 'F' };
	const uint8_t *at = r->file;
	uint32_t sm, names;
	int ret;

	if (r->size > SLC_MAX_FILE_BYTES)
		return wrong(r, "the file is larger than %u bytes", SLC_MAX_FILE_BYTES);
	if (r->size < EHDR_BYTES || memcmp(at, magic, sizeof(magic)) != 0)
		return wrong(r, "not an ELF file");
	if (at[4] != 2 || at[5] != 1)
		return wrong(r, "not a 64-bit little-endian ELF file");
	if (u16(at + 18) != EM_CUDA)
		return wrong(r, "not for CUDA: machine %u", u16(at + 18));
	sm = u32(at + 48) & 0xff;
	if (sm != SM_20 && sm != SM_21)
		return wrong(r, "built for sm_%u, this GPU runs sm_20", sm);
	r->sections_at = u64(at + 40);
	r->section_count = u16(at + 60);
	names = u16(at + 62);
	if (u16(at + 58) != SHDR_BYTES)
		return wrong(r, "section headers of %u bytes", u16(at + 58));
	if (r->section_count == 0 || r->section_count > SLC_MAX_SECTIONS)
		return wrong(r, "%u sections; 1 to %u are allowed", r->section_count, SLC_MAX_SECTIONS);
	if (!is_inside(r, r->sections_at, (uint64_t)r->section_count * SHDR_BYTES))
		return wrong(r, "the section headers lie outside the file");
	ret = section_read(r, names, &r->names);
	if (ret)
		return ret;
	if (r->names.type == SHT_NOBITS || r->names.type == SHT_NULL)
		return wrong(r, "the names of the sections are not in the file");
	return 0;
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

static int kernel_add(struct reader *r, uint32_t index, const struct section *s, const char *name)
{
	struct slc_cubin *cubin = r->cubin;
	struct slc_kernel *k;

	if (cubin->kernel_count == SLC_MAX_KERNELS)
		return wrong(r, "more than %u kernels", SLC_MAX_KERNELS);
	if (!*name || kernel_named(cubin, name))
		return wrong(r, "section %u: kernel \"%.40s\" has no name or is there twice", index, name);
	if (s->type == SHT_NOBITS || s->size == 0 || s->size % 8 || s->size > SLC_MAX_CODE_BYTES)
		return wrong(r, "kernel %.40s: %llu bytes of code; whole words of 8, 1 to %u of them",
			     name, (unsigned long long)s->size, SLC_MAX_CODE_BYTES / 8);
	k = &cubin->kernel[cubin->kernel_count++];
	*k = (struct slc_kernel){
		.name = name,
		.section = index,
		.code = { r->file + s->offset, (uint32_t)s->size },
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
	struct section s;
	const char *name;
	uint32_t i;
	int ret;

	for (i = 1; i < r->section_count; i++) {
		ret = section_at(r, i, &s);
		name = ret ? NULL : behind(s.name, ".text.");
		if (name)
			ret = kernel_add(r, i, &s, name);
		if (ret)
			return ret;
	}
	return r->cubin->kernel_count ? 0 : wrong(r, "there is no kernel in it");
}

/* ---- attributes -------------------------------------------------------------------------------- */

/* The kernel whose code a symbol names, if it is one: by way of the symbol table that a section links to. */
static int symbol_kernel(struct reader *r, const struct section *info, uint32_t symbol,
			 struct slc_kernel **kernel)
{
	struct section table;
	uint32_t i, section;
	int ret = section_read(r, info->link, &table);

	if (ret)
		return ret;
	if (table.type != SHT_SYMTAB || symbol >= table.size / SYMBOL_BYTES)
		return wrong(r, ".nv.info names symbol %u, which is not there", symbol);
	section = u16(r->file + table.offset + (uint64_t)symbol * SYMBOL_BYTES + 6);
	for (i = 0; i < r->cubin->kernel_count; i++)
		if (r->cubin->kernel[i].section == section)
			*kernel = &r->cubin->kernel[i];
	return 0;
}

static int frame_read(struct reader *r, const struct section *s, const uint8_t *payload)
{
	struct slc_kernel *k = NULL;
	uint32_t bytes = u32(payload + 4);
	int ret = symbol_kernel(r, s, u32(payload), &k);

	if (ret || !k) /* of a function that is not a kernel */
		return ret;
	if (bytes > SLC_MAX_LOCAL_BYTES)
		return wrong(r, "kernel %.40s: a frame of %u bytes; at most %u are allowed", k->name,
			     bytes, SLC_MAX_LOCAL_BYTES);
	if (bytes > k->frame_bytes)
		k->frame_bytes = bytes;
	return 0;
}

static int parameter_read(struct reader *r, struct slc_kernel *k, const uint8_t *payload)
{
	uint32_t index = u16(payload + 4);
	uint32_t offset = u16(payload + 6);
	uint32_t bytes = u32(payload + 8) >> 18;

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
static int record_read(struct reader *r, const struct section *s, struct slc_kernel *k,
		       uint32_t attribute, uint32_t value, const uint8_t *payload)
{
	static const uint8_t sizes[256] = {
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
	case ATTRIBUTE_KPARAM_INFO:
		return k ? parameter_read(r, k, payload) : 0;
	case ATTRIBUTE_PARAM_CBANK:
		if (k && u16(payload + 4) != SLC_PARAMETER_BASE)
			return wrong(r, "kernel %.40s: parameters at %#x of bank 0, not %#x", k->name,
				     u16(payload + 4), SLC_PARAMETER_BASE);
		if (k)
			k->parameter_bytes = u16(payload + 6);
		return 0;
	case ATTRIBUTE_PARAM_BYTES:
		if (k)
			k->parameter_bytes = value;
		return 0;
	case ATTRIBUTE_CRS_STACK:
		if (k)
			k->stack_bytes = u32(payload);
		return 0;
	default:
		return 0; /* tells nothing that a launch needs */
	}
}

static int records_read(struct reader *r, const struct section *s, struct slc_kernel *k)
{
	uint64_t at = 0;

	memset(r->given, 0, sizeof(r->given));
	if (s->type == SHT_NOBITS)
		return wrong(r, "%.60s is not in the file", s->name);
	while (at < s->size) {
		const uint8_t *record = r->file + s->offset + at;
		uint32_t format, value, bytes;
		int ret;

		if (s->size - at < 4)
			return wrong(r, "%.60s ends in the middle of a record", s->name);
		format = record[0];
		value = u16(record + 2);
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
static int constants_read(struct reader *r, const struct section *s, const char *rest)
{
	struct slc_bytes bytes = { r->file + s->offset, (uint32_t)s->size };
	uint32_t bank = 0;
	uint32_t i;
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
	if (s->type == SHT_NOBITS)
		bytes.at = NULL;
	if (*rest) {
		struct slc_kernel *k = kernel_named(r->cubin, rest + 1);

		if (!k)
			return wrong(r, "%.60s belongs to no kernel", s->name);
		k->bank[bank] = bytes;
		return 0;
	}
	for (i = 0; i < r->cubin->kernel_count; i++)
		if (!r->cubin->kernel[i].bank[bank].size)
			r->cubin->kernel[i].bank[bank] = bytes;
	return 0;
}

static int memory_read(struct reader *r, const struct section *s, const char *name, bool shared)
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

static int attributes_read(struct reader *r, const struct section *s)
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
	if (behind(s->name, ".nv.global") && s->size)
		return wrong(r, "%.60s: global variables are not supported", s->name);
	if (s->size && ((rest = behind(s->name, ".rela.")) || (rest = behind(s->name, ".rel."))) &&
	    (behind(rest, "text") || behind(rest, "nv.constant")))
		return wrong(r, "%.60s: relocations are not supported", s->name);
	return 0;
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
	struct reader r = { .cubin = cubin, .file = file, .size = size };
	struct section s;
	uint32_t i;
	int ret;

	memset(cubin, 0, sizeof(*cubin));
	ret = header_read(&r);
	if (ret == 0)
		ret = kernels_read(&r);
	for (i = 1; ret == 0 && i < r.section_count; i++) {
		ret = section_at(&r, i, &s);
		if (ret == 0)
			ret = attributes_read(&r, &s);
	}
	for (i = 0; ret == 0 && i < cubin->kernel_count; i++)
		ret = kernel_check(&r, &cubin->kernel[i]);
	if (ret)
		cubin->kernel_count = 0;
	return ret;
}
