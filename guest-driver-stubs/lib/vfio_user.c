/*
 * The transport of a plain process: attaches it to a guest's socket over vfio-user and offers
 * pscnv's calls on what the device itself offers (docs/abi.md), as the kernel module does for
 * programs in a machine.
 *
 * System memory is memory of this process, in files shared with the device: what one buffer holds
 * lies together on the bus, so one extent names it. Such memory must stay shared as long as an
 * address space maps it: taking it back under a channel ends the channel.
 *
 * Calls may come from several threads. A child does not inherit the device.
 */
#define _GNU_SOURCE /* memfd_create */
#include "sluice.h"
#include "vfio_user_link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096ull
#define MAX_VECTORS 64
#define MAX_CHANNELS 128 /* what pscnv's mmap offsets can name */
#define MAX_IDS 65536
#define CALL_SECONDS 5 /* a call that takes longer means that the host has stalled */
#define FIRST_IOVA (1ull << 32)
#define MAX_BYTES (1ull << 40) /* pscnv's */
#define NOT_IN_APERTURE (~0ull)
/* Waiters of several threads can share a vector, and one of them takes what another waits for. */
#define LOOK_MS 50

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
	struct vfio_user_region calls, vram, control;
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

static struct device *device_of(struct sluice_dev *dev)
{
	return dev->state;
}

/* ---- calls to the host ------------------------------------------------------------------------- */

static bool wait_vector(struct device *d, uint32_t vector, int timeout_ms)
{
	struct pollfd fd = { .fd = d->vector[vector], .events = POLLIN };
	uint64_t count;

	if (poll(&fd, 1, timeout_ms) <= 0)
		return false;
	return read(fd.fd, &count, sizeof(count)) == sizeof(count);
}

/* With the lock held, so that one slot is enough. args gets the results if the call succeeds. */
static int call(struct device *d, uint32_t number, void *args, size_t bytes)
{
	struct sluice_slot *slot = (struct sluice_slot *)(d->call_bar + SLUICE_BAR1_SLOTS);
	uint32_t seq = slot->seq + 1 ? slot->seq + 1 : 1;
	int second, ret;

	if (d->dead)
		return -EIO;
	memset(slot->args, 0, sizeof(slot->args));
	memcpy(slot->args, args, bytes);
	slot->command = number;
	__atomic_store_n(&slot->seq, seq, __ATOMIC_RELEASE);
	for (second = 0; second < CALL_SECONDS; second++) {
		ret = vfio_user_write32(&d->link, SLUICE_BAR_REGISTERS, SLUICE_REG_CALL, 0);
		if (ret)
			break;
		while (__atomic_load_n(&slot->done_seq, __ATOMIC_ACQUIRE) != seq)
			if (!wait_vector(d, 0, 1000))
				break;
		if (__atomic_load_n(&slot->done_seq, __ATOMIC_ACQUIRE) == seq) {
			if (slot->status != SLUICE_STATUS_OK)
				return -(int)(slot->status & ~SLUICE_STATUS_ERROR);
			memcpy(args, slot->args, bytes);
			return 0;
		}
	}
	d->dead = true;
	return -EIO;
}

static int free_call(struct device *d, uint32_t number, uint32_t handle)
{
	struct sluice_handle args = { .handle = handle };

	return call(d, number, &args, sizeof(args));
}

static int getparam(struct device *d, struct drm_pscnv_getparam *req)
{
	struct sluice_get_param args = { .param = req->param };
	int ret = call(d, SLUICE_CALL_GET_PARAM, &args, sizeof(args));

	if (ret == 0)
		req->value = args.value;
	return ret;
}

/* ---- buffers ----------------------------------------------------------------------------------- */

/* Memory of this process that the device reaches at *iova. Returns its file, or a negative errno. */
static int share(struct device *d, uint64_t bytes, uint64_t *iova)
{
	int fd = memfd_create("sluice", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int ret;

	if (fd < 0)
		return -errno;
	if (ftruncate(fd, (off_t)bytes) ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
		ret = -errno;
		close(fd);
		return ret;
	}
	*iova = d->next_iova;
	ret = vfio_user_dma_map(&d->link, fd, *iova, bytes);
	if (ret) {
		close(fd);
		return ret;
	}
	d->next_iova += bytes;
	return fd;
}

static struct buffer *buffer_of(struct device *d, uint32_t handle)
{
	return handle < d->num_handles ? d->buffers[handle] : NULL;
}

static void buffer_put(struct device *d, struct buffer *b)
{
	if (--b->users)
		return;
	if (b->fd >= 0) {
		vfio_user_dma_unmap(&d->link, b->place, b->info.size);
		close(b->fd);
	}
	free(b);
}

static bool is_sysram(uint32_t flags)
{
	return flags & PSCNV_GEM_SYSRAM_SNOOP; /* with or without snooping */
}

static int fill_sysram(struct device *d, struct buffer *b)
{
	struct sluice_mem_register reg = {
		.flags = b->info.flags, .cookie = b->info.cookie, .size = b->info.size
	};
	struct sluice_mem_pages pages = { .count = 1, .list_iova = d->list_iova };
	int ret;

	b->fd = share(d, b->info.size, &b->place);
	if (b->fd < 0)
		return b->fd;
	ret = call(d, SLUICE_CALL_MEM_REGISTER, &reg, sizeof(reg));
	if (ret)
		return ret;
	b->info.handle = reg.handle;
	pages.handle = reg.handle;
	d->list[0] = (struct sluice_extent){ .iova = b->place, .bytes = b->info.size };
	return call(d, SLUICE_CALL_MEM_PAGES, &pages, sizeof(pages));
}

static int fill_vram(struct device *d, struct buffer *b)
{
	struct sluice_mem_alloc args = {
		.flags = b->info.flags, .tile_flags = b->info.tile_flags,
		.cookie = b->info.cookie, .size = b->info.size,
	};
	int ret = call(d, SLUICE_CALL_MEM_ALLOC, &args, sizeof(args));

	b->info.handle = args.handle;
	b->info.size = args.size;
	b->place = args.aperture_offset;
	return ret;
}

static int gem_new(struct device *d, struct drm_pscnv_gem_info *req)
{
	struct buffer *b;
	int ret;

	if (req->size == 0 || req->size >= MAX_BYTES)
		return -ENOMEM;
	b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	*b = (struct buffer){ .info = *req, .fd = -1, .users = 1 };
	b->info.handle = 0;
	b->info.size = (req->size + PAGE - 1) & ~(PAGE - 1);
	ret = is_sysram(req->flags) ? fill_sysram(d, b) : fill_vram(d, b);
	if (ret == 0 && (b->info.handle == 0 || b->info.handle >= d->num_handles))
		ret = -EIO;
	if (ret) {
		if (b->info.handle)
			free_call(d, SLUICE_CALL_MEM_FREE, b->info.handle);
		buffer_put(d, b);
		return ret == -EIO ? ret : -ENOMEM; /* pscnv's only error */
	}
	b->info.map_handle = (uint64_t)b->info.handle << PSCNV_MAP_BUFFER_SHIFT;
	d->buffers[b->info.handle] = b;
	*req = b->info;
	return 0;
}

static int gem_info(struct device *d, struct drm_pscnv_gem_info *req)
{
	struct buffer *b = buffer_of(d, req->handle);

	if (!b)
		return -EBADF;
	*req = b->info;
	return 0;
}

static int gem_close(struct device *d, const struct drm_gem_close *req)
{
	struct buffer *b = buffer_of(d, req->handle);
	int ret;

	if (!b)
		return -EINVAL;
	ret = free_call(d, SLUICE_CALL_MEM_FREE, req->handle);
	if (ret)
		return ret;
	d->buffers[req->handle] = NULL;
	buffer_put(d, b);
	return 0;
}

/* ---- address spaces ---------------------------------------------------------------------------- */

static struct space *space_of(struct device *d, uint32_t vid)
{
	return vid < d->num_spaces ? d->spaces[vid] : NULL;
}

static int vspace_new(struct device *d, struct drm_pscnv_vspace_req *req)
{
	struct space *space = calloc(1, sizeof(*space));
	struct sluice_handle args = { 0 };
	int ret;

	if (!space)
		return -ENOMEM;
	ret = call(d, SLUICE_CALL_VSPACE_NEW, &args, sizeof(args));
	if (ret == 0 && (args.handle == 0 || args.handle >= d->num_spaces))
		ret = -EIO;
	if (ret) {
		free(space);
		return ret;
	}
	space->users = 1;
	d->spaces[args.handle] = space;
	req->vid = args.handle;
	return 0;
}

/* The host frees an address space with its last user, and then what it mapped is nobody's. */
static void space_put(struct device *d, struct space *space)
{
	struct mapping **at = &d->mappings;

	if (--space->users)
		return;
	while (*at) {
		struct mapping *m = *at;

		if (m->space != space) {
			at = &m->next;
			continue;
		}
		*at = m->next;
		buffer_put(d, m->buffer);
		free(m);
	}
	free(space);
}

static int vspace_free(struct device *d, const struct drm_pscnv_vspace_req *req)
{
	struct space *space = space_of(d, req->vid);
	int ret;

	if (!space)
		return -ENOENT;
	ret = free_call(d, SLUICE_CALL_VSPACE_FREE, req->vid);
	if (ret)
		return ret;
	d->spaces[req->vid] = NULL;
	space_put(d, space);
	return 0;
}

static int vspace_map(struct device *d, struct drm_pscnv_vspace_map *req)
{
	struct sluice_vspace_map args = {
		.vid = req->vid, .handle = req->handle, .back = req->back != 0,
		.start = req->start, .end = req->end,
	};
	struct space *space = space_of(d, req->vid);
	struct buffer *b = buffer_of(d, req->handle);
	struct mapping *m;
	int ret;

	if (!space)
		return -ENOENT;
	if (!b)
		return -EBADF;
	if (req->start >= req->end || req->end - req->start < b->info.size)
		return -ENOMEM;
	m = calloc(1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	ret = call(d, SLUICE_CALL_VSPACE_MAP, &args, sizeof(args));
	if (ret) {
		free(m);
		return ret;
	}
	*m = (struct mapping){
		.next = d->mappings, .buffer = b, .space = space, .address = args.offset
	};
	d->mappings = m;
	b->users++;
	req->offset = args.offset;
	return 0;
}

static int vspace_unmap(struct device *d, const struct drm_pscnv_vspace_unmap *req)
{
	struct sluice_vspace_unmap args = { .vid = req->vid, .offset = req->offset };
	struct space *space = space_of(d, req->vid);
	struct mapping **at = &d->mappings;
	struct mapping *m;
	int ret;

	if (!space)
		return -ENOENT;
	while (*at && ((*at)->space != space ||
		       req->offset - (*at)->address >= (*at)->buffer->info.size))
		at = &(*at)->next;
	m = *at;
	if (!m)
		return -ENOENT;
	ret = call(d, SLUICE_CALL_VSPACE_UNMAP, &args, sizeof(args));
	if (ret)
		return ret;
	*at = m->next;
	buffer_put(d, m->buffer);
	free(m);
	return 0;
}

/* ---- channels ---------------------------------------------------------------------------------- */

static bool has_channel(struct device *d, uint32_t cid)
{
	return cid < d->num_channels && d->channels[cid].space;
}

static int chan_new(struct device *d, struct drm_pscnv_chan_new *req)
{
	struct sluice_chan_new args = { .vid = req->vid };
	struct space *space = space_of(d, req->vid);
	int ret;

	if (!space)
		return -ENOENT;
	ret = call(d, SLUICE_CALL_CHAN_NEW, &args, sizeof(args));
	if (ret)
		return ret;
	if (args.cid == 0 || args.cid >= d->num_channels)
		return -EIO;
	d->channels[args.cid] = (struct channel){ .space = space };
	space->users++;
	req->cid = args.cid;
	req->map_handle = PSCNV_MAP_CHANNEL | (uint64_t)args.cid << PSCNV_MAP_CHANNEL_SHIFT;
	return 0;
}

static int chan_free(struct device *d, const struct drm_pscnv_chan_free *req)
{
	int ret;

	if (!has_channel(d, req->cid))
		return -ENOENT;
	ret = free_call(d, SLUICE_CALL_CHAN_FREE, req->cid);
	if (ret)
		return ret;
	space_put(d, d->channels[req->cid].space);
	d->channels[req->cid].space = NULL;
	return 0;
}

static int obj_eng_new(struct device *d, const struct drm_pscnv_obj_eng_new *req)
{
	struct sluice_obj_eng_new args = {
		.cid = req->cid, .handle = req->handle, .oclass = req->oclass, .flags = req->flags
	};

	return has_channel(d, req->cid) ? call(d, SLUICE_CALL_OBJ_ENG_NEW, &args, sizeof(args)) :
					  -ENOENT;
}

static int fifo_init_ib(struct device *d, const struct drm_pscnv_fifo_init_ib *req)
{
	struct sluice_fifo_init_ib args = {
		.cid = req->cid, .slimask = req->slimask,
		.ib_order = req->ib_order, .ib_start = req->ib_start,
	};

	return has_channel(d, req->cid) ? call(d, SLUICE_CALL_FIFO_INIT_IB, &args, sizeof(args)) :
					  -ENOENT;
}

/* ---- waiting ----------------------------------------------------------------------------------- */

/* With the lock held: takes the pending bits of all channels. */
static void collect(struct device *d)
{
	uint32_t *word = (uint32_t *)(d->call_bar + SLUICE_BAR1_PENDING);
	uint32_t i, bits;

	for (i = 0; i < d->num_channels; i += 32)
		for (bits = __atomic_exchange_n(&word[i / 32], 0, __ATOMIC_ACQ_REL); bits;
		     bits &= bits - 1)
			d->channels[i + (uint32_t)__builtin_ctz(bits)].interrupts++;
}

/* With the lock held. What the channel says of itself, or the host if its page is not to be believed. */
static int state_read(struct device *d, struct drm_sluice_chan_wait *req)
{
	const struct sluice_control *control = (const struct sluice_control *)(
		d->control_bar + req->cid * PAGE + SLUICE_CONTROL_OFFSET);
	struct sluice_chan_query args = { .cid = req->cid };
	int ret;

	if (__atomic_load_n(&control->generation, __ATOMIC_ACQUIRE)) {
		req->state = control->state;
		req->reason = control->error;
		req->info = control->error_info;
		req->address = control->error_address;
		return 0;
	}
	ret = call(d, SLUICE_CALL_CHAN_QUERY, &args, sizeof(args));
	req->state = args.state;
	req->reason = args.reason;
	req->info = args.info;
	req->address = args.address;
	return ret;
}

static int look(struct device *d, struct drm_sluice_chan_wait *req, bool *happened)
{
	int ret = -ENOENT;

	pthread_mutex_lock(&d->lock);
	if (has_channel(d, req->cid)) {
		collect(d);
		ret = state_read(d, req);
		*happened = req->seen != d->channels[req->cid].interrupts ||
			    req->state == SLUICE_CHANNEL_DEAD;
		if (*happened)
			req->seen = d->channels[req->cid].interrupts;
	}
	pthread_mutex_unlock(&d->lock);
	return ret;
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Without the lock while it sleeps. */
static int chan_wait(struct device *d, struct drm_sluice_chan_wait *req)
{
	uint64_t end = req->timeout_ms == ~0u ? ~0ull : now_ms() + req->timeout_ms;
	bool happened = false;
	uint64_t now;
	int ret;

	if (req->flags || req->pad)
		return -EINVAL;
	for (;;) {
		ret = look(d, req, &happened);
		now = now_ms();
		if (ret || happened || now >= end)
			break;
		wait_vector(d, 1 + req->cid % (d->num_vectors - 1),
			    end - now < LOOK_MS ? (int)(end - now) : LOOK_MS);
	}
	if (req->timeout_ms != ~0u)
		req->timeout_ms = end > now ? (uint32_t)(end - now) : 0;
	return ret || happened ? ret : -ETIME;
}

/* ---- the transport ----------------------------------------------------------------------------- */

static int dispatch(struct device *d, unsigned long request, void *arg)
{
	switch (request) {
	case DRM_IOCTL_PSCNV_GETPARAM: return getparam(d, arg);
	case DRM_IOCTL_PSCNV_GEM_NEW: return gem_new(d, arg);
	case DRM_IOCTL_PSCNV_GEM_INFO: return gem_info(d, arg);
	case DRM_IOCTL_GEM_CLOSE: return gem_close(d, arg);
	case DRM_IOCTL_PSCNV_VSPACE_NEW: return vspace_new(d, arg);
	case DRM_IOCTL_PSCNV_VSPACE_FREE: return vspace_free(d, arg);
	case DRM_IOCTL_PSCNV_VSPACE_MAP: return vspace_map(d, arg);
	case DRM_IOCTL_PSCNV_VSPACE_UNMAP: return vspace_unmap(d, arg);
	case DRM_IOCTL_PSCNV_CHAN_NEW: return chan_new(d, arg);
	case DRM_IOCTL_PSCNV_CHAN_FREE: return chan_free(d, arg);
	case DRM_IOCTL_PSCNV_OBJ_VDMA_NEW: return -ENOSYS;
	case DRM_IOCTL_PSCNV_FIFO_INIT: return -ENODEV;
	case DRM_IOCTL_PSCNV_OBJ_ENG_NEW: return obj_eng_new(d, arg);
	case DRM_IOCTL_PSCNV_FIFO_INIT_IB: return fifo_init_ib(d, arg);
	default: return -EINVAL;
	}
}

static int process_ioctl(struct sluice_dev *dev, unsigned long request, void *arg)
{
	struct device *d = device_of(dev);
	int ret;

	if (request == DRM_IOCTL_SLUICE_CHAN_WAIT)
		return chan_wait(d, arg);
	pthread_mutex_lock(&d->lock);
	ret = dispatch(d, request, arg);
	pthread_mutex_unlock(&d->lock);
	return ret;
}

/* The file, the place in it and the most that may be mapped of what pscnv's offset names. */
static int locate(struct device *d, uint64_t offset, uint64_t size, int *fd, uint64_t *at)
{
	uint32_t handle = (uint32_t)(offset >> PSCNV_MAP_BUFFER_SHIFT);
	uint32_t cid = (uint32_t)(offset & PSCNV_MAP_CHANNEL_MASK) >> PSCNV_MAP_CHANNEL_SHIFT;
	struct buffer *b;

	if (handle == 0) {
		if ((offset & ~(uint64_t)PSCNV_MAP_CHANNEL_MASK) != PSCNV_MAP_CHANNEL || size > PAGE)
			return -EINVAL;
		*fd = d->control.fd;
		*at = d->control.offset + cid * PAGE;
		return has_channel(d, cid) ? 0 : -ENOENT;
	}
	b = buffer_of(d, handle);
	if (!b)
		return -ENOENT;
	if (size > b->info.size || (b->fd < 0 && (b->place == NOT_IN_APERTURE || d->vram.fd < 0)))
		return -EINVAL;
	*fd = b->fd < 0 ? d->vram.fd : b->fd;
	*at = b->fd < 0 ? d->vram.offset + b->place : 0;
	return 0;
}

static int process_map(struct sluice_dev *dev, uint64_t offset, uint64_t size, void **map)
{
	struct device *d = device_of(dev);
	void *memory = MAP_FAILED;
	uint64_t at;
	int fd, ret;

	pthread_mutex_lock(&d->lock);
	ret = locate(d, offset, size, &fd, &at);
	if (ret == 0) {
		memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);
		ret = memory == MAP_FAILED ? -errno : 0;
	}
	pthread_mutex_unlock(&d->lock);
	if (ret == 0)
		*map = memory;
	return ret;
}

static void process_unmap(struct sluice_dev *dev, void *map, uint64_t size)
{
	(void)dev;
	munmap(map, size);
}

static int registers_init(struct device *d)
{
	uint32_t value[6];
	static const uint32_t registers[6] = {
		SLUICE_REG_MAGIC, SLUICE_REG_VERSION, SLUICE_REG_NUM_VECTORS,
		SLUICE_REG_NUM_CHANNELS, SLUICE_REG_MAX_VSPACES, SLUICE_REG_MAX_MEMORY,
	};
	int i, ret;

	for (i = 0; i < 6; i++) {
		ret = vfio_user_read32(&d->link, SLUICE_BAR_REGISTERS, registers[i], &value[i]);
		if (ret)
			return ret;
	}
	if (value[0] != SLUICE_MAGIC || value[1] >> 16 != SLUICE_ABI_MAJOR)
		return -ENODEV;
	d->num_vectors = value[2];
	d->num_channels = value[3];
	d->num_spaces = value[4];
	d->num_handles = value[5];
	if (d->num_vectors < 2 || d->num_vectors > MAX_VECTORS || d->num_channels > MAX_CHANNELS ||
	    d->num_spaces > MAX_IDS || d->num_handles > MAX_IDS)
		return -ENODEV;
	d->spaces = calloc(d->num_spaces, sizeof(struct space *));
	d->buffers = calloc(d->num_handles, sizeof(struct buffer *));
	return d->spaces && d->buffers ? 0 : -ENOMEM;
}

static int map_bar(struct device *d, uint32_t index, uint64_t bytes,
		   struct vfio_user_region *region, char **bar)
{
	int ret = vfio_user_region(&d->link, index, region);
	void *map;

	if (ret)
		return ret;
	if (region->fd < 0 || region->size < bytes)
		return -ENODEV;
	map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, region->fd,
		   (off_t)region->offset);
	if (map == MAP_FAILED)
		return -errno;
	*bar = map;
	return 0;
}

static int vectors_init(struct device *d)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; i < d->num_vectors && ret == 0; i++) {
		d->vector[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		ret = d->vector[i] < 0 ? -errno : vfio_user_vector(&d->link, i, d->vector[i]);
	}
	return ret;
}

static int list_init(struct device *d)
{
	int fd = share(d, PAGE, &d->list_iova);
	void *map;

	if (fd < 0)
		return fd;
	map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return -errno;
	d->list = map;
	return 0;
}

static int process_open(struct sluice_dev *dev, const char *path)
{
	struct device *d = calloc(1, sizeof(*d));
	int i, ret;

	if (!d)
		return -ENOMEM;
	dev->state = d;
	pthread_mutex_init(&d->lock, NULL);
	d->link.socket = d->calls.fd = d->vram.fd = d->control.fd = -1;
	for (i = 0; i < MAX_VECTORS; i++)
		d->vector[i] = -1;
	d->next_iova = FIRST_IOVA;
	ret = vfio_user_connect(&d->link, path);
	if (ret == 0)
		ret = registers_init(d);
	if (ret == 0)
		ret = map_bar(d, SLUICE_BAR_CALLS, SLUICE_BAR1_SIZE, &d->calls, &d->call_bar);
	if (ret == 0)
		ret = map_bar(d, SLUICE_BAR_CONTROL, d->num_channels * PAGE, &d->control,
			      &d->control_bar);
	if (ret == 0)
		ret = vfio_user_region(&d->link, SLUICE_BAR_VRAM, &d->vram);
	if (ret == 0)
		ret = vectors_init(d);
	return ret ? ret : list_init(d);
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

/*
 * The host frees what this process held when it sees that the connection has ended; the requests
 * that would take memory back fail at once.
 */
static void tables_free(struct device *d)
{
	uint32_t i;

	for (i = 0; i < MAX_CHANNELS; i++)
		if (d->channels[i].space)
			space_put(d, d->channels[i].space);
	for (i = 0; d->spaces && i < d->num_spaces; i++)
		if (d->spaces[i])
			space_put(d, d->spaces[i]);
	for (i = 0; d->buffers && i < d->num_handles; i++)
		if (d->buffers[i])
			buffer_put(d, d->buffers[i]);
	free(d->spaces);
	free(d->buffers);
}

static void process_close(struct sluice_dev *dev)
{
	struct device *d = device_of(dev);
	uint32_t i;

	if (!d)
		return;
	close_fd(d->link.socket);
	d->link.socket = -1;
	tables_free(d);
	for (i = 0; i < MAX_VECTORS; i++)
		close_fd(d->vector[i]);
	if (d->call_bar)
		munmap(d->call_bar, SLUICE_BAR1_SIZE);
	if (d->control_bar)
		munmap(d->control_bar, d->num_channels * PAGE);
	if (d->list)
		munmap(d->list, PAGE);
	close_fd(d->calls.fd);
	close_fd(d->control.fd);
	close_fd(d->vram.fd);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

const struct sluice_transport sluice_transport_vfio_user = {
	.name = "vfio-user",
	.open = process_open,
	.ioctl = process_ioctl,
	.map = process_map,
	.unmap = process_unmap,
	.close = process_close,
};
