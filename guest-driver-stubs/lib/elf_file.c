/* See elf_file.h. Layouts: the ELF specification. */
#include "elf_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define IDENT_BYTES 16u
#define CLASS_32 1u
#define CLASS_64 2u
#define LITTLE_ENDIAN_DATA 1u
#define EM_CUDA 190u
#define SM_20 20u
#define SM_21 21u

/* What is larger, or elsewhere, in files of 64 bits. */
struct layout {
	uint32_t header_bytes, flags_at, sections_at, entry_bytes_at;
	uint32_t section_bytes, symbol_bytes;
};

static const struct layout narrow = { 52, 36, 32, 46, 40, 16 };
static const struct layout wide = { 64, 48, 40, 58, 64, 24 };

static const struct layout *layout_of(const struct slc_elf *elf)
{
	return elf->wide ? &wide : &narrow;
}

int slc_elf_wrong(struct slc_elf *elf, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(elf->problem, SLC_PROBLEM_BYTES, format, args);
	va_end(args);
	return -EINVAL;
}

uint32_t slc_u16(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8;
}

uint32_t slc_u32(const uint8_t *at)
{
	return slc_u16(at) | slc_u16(at + 2) << 16;
}

uint64_t slc_u64(const uint8_t *at)
{
	return slc_u32(at) | (uint64_t)slc_u32(at + 4) << 32;
}

static bool is_inside(const struct slc_elf *elf, uint64_t offset, uint64_t bytes)
{
	return offset <= elf->size && bytes <= elf->size - offset;
}

/* A string inside a section, with its end; NULL if there is none. */
static const char *string_at(const struct slc_elf *elf, const struct slc_section *strings,
			     uint32_t offset)
{
	const uint8_t *start;

	if (strings->type == SLC_SHT_NOBITS || offset >= strings->size)
		return NULL;
	start = elf->file + strings->offset + offset;
	return memchr(start, 0, strings->size - offset) ? (const char *)start : NULL;
}

/* Reads the header of a section but for its name, and checks that its bytes are in the file. */
static int section_read(struct slc_elf *elf, uint32_t index, struct slc_section *s)
{
	const uint8_t *at;

	if (index >= elf->section_count)
		return slc_elf_wrong(elf, "section %u of %u", index, elf->section_count);
	at = elf->file + elf->sections_at + (uint64_t)index * layout_of(elf)->section_bytes;
	*s = (struct slc_section){ .name = "", .index = index, .type = slc_u32(at + 4) };
	if (elf->wide) {
		s->flags = slc_u64(at + 8);
		s->offset = slc_u64(at + 24);
		s->size = slc_u64(at + 32);
		s->link = slc_u32(at + 40);
		s->info = slc_u32(at + 44);
		s->alignment = slc_u64(at + 48);
	} else {
		s->flags = slc_u32(at + 8);
		s->offset = slc_u32(at + 16);
		s->size = slc_u32(at + 20);
		s->link = slc_u32(at + 24);
		s->info = slc_u32(at + 28);
		s->alignment = slc_u32(at + 32);
	}
	if (s->type == SLC_SHT_NULL) /* nothing in it means anything */
		s->size = 0;
	if (s->type == SLC_SHT_NULL || s->type == SLC_SHT_NOBITS)
		s->offset = 0; /* no bytes in the file: whoever wants some asks for the type */
	else if (!is_inside(elf, s->offset, s->size))
		return slc_elf_wrong(elf, "section %u lies outside the file", index);
	return 0;
}

int slc_elf_section(struct slc_elf *elf, uint32_t index, struct slc_section *s)
{
	int ret = section_read(elf, index, s);
	const uint8_t *at;

	if (ret)
		return ret;
	at = elf->file + elf->sections_at + (uint64_t)index * layout_of(elf)->section_bytes;
	s->name = string_at(elf, &elf->names, slc_u32(at));
	return s->name ? 0 : slc_elf_wrong(elf, "section %u has no name", index);
}

static int table_read(struct slc_elf *elf, uint32_t index, struct slc_section *table)
{
	int ret = section_read(elf, index, table);

	if (ret)
		return ret;
	return table->type == SLC_SHT_SYMTAB ?
		       0 :
		       slc_elf_wrong(elf, "section %u is no table of symbols", index);
}

int slc_elf_symbol_count(struct slc_elf *elf, uint32_t index, uint32_t *count)
{
	struct slc_section table;
	int ret = table_read(elf, index, &table);

	*count = ret ? 0 : (uint32_t)(table.size / layout_of(elf)->symbol_bytes);
	return ret;
}

int slc_elf_symbol(struct slc_elf *elf, uint32_t index, uint32_t number, struct slc_symbol *symbol)
{
	struct slc_section table, strings;
	const uint8_t *at;
	int ret = table_read(elf, index, &table);

	if (ret)
		return ret;
	if (number >= table.size / layout_of(elf)->symbol_bytes)
		return slc_elf_wrong(elf, "symbol %u is not there", number);
	ret = section_read(elf, table.link, &strings);
	if (ret)
		return ret;
	at = elf->file + table.offset + (uint64_t)number * layout_of(elf)->symbol_bytes;
	*symbol = (struct slc_symbol){
		.name = string_at(elf, &strings, slc_u32(at)),
		.type = at[elf->wide ? 4 : 12] & 0xf,
		.section = slc_u16(at + (elf->wide ? 6 : 14)),
		.value = elf->wide ? slc_u64(at + 8) : slc_u32(at + 4),
		.size = elf->wide ? slc_u64(at + 16) : slc_u32(at + 8),
	};
	return symbol->name ? 0 : slc_elf_wrong(elf, "symbol %u has no name", number);
}

static int header_read(struct slc_elf *elf)
{
	static const uint8_t magic[] = { 0x7f, 'E', 'L', 'F' };
	const uint8_t *at = elf->file;
	const struct layout *l;
	uint32_t sm;

	if (elf->size > SLC_MAX_FILE_BYTES)
		return slc_elf_wrong(elf, "the file is larger than %u bytes", SLC_MAX_FILE_BYTES);
	if (elf->size < IDENT_BYTES || memcmp(at, magic, sizeof(magic)) != 0)
		return slc_elf_wrong(elf, "not an ELF file");
	if ((at[4] != CLASS_32 && at[4] != CLASS_64) || at[5] != LITTLE_ENDIAN_DATA)
		return slc_elf_wrong(elf, "not a little-endian ELF file of 32 or 64 bits");
	elf->wide = at[4] == CLASS_64;
	l = layout_of(elf);
	if (elf->size < l->header_bytes)
		return slc_elf_wrong(elf, "not an ELF file: it ends in its header");
	if (slc_u16(at + 18) != EM_CUDA)
		return slc_elf_wrong(elf, "not for CUDA: machine %u", slc_u16(at + 18));
	sm = slc_u32(at + l->flags_at) & 0xff;
	if (sm != SM_20 && sm != SM_21)
		return slc_elf_wrong(elf, "built for sm_%u, this GPU runs sm_20", sm);
	elf->sections_at = elf->wide ? slc_u64(at + l->sections_at) : slc_u32(at + l->sections_at);
	elf->section_count = slc_u16(at + l->entry_bytes_at + 2);
	if (slc_u16(at + l->entry_bytes_at) != l->section_bytes)
		return slc_elf_wrong(elf, "section headers of %u bytes", slc_u16(at + l->entry_bytes_at));
	if (elf->section_count == 0 || elf->section_count > SLC_MAX_SECTIONS)
		return slc_elf_wrong(elf, "%u sections; 1 to %u are allowed", elf->section_count,
				     SLC_MAX_SECTIONS);
	if (!is_inside(elf, elf->sections_at, (uint64_t)elf->section_count * l->section_bytes))
		return slc_elf_wrong(elf, "the section headers lie outside the file");
	return 0;
}

/* The file's table of symbols: there is one, or none. */
static int symbols_find(struct slc_elf *elf)
{
	struct slc_section s;
	uint32_t i;

	for (i = 1; i < elf->section_count; i++) {
		int ret = section_read(elf, i, &s);

		if (ret)
			return ret;
		if (s.type != SLC_SHT_SYMTAB)
			continue;
		if (elf->symbol_table)
			return slc_elf_wrong(elf, "sections %u and %u are both tables of symbols",
					     elf->symbol_table, i);
		elf->symbol_table = i;
	}
	return 0;
}

int slc_elf_open(struct slc_elf *elf, const void *file, uint64_t size, char *problem)
{
	int ret;

	*elf = (struct slc_elf){ .file = file, .size = size, .problem = problem };
	ret = header_read(elf);
	if (ret == 0)
		ret = section_read(elf, slc_u16(elf->file + layout_of(elf)->entry_bytes_at + 4),
				   &elf->names);
	if (ret)
		return ret;
	if (elf->names.type == SLC_SHT_NOBITS || elf->names.type == SLC_SHT_NULL)
		return slc_elf_wrong(elf, "the names of the sections are not in the file");
	return symbols_find(elf);
}
