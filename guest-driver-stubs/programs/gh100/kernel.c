#include "kernel.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

/* Where the shared and the local window begin: addresses nothing else is at. */
#define SHARED_WINDOW 0x729400000000ull
#define LOCAL_WINDOW 0x729300000000ull

#define MACHINE_CUDA 190
#define FORMAT_SIZED 4
#define ATTRIBUTE_PARAMETERS 0x0a
#define ATTRIBUTE_REGISTERS 0x2f
#define MAX_REGISTERS 255u
#define MIN_REGISTERS 16u /* of a QMD */
#define MAX_CODE_BYTES (1u << 20)

/* ---- cubins ------------------------------------------------------------------------------------ */

struct elf {
	const uint8_t *file;
	size_t size;
	Elf64_Ehdr head;
};

struct part {
	const uint8_t *at; /* NULL: none */
	size_t bytes;
};

static struct part part(const struct elf *elf, uint64_t offset, uint64_t bytes)
{
	if (offset > elf->size || bytes > elf->size - offset)
		return (struct part){ 0 };
	return (struct part){ elf->file + offset, bytes };
}

static int section(const struct elf *elf, uint32_t index, Elf64_Shdr *header)
{
	struct part p = part(elf, elf->head.e_shoff + (uint64_t)index * sizeof(*header),
			     sizeof(*header));

	if (index >= elf->head.e_shnum || !p.at)
		return -EINVAL;
	memcpy(header, p.at, sizeof(*header));
	return 0;
}

static struct part content(const struct elf *elf, const Elf64_Shdr *header)
{
	return part(elf, header->sh_offset, header->sh_size);
}

/* Whether a string of a table, given by its section's index, is prefix and name. */
static bool is_called(const struct elf *elf, uint32_t table, uint32_t offset, const char *prefix,
		      const char *name)
{
	size_t head = strlen(prefix), bytes = head + strlen(name) + 1;
	Elf64_Shdr header;
	struct part strings;

	if (section(elf, table, &header))
		return false;
	strings = content(elf, &header);
	return strings.at && offset <= strings.bytes && bytes <= strings.bytes - offset &&
	       memcmp(strings.at + offset, prefix, head) == 0 &&
	       memcmp(strings.at + offset + head, name, bytes - head) == 0;
}

/* What the section called prefix and name holds. */
static struct part find(const struct elf *elf, const char *prefix, const char *name)
{
	Elf64_Shdr header;
	uint32_t i;

	for (i = 0; i < elf->head.e_shnum; i++)
		if (section(elf, i, &header) == 0 && header.sh_type != SHT_NOBITS &&
		    is_called(elf, elf->head.e_shstrndx, header.sh_name, prefix, name))
			return content(elf, &header);
	return (struct part){ 0 };
}

/* Whether a symbol of the first symbol table is a name. */
static bool is_symbol(const struct elf *elf, uint32_t index, const char *name)
{
	Elf64_Shdr header;
	Elf64_Sym symbol;
	struct part symbols;
	uint32_t i;

	for (i = 0; i < elf->head.e_shnum; i++) {
		if (section(elf, i, &header) || header.sh_type != SHT_SYMTAB)
			continue;
		symbols = content(elf, &header);
		if (!symbols.at || index >= symbols.bytes / sizeof(symbol))
			return false;
		memcpy(&symbol, symbols.at + index * sizeof(symbol), sizeof(symbol));
		return is_called(elf, header.sh_link, symbol.st_name, "", name);
	}
	return false;
}

static uint32_t word(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* The value of the next attribute of a kind and of at least 8 bytes; moves *info behind it. */
static const uint8_t *next_attribute(struct part *info, uint8_t kind)
{
	while (info->bytes >= 4) {
		const uint8_t *at = info->at;
		bool sized = at[0] == FORMAT_SIZED;
		size_t value = sized ? word(at) >> 16 : 0;

		if (value > info->bytes - 4)
			break;
		info->at += 4 + value;
		info->bytes -= 4 + value;
		if (sized && at[1] == kind && value >= 8)
			return at + 4;
	}
	info->bytes = 0;
	return NULL;
}

int hopper_kernel_find(const void *file, size_t size, const char *name, struct hopper_kernel *kernel)
{
	struct elf elf = { .file = file, .size = size };
	struct part code, info;
	const uint8_t *value;

	*kernel = (struct hopper_kernel){ 0 };
	if (size < sizeof(elf.head))
		return -EINVAL;
	memcpy(&elf.head, file, sizeof(elf.head));
	if (memcmp(elf.head.e_ident, ELFMAG, SELFMAG) || elf.head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    elf.head.e_machine != MACHINE_CUDA || elf.head.e_shentsize != sizeof(Elf64_Shdr))
		return -EINVAL;
	code = find(&elf, ".text.", name);
	if (!code.at)
		return -ENOENT;
	info = find(&elf, ".nv.info", "");
	while ((value = next_attribute(&info, ATTRIBUTE_REGISTERS)))
		if (is_symbol(&elf, word(value), name))
			kernel->registers = word(value + 4);
	info = find(&elf, ".nv.info.", name);
	value = next_attribute(&info, ATTRIBUTE_PARAMETERS);
	if (value) {
		kernel->parameter_base = word(value + 4) & 0xffff;
		kernel->parameter_bytes = word(value + 4) >> 16;
	}
	kernel->code = code.at;
	kernel->code_bytes = (uint32_t)code.bytes;
	if (code.bytes == 0 || code.bytes > MAX_CODE_BYTES || kernel->registers == 0 ||
	    kernel->registers > MAX_REGISTERS || kernel->parameter_bytes == 0)
		return -EINVAL;
	return 0;
}

/* ---- launches ---------------------------------------------------------------------------------- */

#define CONSTANTS 0x400u /* behind the QMD's 384 bytes */

/* Bits of a QMD; their numbers: NVIDIA's clcbc0qmd.h. */
static void set(uint32_t *qmd, uint32_t high, uint32_t low, uint64_t value)
{
	for (uint32_t bit = low; bit <= high; bit++, value >>= 1)
		if (value & 1)
			qmd[bit / 32] |= 1u << bit % 32;
}

/* Version 4.0, of a one-dimensional grid. */
static void store_qmd(const struct hopper_grid *grid, uint32_t *qmd, uint64_t constants)
{
	const struct hopper_kernel *k = grid->kernel;
	uint32_t registers = k->registers < MIN_REGISTERS ? MIN_REGISTERS : k->registers;

	set(qmd, 21, 16, 0x3f);     /* group */
	set(qmd, 25, 23, 2);        /* type: grid */
	set(qmd, 416, 416, 1);      /* constant bank 0 is valid, */
	set(qmd, 419, 419, 1);      /* and not from the cache */
	set(qmd, 543, 536, 0x90);   /* SASS version */
	set(qmd, 568, 568, 1);
	set(qmd, 569, 569, 1);
	set(qmd, 583, 580, 4);      /* major version */
	set(qmd, 601, 584, 0x400);  /* shared memory */
	set(qmd, 607, 602, 0x3f);   /* caches are invalidated */
	set(qmd, 613, 608, 3);      /* configuration of shared memory: least, */
	set(qmd, 619, 614, 0x3a);   /* most, */
	set(qmd, 625, 620, 3);      /* wanted */
	set(qmd, 1055, 1024, grid->blocks);
	set(qmd, 1071, 1056, 1);
	set(qmd, 1103, 1088, 1);
	set(qmd, 1137, 1136, 1);    /* what was written is visible when it ends */
	set(qmd, 1167, 1152, grid->threads);
	set(qmd, 1183, 1168, 1);
	set(qmd, 1199, 1184, 1);
	set(qmd, 1208, 1200, registers);
	set(qmd, 1215, 1211, 1);    /* barriers */
	set(qmd, 1247, 1216, grid->code);
	set(qmd, 1272, 1248, grid->code >> 32);
	set(qmd, 1567, 1536, constants >> 6);
	set(qmd, 1586, 1568, constants >> 38);
	set(qmd, 1599, 1587, (k->parameter_base + k->parameter_bytes + 15) >> 4);
}

void hopper_launch_store(const struct hopper_grid *grid, const uint32_t *parameters, uint32_t count,
			 void *place, uint64_t address)
{
	const struct hopper_kernel *k = grid->kernel;
	const uint32_t head[] = {
		grid->threads, 1, 1, grid->blocks, 1, 1, 0, (uint32_t)(SHARED_WINDOW >> 32),
		0, (uint32_t)(LOCAL_WINDOW >> 32), 0xfffdc0, 0,
	};
	uint8_t *constants = (uint8_t *)place + CONSTANTS;

	if (count * 4 > k->parameter_bytes ||
	    CONSTANTS + k->parameter_base + k->parameter_bytes > HOPPER_LAUNCH_BYTES)
		hopper_need("parameters", E2BIG);
	memset(place, 0, HOPPER_LAUNCH_BYTES);
	memcpy(constants, head, sizeof(head));
	memcpy(constants + k->parameter_base, parameters, count * 4);
	store_qmd(grid, place, address + CONSTANTS);
}

/*
 * Classes and windows each time: a channel that was moved to another GPU is another one, which knows
 * nothing of what a former launch has set.
 */
void hopper_add_launch(struct hopper_commands *c, uint64_t address)
{
	uint32_t compute = HOPPER_SUBCHANNEL_COMPUTE;

	hopper_add(c, compute, 0, 1, HOPPER_COMPUTE_CLASS);
	hopper_add(c, compute, 0x2a0, 2, (uint32_t)(SHARED_WINDOW >> 32), (uint32_t)SHARED_WINDOW);
	hopper_add(c, compute, 0x7b0, 2, (uint32_t)(LOCAL_WINDOW >> 32), (uint32_t)LOCAL_WINDOW);
	hopper_add(c, compute, 0x1698, 1, 0x1011u); /* invalidate caches */
	hopper_add(c, compute, 0x2b4, 1, (uint32_t)(address >> 8));
	hopper_add(c, compute, 0x2c0, 1, 3u);
}
