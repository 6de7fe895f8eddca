/*
 * Fat binaries: a header, then entries of a header and a payload each: PTX or cubins for several GPUs.
 *
 *	file:  u32 magic, u16 version, u16 bytes of this header, u64 bytes of all entries
 *	entry: u16 kind, u16 version, u32 bytes of this header, u64 bytes of the payload, ...,
 *	       at 28 u32 architecture, ...
 */
#include "cubin.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MAGIC 0xba55ed50u
#define FILE_HEADER_BYTES 16u
#define ENTRY_HEADER_BYTES 32u
#define KIND_CUBIN 2u
#define SM_20 20u
#define SM_21 21u
#define ELF_IDENT_BYTES 5u
#define ELF_64_BITS 2u

struct entry {
	uint32_t kind;
	uint32_t sm;
	const uint8_t *payload;
	uint64_t bytes;
};

static int wrong(char *problem, const char *what)
{
	snprintf(problem, SLC_PROBLEM_BYTES, "fat binary: %s", what);
	return -EINVAL;
}

/* Reads the entry at the start of what is left, and goes past it. */
static bool entry_read(const uint8_t **at, uint64_t *left, struct entry *e)
{
	uint64_t header;

	if (*left < ENTRY_HEADER_BYTES)
		return false;
	header = slc_u32(*at + 4);
	*e = (struct entry){ slc_u16(*at), slc_u32(*at + 28), *at + header,
			     slc_u64(*at + 8) };
	if (header < ENTRY_HEADER_BYTES || header > *left || e->bytes > *left - header)
		return false;
	*at += header + e->bytes;
	*left -= header + e->bytes;
	return true;
}

/* A compressed one does not begin as an ELF file. */
static bool is_elf(const struct entry *e)
{
	return e->bytes >= ELF_IDENT_BYTES && memcmp(e->payload, "\x7f" "ELF", 4) == 0;
}

/* Which entry is the better one: readable, of 64 bits, of sm_20 itself. 0: not for this GPU. */
static int rank(const struct entry *e)
{
	if (e->kind != KIND_CUBIN || (e->sm != SM_20 && e->sm != SM_21))
		return 0;
	if (!is_elf(e))
		return 1;
	return 2 + (e->sm == SM_20) + 2 * (e->payload[4] == ELF_64_BITS);
}

int slc_fatbin_find(const void *file, size_t size, const void **cubin, size_t *cubin_size,
		    char *problem)
{
	const uint8_t *at = file;
	struct entry best = { 0 };
	struct entry e;
	uint64_t left;

	*cubin = file;
	*cubin_size = size;
	if (size < FILE_HEADER_BYTES || slc_u32(at) != MAGIC)
		return 0;
	left = slc_u64(at + 8);
	if (slc_u16(at + 6) != FILE_HEADER_BYTES || left > size - FILE_HEADER_BYTES)
		return wrong(problem, "its entries lie outside the file");
	at += FILE_HEADER_BYTES;
	while (left) {
		if (!entry_read(&at, &left, &e))
			return wrong(problem, "an entry lies outside the file");
		if (rank(&e) > rank(&best))
			best = e;
	}
	if (!rank(&best))
		return wrong(problem, "no cubin of sm_20 is in it");
	if (!is_elf(&best))
		return wrong(problem, "its cubin of sm_20 is compressed");
	*cubin = best.payload;
	*cubin_size = best.bytes;
	return 0;
}
