/*
 * Kernels of cubins for sm_90, and launching them by a QMD, the structure that Hopper's compute class
 * takes.
 */
#ifndef HOPPER_KERNEL_H
#define HOPPER_KERNEL_H

#include "queue.h"

#define HOPPER_LAUNCH_BYTES 4096u /* of a launch: QMD and constants */

struct hopper_kernel {
	const uint8_t *code; /* in the file */
	uint32_t code_bytes;
	uint32_t registers;       /* of a thread */
	uint32_t parameter_base;  /* in constant bank 0 */
	uint32_t parameter_bytes;
};

/*
 * The kernel of a name in a file of size bytes, of which nothing is trusted. Returns 0, -ENOENT if
 * there is none, or -EINVAL if the file is none of nvcc's for sm_90.
 */
int hopper_kernel_find(const void *file, size_t size, const char *name, struct hopper_kernel *kernel);

struct hopper_grid {
	const struct hopper_kernel *kernel;
	uint64_t code;    /* its address for the GPU, a multiple of 256 */
	uint32_t blocks;  /* one-dimensional */
	uint32_t threads; /* of a block */
};

/*
 * Stores a launch at place, HOPPER_LAUNCH_BYTES that the GPU sees at address, a multiple of 4096.
 * parameters are so many words. The place is the GPU's until the launch is done.
 */
void hopper_launch_store(const struct hopper_grid *grid, const uint32_t *parameters, uint32_t count,
			 void *place, uint64_t address);

/* Adds the commands that launch what is stored at an address. */
void hopper_add_launch(struct hopper_commands *c, uint64_t address);

#endif
