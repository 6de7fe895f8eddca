/*
 * A small library for programs that drive the GPU by themselves: device, buffers, address spaces,
 * channels, copies, waiting. It speaks pscnv's ioctls (and SLUICE_CHAN_WAIT), needs no other library,
 * and keeps no state but what the caller's structures hold.
 *
 * Functions return 0 or a negative errno, unless they say otherwise. A structure may be used by one
 * thread at a time. Freeing what was never made (all zero) does nothing.
 */
#ifndef SLUICE_LIB_H
#define SLUICE_LIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../include/sluice_abi.h"
#include "../linux/uapi/sluice_drm.h"

/* ---- device ------------------------------------------------------------------------------------ */

struct sluice_transport;

struct sluice_dev {
	const struct sluice_transport *transport;
	int fd;
	void *state; /* the transport's own */
};

/*
 * How calls and mappings reach a device. The calls are pscnv's whatever carries them, so all above
 * is the same for a program in a machine and for one attached without.
 */
struct sluice_transport {
	const char *name;
	/* Opens path; ENODEV when that is no device of this kind. dev is zeroed but for fd, -1. */
	int (*open)(struct sluice_dev *dev, const char *path);
	/* A call of linux/uapi/sluice_drm.h, by its DRM_IOCTL_* number; 0 or a negative errno. */
	int (*ioctl)(struct sluice_dev *dev, unsigned long request, void *arg);
	/* Maps size bytes, shared, readable and writable; offset is pscnv's of a buffer or a control
	 * page, or the doorbell's. */
	int (*map)(struct sluice_dev *dev, uint64_t offset, uint64_t size, void **map);
	/* Gives back what map gave, before the buffer or the channel is freed. */
	void (*unmap)(struct sluice_dev *dev, void *map, uint64_t size);
	/* Whether the host has ended, without waiting; NULL when only calls tell. */
	bool (*gone)(struct sluice_dev *dev);
	/* Frees all; also after an open that failed half-way. */
	void (*close)(struct sluice_dev *dev);
};

/* A node of the kernel module or of pscnv itself: ioctl and mmap. */
extern const struct sluice_transport sluice_transport_drm;

/*
 * A guest's socket of the daemon: attaches this process as a guest by itself. Buffers have no names,
 * and the calls that only Gdev's pscnv has do not exist; children do not inherit the device.
 */
extern const struct sluice_transport sluice_transport_vfio_user;

/*
 * Opens path, a DRM node or a guest's socket; with NULL what the environment's SLUICE_DEVICE names,
 * else the first /dev/dri/card0..15 whose driver is pscnv. ENODEV without one.
 */
int sluice_open(struct sluice_dev *dev, const char *path);
int sluice_open_with(struct sluice_dev *dev, const struct sluice_transport *transport,
		     const char *path);
void sluice_close(struct sluice_dev *dev);
int sluice_getparam(struct sluice_dev *dev, uint64_t param, uint64_t *value);
/* Whether the host that serves the device has ended: then whatever waits for it ends with EIO. */
bool sluice_gone(struct sluice_dev *dev);

/* A call that goes on after signals. Returns 0 or a negative errno. */
int sluice_ioctl(struct sluice_dev *dev, unsigned long request, void *arg);
int sluice_map(struct sluice_dev *dev, uint64_t offset, uint64_t size, void **map);
void sluice_unmap(struct sluice_dev *dev, void *map, uint64_t size);
/* The doorbell's page, of a GPU that has one; ENODEV otherwise. For sluice_unmap(), 4096 bytes. */
int sluice_doorbell_map(struct sluice_dev *dev, void **map);

/* ---- buffers ----------------------------------------------------------------------------------- */

struct sluice_bo {
	struct sluice_dev *dev;
	uint32_t handle;
	uint64_t size; /* bytes */
	void *map;     /* of all of it; NULL: not mapped */
};

#define SLUICE_VRAM PSCNV_GEM_VRAM_SMALL
#define SLUICE_SYSRAM PSCNV_GEM_SYSRAM_SNOOP

/* Allocates size bytes, rounded up. flags: PSCNV_GEM_*. */
int sluice_bo_new(struct sluice_dev *dev, uint32_t flags, uint64_t size, struct sluice_bo *bo);
int sluice_bo_map(struct sluice_bo *bo);
/* A name by which another process can open the same buffer, and opening it. */
int sluice_bo_name(struct sluice_bo *bo, uint32_t *name);
int sluice_bo_open(struct sluice_dev *dev, uint32_t name, struct sluice_bo *bo);
/* Unmaps and closes. Address spaces that map the buffer keep it. */
void sluice_bo_free(struct sluice_bo *bo);

/* ---- address spaces ---------------------------------------------------------------------------- */

#define SLUICE_VA_START 0x20000000ull /* below lie the windows of shared and local memory */
#define SLUICE_VA_END (1ull << 40)

struct sluice_vspace_id {
	struct sluice_dev *dev;
	uint32_t vid; /* 0: none */
};

int sluice_vspace_new(struct sluice_dev *dev, struct sluice_vspace_id *vs);
void sluice_vspace_free(struct sluice_vspace_id *vs);
int sluice_vspace_map(struct sluice_vspace_id *vs, struct sluice_bo *bo, uint64_t *address);
int sluice_vspace_unmap(struct sluice_vspace_id *vs, uint64_t address);

/* ---- channels ---------------------------------------------------------------------------------- */

#define SLUICE_RING_ORDER 9
#define SLUICE_RING_ENTRIES (1u << SLUICE_RING_ORDER)
#define SLUICE_PUSH_BYTES (1u << 20)
/* Words of one submission: so few that there is room for it whatever the last one left. */
#define SLUICE_MAX_SUBMIT (SLUICE_PUSH_BYTES / 4 / 4)

struct sluice_channel {
	struct sluice_vspace_id *vs;
	uint32_t cid; /* 0: none */
	uint32_t *control; /* control page */

	struct sluice_bo ring_bo; /* the GPFIFO */
	uint64_t ring_address;
	uint32_t put; /* next entry to write */

	struct sluice_bo push_bo; /* pushbuffer, used as a circle */
	uint64_t push_address;
	uint32_t push_put;                        /* next byte to write */
	uint32_t push_start[SLUICE_RING_ENTRIES]; /* where each entry's words begin */

	struct sluice_bo fence_bo; /* one word: sequence number of the last finished fence */
	uint64_t fence_address;
	uint32_t fence;      /* last one given out */
	uint32_t interrupts; /* those already acted on */
};

/* A channel with ring, pushbuffer and fence word, ready to take work. */
int sluice_channel_new(struct sluice_vspace_id *vs, struct sluice_channel *ch);
void sluice_channel_free(struct sluice_channel *ch);

/* The two halves of it, for programs that lay out their own ring. */
int sluice_channel_create(struct sluice_vspace_id *vs, struct sluice_channel *ch);
int sluice_channel_start(struct sluice_channel *ch, uint64_t ring_address, uint32_t ring_order);

/* Copies the words into the pushbuffer and hands them to the GPU: no system call but to wait for
 * room, as sluice_wait_poll() waits. ETIMEDOUT when the
 * GPU does not make room within timeout_ms, EIO when the channel or the host has ended meanwhile,
 * E2BIG for more than SLUICE_MAX_SUBMIT. */
int sluice_submit(struct sluice_channel *ch, const uint32_t *words, size_t count, uint32_t timeout_ms);

/* The channel's own account: SLUICE_CHANNEL_*, and if it ended why. */
struct sluice_channel_state {
	uint32_t state;
	uint32_t error; /* SLUICE_ERROR_*, 0 while it lives */
	uint32_t info;
	uint64_t address;
};

void sluice_channel_query(struct sluice_channel *ch, struct sluice_channel_state *state);

/* Whether the fence was reached. */
bool sluice_fence_done(const struct sluice_channel *ch, uint32_t fence);

/* Waits for a fence by looking at memory, or asleep until the channel interrupts. ETIMEDOUT, or EIO
 * when the channel or the host has ended. Who looks gives the processor to others now and then. */
int sluice_wait_poll(struct sluice_channel *ch, uint32_t fence, uint32_t timeout_ms);
int sluice_wait_interrupt(struct sluice_channel *ch, uint32_t fence, uint32_t timeout_ms);

/* ---- building commands ------------------------------------------------------------------------- */

#define SLUICE_SUBCHANNEL_COMPUTE 1
#define SLUICE_SUBCHANNEL_M2MF 2
#define SLUICE_SUBCHANNEL_PCOPY 3
#define SLUICE_CLASS_COMPUTE 0x90c0
#define SLUICE_CLASS_M2MF 0x9039
#define SLUICE_CLASS_PCOPY 0x490b5 /* class 90b5 on engine 4, PCOPY0 */

struct sluice_words {
	uint32_t *word;
	size_t count;
	size_t capacity; /* a word that does not fit is dropped and counted all the same */
};

void sluice_word(struct sluice_words *w, uint32_t value);
void sluice_word64(struct sluice_words *w, uint64_t value); /* upper half first */
/* Header of count data words for method, method + 4, ... on a subchannel; all for one method. */
void sluice_method(struct sluice_words *w, uint32_t subchannel, uint32_t method, uint32_t count);
void sluice_method_again(struct sluice_words *w, uint32_t subchannel, uint32_t method, uint32_t count);
bool sluice_words_fit(const struct sluice_words *w);

/* Binds the copy classes to their subchannels; once per channel. */
void sluice_build_bind(struct sluice_words *w);

/* What a copy reports at its end: payload to a 4-byte semaphore. */
struct sluice_report {
	uint64_t address;
	uint32_t payload;
};

void sluice_build_m2mf_copy(struct sluice_words *w, uint64_t dst, uint64_t src, uint64_t bytes,
			    struct sluice_report report);
void sluice_build_pcopy_copy(struct sluice_words *w, uint64_t dst, uint64_t src, uint64_t bytes,
			     struct sluice_report report);

/* An image in blocks of one GOB (64 bytes by 8 lines) by 1 << shift. */
struct sluice_blocks {
	uint64_t address; /* a multiple of 512 */
	uint32_t shift;   /* 0 to 5 */
	uint32_t line_bytes;
	uint32_t lines;
	uint32_t layers;
	uint32_t layer; /* which one is copied, */
	uint32_t first_line; /* from which line on */
};

/* Copies whole lines by M2MF between an image and memory in which they follow each other; write: to
 * the image. */
void sluice_build_m2mf_blocks(struct sluice_words *w, const struct sluice_blocks *blocks,
			      uint64_t linear, uint32_t count, bool write);

/* Host semaphores, 4 bytes: release after all earlier work, wait until the word is at least payload. */
void sluice_build_release(struct sluice_words *w, uint64_t address, uint32_t payload);
void sluice_build_acquire(struct sluice_words *w, uint64_t address, uint32_t payload);
/* Interrupts when the host engine comes here: after a release, that means after all earlier work. */
void sluice_build_interrupt(struct sluice_words *w);

/* The next fence of the channel, to be reported by a copy or released by what is being built. */
struct sluice_report sluice_next_fence(struct sluice_channel *ch);

/* ---- checking ---------------------------------------------------------------------------------- */

/* Fills with words that depend on seed and place; bytes is a multiple of 8. */
void sluice_fill(void *memory, uint64_t bytes, uint64_t seed);
/* A 64-bit checksum that notices changed, moved and missing words; bytes is a multiple of 8. */
uint64_t sluice_checksum(const void *memory, uint64_t bytes);

#endif /* SLUICE_LIB_H */
