/*
 * The transport of a plain process, what its files share: process_calls.c makes its calls,
 * process_buffers.c, process_spaces.c and process_channels.c keep what the calls made, and
 * vfio_user.c opens and closes it and hands requests to these.
 *
 * All but process_chan_wait() and process_is_gone() are called with the device's lock held.
 */
#ifndef SLUICE_PROCESS_H
#define SLUICE_PROCESS_H

#include "sluice.h"
#include "vfio_user_link.h"

#include <pthread.h>

#define PAGE 4096ull
#define MAX_VECTORS 64
#define MAX_CHANNELS 128 /* what pscnv's mmap offsets can name */
#define MAX_IDS 65536
#define MAX_BYTES (1ull << 40) /* pscnv's */
#define NOT_IN_APERTURE (~0ull)

struct buffer {
	struct drm_pscnv_gem_info info; /* what GEM_INFO answers */
	int fd;                         /* -1: video memory */
	uint64_t place;                 /* offset in the aperture, or bus address */
	uint32_t users;                 /* the handle, and mappings in address spaces */
};

/* Channels keep an address space whose id was freed, and perhaps given to another one. */
struct space {
	uint32_t users; /* the id, and channels */
};

struct mapping {
	struct mapping *next;
	struct buffer *buffer;
	struct space *space;
	uint64_t address;
};

struct channel {
	struct space *space; /* NULL: no channel with this id */
	uint32_t interrupts;
};

struct device {
	struct vfio_user_link link;
	pthread_mutex_t lock;
	struct vfio_user_region calls, vram, control, doorbell;
	char *call_bar;
	char *control_bar;
	uint32_t num_vectors, num_channels, num_spaces, num_handles;
	int vector[MAX_VECTORS];
	uint64_t next_iova;
	struct sluice_extent *list; /* one page, for MEM_PAGES */
	uint64_t list_iova;
	bool dead; /* a call was not answered */
	struct buffer **buffers; /* by handle */
	struct mapping *mappings;
	struct space **spaces; /* by id */
	struct channel channels[MAX_CHANNELS];
};

/* process_calls.c */
enum process_event {
	PROCESS_TIMEOUT,   /* or a signal */
	PROCESS_INTERRUPT, /* the vector was raised */
	PROCESS_GONE,      /* the connection has ended */
};

bool process_is_gone(struct device *d);
enum process_event process_wait_vector(struct device *d, uint32_t vector, int timeout_ms);
/* One slot is enough, since the lock is held. args gets the results if the call succeeds. */
int process_call(struct device *d, uint32_t number, void *args, size_t bytes);
int process_free_call(struct device *d, uint32_t number, uint32_t handle);

/* process_buffers.c */
int process_share(struct device *d, uint64_t bytes, uint64_t *iova);
struct buffer *process_buffer_of(struct device *d, uint32_t handle);
void process_buffer_put(struct device *d, struct buffer *b);
int process_gem_new(struct device *d, struct drm_pscnv_gem_info *req);
int process_gem_info(struct device *d, struct drm_pscnv_gem_info *req);
int process_gem_close(struct device *d, const struct drm_gem_close *req);

/* process_spaces.c */
struct space *process_space_of(struct device *d, uint32_t vid);
void process_space_put(struct device *d, struct space *space);
int process_vspace_new(struct device *d, struct drm_pscnv_vspace_req *req);
int process_vspace_free(struct device *d, const struct drm_pscnv_vspace_req *req);
int process_vspace_map(struct device *d, struct drm_pscnv_vspace_map *req);
int process_vspace_unmap(struct device *d, const struct drm_pscnv_vspace_unmap *req);

/* process_channels.c */
bool process_has_channel(struct device *d, uint32_t cid);
int process_chan_new(struct device *d, struct drm_pscnv_chan_new *req);
int process_chan_free(struct device *d, const struct drm_pscnv_chan_free *req);
int process_obj_eng_new(struct device *d, const struct drm_pscnv_obj_eng_new *req);
int process_fifo_init_ib(struct device *d, const struct drm_pscnv_fifo_init_ib *req);
int process_chan_wait(struct device *d, struct drm_sluice_chan_wait *req);

#endif
