/*
 * Reading cubins: ELF files of sm_20 machine code, as nvcc and testbed/workloads' assembler write
 * them. Nothing in a file is trusted: every offset, size, index and name is checked before it is
 * used, and a file that is wrong anywhere is refused as a whole, with a sentence about what is wrong.
 * The result points into the file, which the caller keeps.
 */
#ifndef SLUICE_CUBIN_H
#define SLUICE_CUBIN_H

#include <stddef.h>
#include <stdint.h>

#define SLC_MAX_FILE_BYTES (64u << 20)
#define SLC_MAX_SECTIONS 4096u
#define SLC_MAX_KERNELS 64u
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

struct slc_bytes {
	const uint8_t *at; /* NULL: none, or all zero */
	uint32_t size;
};

struct slc_parameter {
	uint16_t offset; /* behind SLC_PARAMETER_BASE */
	uint16_t bytes;
};

struct slc_kernel {
	const char *name;
	uint32_t section; /* index of .text.NAME */
	struct slc_bytes code;
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
};

struct slc_cubin {
	uint32_t kernel_count;
	struct slc_kernel kernel[SLC_MAX_KERNELS];
	char problem[160]; /* what is wrong with the file; empty if nothing is */
};

/* Reads a file of size bytes. Returns 0, or -EINVAL with the reason in cubin->problem. */
int slc_cubin_read(struct slc_cubin *cubin, const void *file, size_t size);

/* The kernel of a name, or NULL. */
const struct slc_kernel *slc_cubin_kernel(const struct slc_cubin *cubin, const char *name);

#endif /* SLUICE_CUBIN_H */
