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
#include "process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#define FIRST_IOVA (1ull << 32)

static struct device *device_of(struct sluice_dev *dev)
{
	return dev->state;
}

static int getparam(struct device *d, struct drm_pscnv_getparam *req)
{
	struct sluice_get_param args = { .param = req->param };
	int ret = process_call(d, SLUICE_CALL_GET_PARAM, &args, sizeof(args));

	if (ret == 0)
		req->value = args.value;
	return ret;
}

/* ---- the transport ----------------------------------------------------------------------------- */

static int dispatch(struct device *d, unsigned long request, void *arg)
{
	switch (request) {
	case DRM_IOCTL_PSCNV_GETPARAM: return getparam(d, arg);
	case DRM_IOCTL_PSCNV_GEM_NEW: return process_gem_new(d, arg);
	case DRM_IOCTL_PSCNV_GEM_INFO: return process_gem_info(d, arg);
	case DRM_IOCTL_GEM_CLOSE: return process_gem_close(d, arg);
	case DRM_IOCTL_PSCNV_VSPACE_NEW: return process_vspace_new(d, arg);
	case DRM_IOCTL_PSCNV_VSPACE_FREE: return process_vspace_free(d, arg);
	case DRM_IOCTL_PSCNV_VSPACE_MAP: return process_vspace_map(d, arg);
	case DRM_IOCTL_PSCNV_VSPACE_UNMAP: return process_vspace_unmap(d, arg);
	case DRM_IOCTL_PSCNV_CHAN_NEW: return process_chan_new(d, arg);
	case DRM_IOCTL_PSCNV_CHAN_FREE: return process_chan_free(d, arg);
	case DRM_IOCTL_PSCNV_OBJ_VDMA_NEW: return -ENOSYS;
	case DRM_IOCTL_PSCNV_FIFO_INIT: return -ENODEV;
	case DRM_IOCTL_PSCNV_OBJ_ENG_NEW: return process_obj_eng_new(d, arg);
	case DRM_IOCTL_PSCNV_FIFO_INIT_IB: return process_fifo_init_ib(d, arg);
	default: return -EINVAL;
	}
}

static int process_ioctl(struct sluice_dev *dev, unsigned long request, void *arg)
{
	struct device *d = device_of(dev);
	int ret;

	if (request == DRM_IOCTL_SLUICE_CHAN_WAIT)
		return process_chan_wait(d, arg);
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

	if (offset == SLUICE_MAP_DOORBELL) {
		if (size > PAGE)
			return -EINVAL;
		*fd = d->doorbell.fd;
		*at = d->doorbell.offset;
		return d->doorbell.fd < 0 ? -ENODEV : 0;
	}
	if (handle == 0) {
		if ((offset & ~(uint64_t)PSCNV_MAP_CHANNEL_MASK) != PSCNV_MAP_CHANNEL || size > PAGE)
			return -EINVAL;
		*fd = d->control.fd;
		*at = d->control.offset + cid * PAGE;
		return process_has_channel(d, cid) ? 0 : -ENOENT;
	}
	b = process_buffer_of(d, handle);
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

static bool process_gone(struct sluice_dev *dev)
{
	return process_is_gone(device_of(dev));
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
	int fd = process_share(d, PAGE, &d->list_iova);
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
	d->link.socket = d->calls.fd = d->vram.fd = d->control.fd = d->doorbell.fd = -1;
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
		ret = vfio_user_region(&d->link, SLUICE_BAR_DOORBELL, &d->doorbell);
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
			process_space_put(d, d->channels[i].space);
	for (i = 0; d->spaces && i < d->num_spaces; i++)
		if (d->spaces[i])
			process_space_put(d, d->spaces[i]);
	for (i = 0; d->buffers && i < d->num_handles; i++)
		if (d->buffers[i])
			process_buffer_put(d, d->buffers[i]);
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
	close_fd(d->doorbell.fd);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

const struct sluice_transport sluice_transport_vfio_user = {
	.name = "vfio-user",
	.open = process_open,
	.ioctl = process_ioctl,
	.map = process_map,
	.unmap = process_unmap,
	.gone = process_gone,
	.close = process_close,
};
