/*
 * Channels of an NVIDIA GPU of the Hopper family as a program uses them: a ring, pushbuffers behind
 * it, a fence, and the doorbell, all mapped; submitting makes no call. What fails ends the program
 * with a line that says what did.
 */
#ifndef HOPPER_QUEUE_H
#define HOPPER_QUEUE_H

#include "sluice.h"

#define HOPPER_COPY_CLASS 0xc8b5u
#define HOPPER_COMPUTE_CLASS 0xcbc0u
#define HOPPER_SUBCHANNEL_COMPUTE 1u
#define HOPPER_SUBCHANNEL_COPY 4u
#define HOPPER_COMMAND_WORDS 64u /* what has room behind a ring entry */

struct hopper_mapped {
	struct sluice_bo bo;
	uint64_t address; /* for the GPU */
};

struct hopper_gpu {
	struct sluice_dev dev;
	struct sluice_vspace_id vs;
	volatile uint32_t *doorbell;
};

struct hopper_queue {
	struct hopper_gpu *gpu;
	struct sluice_channel ch;
	struct hopper_mapped ring, push;
	struct hopper_mapped fence; /* a page: the number of the last submission that is done */
	uint32_t put;
	uint64_t done; /* the number of the last submission */
};

/* Words as they are added to; all zero at first. */
struct hopper_commands {
	uint32_t word[HOPPER_COMMAND_WORDS];
	uint32_t count;
};

/* Ends the program unless error, an errno of either sign, is 0. */
void hopper_need(const char *what, int error);

void hopper_open(struct hopper_gpu *gpu);
/* flags: SLUICE_SYSRAM, which is mapped and zero, or SLUICE_VRAM. */
void hopper_buffer(struct hopper_gpu *gpu, uint32_t flags, uint64_t bytes, struct hopper_mapped *m);
/* A channel that copies or, with compute, launches and copies. */
void hopper_queue_open(struct hopper_gpu *gpu, bool compute, struct hopper_queue *q);

/* Stores so many values, of uint32_t each, to consecutive methods from first on. */
void hopper_add(struct hopper_commands *c, uint32_t subchannel, uint32_t first, uint32_t count, ...);
void hopper_add_copy(struct hopper_commands *c, uint64_t from, uint64_t to, uint32_t bytes);
/* Adds 1 to a word of 32 bits, after all before. */
void hopper_add_increment(struct hopper_commands *c, uint64_t at);
/* Submits what was added, and a release of the fence with the submission's number behind it. */
void hopper_submit(struct hopper_queue *q, struct hopper_commands *c);
/* Waits until all that was submitted is done; what it did can be seen then. */
void hopper_await(struct hopper_queue *q);

#endif
