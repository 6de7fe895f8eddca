/*
 * ELF files of CUDA as they lie in memory: headers, sections, symbols, of 32 and 64 bits. Nothing in a
 * file is trusted: what these functions return has been checked to lie inside it.
 */
#ifndef SLUICE_ELF_FILE_H
#define SLUICE_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLC_MAX_FILE_BYTES (64u << 20)
#define SLC_MAX_SECTIONS 4096u
#define SLC_PROBLEM_BYTES 160

#define SLC_SHT_NULL 0u
#define SLC_SHT_SYMTAB 2u
#define SLC_SHT_RELA 4u
#define SLC_SHT_NOBITS 8u
#define SLC_SHT_REL 9u

struct slc_section {
	const char *name;
	uint32_t index;
	uint32_t type;
	uint64_t flags;
	uint64_t offset; /* in the file; of NOBITS 0: there are no bytes */
	uint64_t size;
	uint32_t link;
	uint32_t info;
	uint64_t alignment;
};

struct slc_symbol {
	const char *name;
	uint32_t type;    /* SLC_STT_* */
	uint32_t section; /* SLC_SHN_UNDEFINED, a section, or a number from SLC_SHN_RESERVED on */
	uint64_t value;
	uint64_t size;
};

#define SLC_STT_OBJECT 1u
#define SLC_STT_TEXTURE 10u /* NVIDIA's own, as its assembler writes them */
#define SLC_STT_SAMPLER 11u
#define SLC_STT_SURFACE 12u
#define SLC_SHN_UNDEFINED 0u
#define SLC_SHN_RESERVED 0xff00u

struct slc_elf {
	const uint8_t *file;
	uint64_t size;
	bool wide;             /* 64 bits */
	uint32_t symbol_table; /* the section with it; 0: none */
	uint32_t section_count;
	uint64_t sections_at;
	struct slc_section names;
	char *problem; /* SLC_PROBLEM_BYTES, the caller's */
};

/* Opens a file of sm_20 code; it stays the caller's. -EINVAL: the reason is in problem. */
int slc_elf_open(struct slc_elf *elf, const void *file, uint64_t size, char *problem);
/* Notes a problem; returns -EINVAL. */
__attribute__((format(printf, 2, 3))) int slc_elf_wrong(struct slc_elf *elf, const char *format, ...);

int slc_elf_section(struct slc_elf *elf, uint32_t index, struct slc_section *section);
/* A symbol of a table of symbols: a section of type SLC_SHT_SYMTAB. */
int slc_elf_symbol(struct slc_elf *elf, uint32_t table, uint32_t index, struct slc_symbol *symbol);
/* How many a table has. */
int slc_elf_symbol_count(struct slc_elf *elf, uint32_t table, uint32_t *count);

/* Little-endian numbers; callers have checked the range. */
uint32_t slc_u16(const uint8_t *at);
uint32_t slc_u32(const uint8_t *at);
uint64_t slc_u64(const uint8_t *at);

#endif /* SLUICE_ELF_FILE_H */
