/*
 * Buffers of a plain process: files of its own that the device was given, or places in video memory.
 */
#define _GNU_SOURCE /* memfd_create */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Memory of this process that the device reaches at *iova. Returns its file, or a negative errno. */
int process_share(struct device *d, uint64_t bytes, uint64_t *iova)
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

struct buffer *process_buffer_of(struct device *d, uint32_t handle)
{
	return handle < d->num_handles ? d->buffers[handle] : NULL;
}

void process_buffer_put(struct device *d, struct buffer *b)
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

	b->fd = process_share(d, b->info.size, &b->place);
	if (b->fd < 0)
		return b->fd;
	ret = process_call(d, SLUICE_CALL_MEM_REGISTER, &reg, sizeof(reg));
	if (ret)
		return ret;
	b->info.handle = reg.handle;
	pages.handle = reg.handle;
	d->list[0] = (struct sluice_extent){ .iova = b->place, .bytes = b->info.size };
	return process_call(d, SLUICE_CALL_MEM_PAGES, &pages, sizeof(pages));
}

static int fill_vram(struct device *d, struct buffer *b)
{
	struct sluice_mem_alloc args = {
		.flags = b->info.flags, .tile_flags = b->info.tile_flags,
		.cookie = b->info.cookie, .size = b->info.size,
	};
	int ret = process_call(d, SLUICE_CALL_MEM_ALLOC, &args, sizeof(args));

	b->info.handle = args.handle;
	b->info.size = args.size;
	b->place = args.aperture_offset;
	return ret;
}

int process_gem_new(struct device *d, struct drm_pscnv_gem_info *req)
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
			process_free_call(d, SLUICE_CALL_MEM_FREE, b->info.handle);
		process_buffer_put(d, b);
		return ret == -EIO ? ret : -ENOMEM; /* pscnv's only error */
	}
	b->info.map_handle = (uint64_t)b->info.handle << PSCNV_MAP_BUFFER_SHIFT;
	d->buffers[b->info.handle] = b;
	*req = b->info;
	return 0;
}

int process_gem_info(struct device *d, struct drm_pscnv_gem_info *req)
{
	struct buffer *b = process_buffer_of(d, req->handle);

	if (!b)
		return -EBADF;
	*req = b->info;
	return 0;
}

int process_gem_close(struct device *d, const struct drm_gem_close *req)
{
	struct buffer *b = process_buffer_of(d, req->handle);
	int ret;

	if (!b)
		return -EINVAL;
	ret = process_free_call(d, SLUICE_CALL_MEM_FREE, req->handle);
	if (ret)
		return ret;
	d->buffers[req->handle] = NULL;
	process_buffer_put(d, b);
	return 0;
}
