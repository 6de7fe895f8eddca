/*
 * Cubins: ELF files of sm_20 machine code, of 32 or 64 bits, as nvcc, asfermi and testbed/workloads'
 * assembler write them. Nothing in a file is trusted: every offset, size, index and name is checked
 * before it is used, and a file that is wrong anywhere is refused as a whole, with a sentence about
 * what is wrong. The result points into the file, which the caller keeps.
 */
#ifndef SLUICE_CUBIN_H
#define SLUICE_CUBIN_H

#include "elf_file.h"

#define SLC_MAX_KERNELS 256u
#define SLC_MAX_GLOBALS 16u
#define SLC_MAX_VARIABLES 1024u
#define SLC_MAX_GLOBAL_BYTES (64u << 20) /* of all variables together */
#define SLC_MAX_ALIGNMENT 4096u
#define SLC_MAX_PARAMETERS 64u
#define SLC_BANKS 18u
#define SLC_MAX_CODE_BYTES (1u << 20)
#define SLC_MAX_BANK_BYTES 0x10000u
#define SLC_MAX_REGISTERS 63u
#define SLC_MAX_BARRIERS 15u /* named ones; barrier 0 needs no count but has one */
#define SLC_MAX_SHARED_BYTES (48u << 10)
#define SLC_MAX_LOCAL_BYTES (256u << 10)
#define SLC_MAX_STACK_BYTES (1u << 20)
#define SLC_PARAMETER_BASE 0x20u /* of bank 0 on sm_20; the driver's words lie below */
#define SLC_MAX_PARAMETER_BYTES 0x1000u
#define SLC_MAX_IMAGES 128u /* textures and surfaces of a file */
#define SLC_MAX_KERNEL_IMAGES (2 * SLC_MAX_IMAGES) /* slots of a kernel that have one */
#define SLC_TEXTURE_SLOTS 256u
#define SLC_SURFACE_SLOTS 8u

struct slc_bytes {
	const uint8_t *at; /* NULL: none, or all zero */
	uint32_t size;
	uint32_t section;
};

struct slc_parameter {
	uint16_t offset; /* behind SLC_PARAMETER_BASE */
	uint16_t bytes;
};

/* A texture or surface that the host binds by its name. */
struct slc_image {
	const char *name;
	bool surface;
	bool placed;   /* relocations have given it a slot, the same in all kernels: */
	uint32_t slot;
};

/* What a slot of a kernel has. */
struct slc_image_slot {
	uint8_t image; /* its index */
	uint8_t slot;
	bool needed; /* the kernel itself names it; otherwise a function may */
};

/* What a section is loaded as. */
enum slc_load {
	SLC_NOT_LOADED = 0,
	SLC_CODE = 1,
	SLC_CONSTANTS = 2,
	SLC_GLOBALS = 3,
};

/* A kernel, or a function that kernels call. */
struct slc_kernel {
	const char *name;
	struct slc_bytes code; /* .text.NAME */
	uint32_t registers; /* of a thread, 1 to 63 */
	uint32_t barriers;
	uint32_t shared_bytes; /* of a block */
	uint32_t local_bytes;  /* of a thread, from address 0 up */
	uint32_t frame_bytes;  /* of a thread, down from the stack pointer */
	uint32_t stack_bytes;  /* call stack of a warp; 0: not said */
	uint32_t parameter_bytes;
	uint32_t parameter_count;
	struct slc_parameter parameter[SLC_MAX_PARAMETERS];
	struct slc_bytes bank[SLC_BANKS]; /* constants; bank 0 is the launch's own */
	uint32_t image_count;
	struct slc_image_slot image[SLC_MAX_KERNEL_IMAGES];
};

/* Variables that kernels and the host share: all of .nv.global or .nv.global.init. */
struct slc_globals {
	struct slc_bytes bytes;
	uint32_t alignment; /* a power of two, SLC_MAX_ALIGNMENT at most */
};

struct slc_variable {
	const char *name;
	uint32_t section;
	uint32_t offset; /* in it */
	uint32_t bytes;
};

struct slc_cubin {
	struct slc_elf elf;
	uint8_t load[SLC_MAX_SECTIONS]; /* enum slc_load by section */
	uint32_t size[SLC_MAX_SECTIONS]; /* bytes by section, of those that are loaded */
	uint32_t kernel_count;
	struct slc_kernel kernel[SLC_MAX_KERNELS];
	uint32_t globals_count;
	struct slc_globals globals[SLC_MAX_GLOBALS];
	uint32_t variable_count;
	struct slc_variable variable[SLC_MAX_VARIABLES];
	uint32_t image_count;
	struct slc_image image[SLC_MAX_IMAGES];
	char problem[SLC_PROBLEM_BYTES]; /* what is wrong with the file; empty if nothing is */
};

/* Where a section has been loaded. */
struct slc_place {
	uint64_t address; /* of code: its offset behind the first code of all */
	uint8_t *bytes;   /* what is brought there */
};

/* Reads a file of size bytes. Returns 0, or -EINVAL with the reason in cubin->problem. */
int slc_cubin_read(struct slc_cubin *cubin, const void *file, size_t size);

/* The kernel of a name, or NULL. */
const struct slc_kernel *slc_cubin_kernel(const struct slc_cubin *cubin, const char *name);

/* Relocates what has been loaded; place is an array by section. Without one, checks that it can be
 * done, but for addresses that are too large. -EINVAL: the reason is in cubin->problem. */
int slc_cubin_link(struct slc_cubin *cubin, const struct slc_place *place);

/* Textures and surfaces, for the reader: notes all that the file's symbols name; notes that a kernel
 * has one in a slot; tells in which slot code finds one, of which it has it when none is said. The
 * code may be in no kernel; then code is NULL. -EINVAL: the reason is in cubin->problem. */
int slc_cubin_images_read(struct slc_cubin *cubin);
int slc_cubin_image_bind(struct slc_cubin *cubin, struct slc_kernel *k, const struct slc_symbol *symbol,
			 uint32_t slot);
int slc_cubin_image_slot(struct slc_cubin *cubin, struct slc_kernel *code,
			 const struct slc_symbol *symbol, bool surface, uint32_t *slot);

/* Finds the cubin for this GPU in a fat binary of several, or takes a file that is none as it is.
 * -EINVAL: the reason is in problem, of SLC_PROBLEM_BYTES. */
int slc_fatbin_find(const void *file, size_t size, const void **cubin, size_t *cubin_size,
		    char *problem);

#endif /* SLUICE_CUBIN_H */
