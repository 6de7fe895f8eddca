// SPDX-License-Identifier: GPL-2.0-only
/*
 * Access to GPU memory by the processor: the calls that only Gdev's pscnv has. They name memory by
 * an address space and a GPU address there, or by a buffer.
 */
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_vma_manager.h>

#include "sluice.h"

/* ---- what a call names ----------------------------------------------------------------------- */

struct named {
	struct sluice_vspace *vs;
	struct drm_gem_object *obj;
};

static int named_get(struct drm_device *dev, struct drm_file *file, u32 vid, u32 handle,
		     struct named *named)
{
	named->vs = sluice_vspace_find(to_sluice(dev), file, vid);
	if (!named->vs)
		return -ENOENT;
	named->obj = drm_gem_object_lookup(file, handle);
	if (named->obj)
		return 0;
	sluice_vspace_put(named->vs);
	return -EBADF;
}

static void named_put(struct named *named)
{
	drm_gem_object_put(named->obj);
	sluice_vspace_put(named->vs);
}

/* ---- reading and writing --------------------------------------------------------------------- */

/* A word stays whole, so that programs can use it to synchronise. */
static void copy(void *to, const void *from, size_t size)
{
	if (size == sizeof(u32) && IS_ALIGNED((unsigned long)to | (unsigned long)from, sizeof(u32)))
		WRITE_ONCE(*(u32 *)to, READ_ONCE(*(const u32 *)from));
	else
		memcpy(to, from, size);
}

/* In one direction or the other, within a page of the buffer. */
static int page_copy(struct sluice_bo *bo, u64 offset, void *buffer, size_t size, bool write)
{
	struct sluice_device *sd = to_sluice(bo->base.dev);
	void *page = NULL;
	void *memory;
	int cookie;
	int ret = 0;

	if (!drm_dev_enter(&sd->drm, &cookie))
		return -ENODEV;
	down_read(&sd->revoke);
	if (bo->pages) {
		page = kmap_local_page(bo->pages->page[offset >> PAGE_SHIFT]);
		memory = page + offset_in_page(offset);
	} else if (bo->aperture_offset == SLUICE_NOT_IN_APERTURE) {
		ret = -EINVAL;
	} else if (!sluice_current(sd, bo->epoch)) {
		ret = -EIO;
	} else {
		memory = sd->vram + bo->aperture_offset + offset;
	}
	if (ret == 0)
		copy(write ? memory : buffer, write ? buffer : memory, size);
	if (page)
		kunmap_local(page);
	up_read(&sd->revoke);
	drm_dev_exit(cookie);
	return ret;
}

/* Page by page, since what is contiguous to the GPU may be several buffers. */
static int range_copy(struct sluice_vspace *vs, u64 address, void *buffer, size_t size, bool write)
{
	u64 end;

	if (check_add_overflow(address, size, &end))
		return -EFAULT;
	while (address < end) {
		size_t bytes = min_t(u64, end - address, PAGE_SIZE - offset_in_page(address));
		struct sluice_bo *bo;
		u64 offset;
		int ret;

		bo = sluice_vspace_lookup(vs, address, &offset);
		if (!bo)
			return -EFAULT;
		ret = page_copy(bo, offset, buffer, bytes, write);
		drm_gem_object_put(&bo->base);
		if (ret)
			return ret;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
		address += bytes;
		buffer += bytes;
	}
	return 0;
}

static int rw32(struct drm_device *dev, struct drm_file *file, struct drm_pscnv_vm_rw32 *req,
		bool write)
{
	struct named named;
	int ret;

	ret = named_get(dev, file, req->vid, req->handle, &named);
	if (ret)
		return ret;
	ret = range_copy(named.vs, req->addr, &req->val, sizeof(req->val), write);
	named_put(&named);
	return ret;
}

int sluice_vm_read32_ioctl(struct drm_device *dev, void *data, struct drm_file *file)
{
	return rw32(dev, file, data, false);
}

int sluice_vm_write32_ioctl(struct drm_device *dev, void *data, struct drm_file *file)
{
	return rw32(dev, file, data, true);
}

static int range_read(struct sluice_vspace *vs, const struct drm_pscnv_vm_rw *req)
{
	void *buffer = kvmalloc(req->size, GFP_KERNEL);
	int ret;

	if (!buffer)
		return -ENOMEM;
	ret = range_copy(vs, req->addr, buffer, req->size, false);
	if (ret == 0 && copy_to_user(u64_to_user_ptr(req->buf_rd), buffer, req->size))
		ret = -EFAULT;
	kvfree(buffer);
	return ret;
}

static int range_write(struct sluice_vspace *vs, const struct drm_pscnv_vm_rw *req)
{
	void *buffer = vmemdup_user(u64_to_user_ptr(req->buf_wr), req->size);
	int ret;

	if (IS_ERR(buffer))
		return PTR_ERR(buffer);
	ret = range_copy(vs, req->addr, buffer, req->size, true);
	kvfree(buffer);
	return ret;
}

static int rw(struct drm_device *dev, struct drm_file *file, const struct drm_pscnv_vm_rw *req,
	      bool write)
{
	struct named named;
	int ret;

	ret = named_get(dev, file, req->vid, req->handle, &named);
	if (ret)
		return ret;
	if (req->size > PSCNV_MAX_RW_BYTES)
		ret = -ENOMEM; /* what pscnv cannot allocate */
	else if (req->size)
		ret = write ? range_write(named.vs, req) : range_read(named.vs, req);
	named_put(&named);
	return ret;
}

int sluice_vm_read_ioctl(struct drm_device *dev, void *data, struct drm_file *file)
{
	return rw(dev, file, data, false);
}

int sluice_vm_write_ioctl(struct drm_device *dev, void *data, struct drm_file *file)
{
	return rw(dev, file, data, true);
}

/* ---- buffers --------------------------------------------------------------------------------- */

static bool can_be_mapped(const struct sluice_bo *bo)
{
	return bo->pages || bo->aperture_offset != SLUICE_NOT_IN_APERTURE;
}

int sluice_vm_map_ioctl(struct drm_device *dev, void *data, struct drm_file *file)
{
	struct drm_pscnv_vm_map *req = data;
	struct named named;
	int ret;

	ret = named_get(dev, file, req->vid, req->handle, &named);
	if (ret)
		return ret;
	if (can_be_mapped(to_sluice_bo(named.obj))) {
		WRITE_ONCE(to_sluice_bo(named.obj)->mappable, true);
		req->map_handle = (u64)req->handle << PSCNV_MAP_BUFFER_SHIFT;
	} else {
		ret = -ENOMEM; /* as when pscnv's BAR 1 is full */
	}
	named_put(&named);
	return ret;
}

int sluice_vm_unmap_ioctl(struct drm_device *dev, void *data, struct drm_file *file)
{
	struct drm_pscnv_vm_map *req = data;
	struct named named;
	int ret;

	ret = named_get(dev, file, req->vid, req->handle, &named);
	if (ret)
		return ret;
	WRITE_ONCE(to_sluice_bo(named.obj)->mappable, false);
	drm_vma_node_unmap(&named.obj->vma_node, dev->anon_inode->i_mapping);
	named_put(&named);
	return 0;
}

static int bus_address(struct sluice_device *sd, struct sluice_bo *bo, u64 offset, u64 *address)
{
	if (offset >= bo->base.size)
		return -EINVAL;
	if (bo->pages)
		return sluice_pages_dma_address(sd, bo->pages, offset, address);
	if (bo->aperture_offset == SLUICE_NOT_IN_APERTURE)
		return -EINVAL;
	*address = sd->vram_base + bo->aperture_offset + offset;
	return 0;
}

int sluice_phys_getaddr_ioctl(struct drm_device *dev, void *data, struct drm_file *file)
{
	struct drm_pscnv_phys_getaddr *req = data;
	struct named named;
	int ret;

	ret = named_get(dev, file, req->vid, req->handle, &named);
	if (ret)
		return ret;
	ret = bus_address(to_sluice(dev), to_sluice_bo(named.obj), req->offset, &req->phys);
	named_put(&named);
	return ret;
}
