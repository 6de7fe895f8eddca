/*
 * Building commands of the compute class, 90c0: method names and fields as in NVIDIA's cl90c0.h, the
 * order as Gdev emits them. Nothing is checked here; the GPU does that.
 */
#ifndef SLUICE_LAUNCH_H
#define SLUICE_LAUNCH_H

#include "sluice.h"

#define SLUICE_LAUNCH_BANKS 18
#define SLUICE_SHARED_WINDOW 0x01000000u /* where shared and local memory stand in generic addresses */
#define SLUICE_LOCAL_WINDOW 0x02000000u
#define SLUICE_STACK_POINTER 0x00fffc40u /* what sm_20 programs load from c[1][0x100] at their start */
#define SLUICE_STACK_POINTER_OFFSET 0x100u
#define SLUICE_BANK_1_BYTES 0x200u
#define SLUICE_LAUNCH_METHOD 0x368u /* what a refused launch's error names */

struct sluice_bank {
	uint64_t address; /* a multiple of 256 */
	uint32_t bytes;   /* 0: not bound */
};

struct sluice_grid {
	uint32_t grid[3];
	uint32_t block[3];
	uint64_t program; /* address of the code */
	uint32_t start;   /* where the kernel begins in it */
	uint32_t registers;
	uint32_t barriers;
	uint32_t shared_bytes; /* a multiple of 128 */
	uint64_t local_address;
	uint64_t local_bytes;      /* all of it */
	uint32_t local_warp_bytes; /* of a warp */
	uint32_t local_low_bytes;  /* of a thread, from 0 up */
	uint32_t local_high_bytes; /* of a thread, down from the end of the window */
	uint32_t stack_bytes;      /* call stack of a warp */
	uint32_t id;               /* what the program reads as its grid id */
	struct sluice_bank bank[SLUICE_LAUNCH_BANKS];
	const uint32_t *parameter; /* words for bank 0 from 0x20 on */
	uint32_t parameter_words;
};

/* Words that a launch takes, without its parameters. */
#define SLUICE_LAUNCH_WORDS 256

/* Binds the class and sets it up; once per channel. About 530 words. */
void sluice_build_compute(struct sluice_words *w, uint32_t multiprocessors);
/* Lets what comes next see what launches have stored, and launches what came before. */
void sluice_build_membar(struct sluice_words *w);
void sluice_build_launch(struct sluice_words *w, const struct sluice_grid *grid);

/* What a surface slot is given: the words of SET_SU_LD_ST_TARGET. */
struct sluice_surface {
	uint64_t address;
	uint32_t width;
	uint32_t height;
	uint32_t format;
	uint32_t block;
};

/* Before a launch with textures: pools of headers and samplers, of entries each; a texture's sampler
 * is the one at its header's index. Then for each slot what it has, if anything. */
#define SLUICE_POOLS_WORDS 16
#define SLUICE_TEXTURE_WORDS 2
#define SLUICE_SURFACE_WORDS 7
void sluice_build_pools(struct sluice_words *w, uint64_t headers, uint64_t samplers, uint32_t entries);
void sluice_build_texture(struct sluice_words *w, uint32_t slot, uint32_t index, bool bound);
void sluice_build_surface(struct sluice_words *w, uint32_t slot, const struct sluice_surface *surface);

/* Reports when all launches before are done: 16 bytes, payload, 0 and GPU time in ns; with
 * interrupt, interrupts the channel after. address is a multiple of 16. */
void sluice_build_report(struct sluice_words *w, struct sluice_report report, bool interrupt);

#endif /* SLUICE_LAUNCH_H */
