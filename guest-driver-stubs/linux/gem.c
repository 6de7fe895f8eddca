// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers. Video memory is a range of BAR 2, system memory is pinned shmem of this machine. Both
 * are mapped into processes by faults, so that what is mapped can be taken away again.
 */
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_vma_manager.h>

#include "sluice.h"

#define MAX_BYTES BIT_ULL(40) /* pscnv's */

/*
 * Pages mapped by one fault: enough to make a walk through a buffer cheap, few for a single word.
 */
#define FAULT_AROUND 32

static bool is_sysram(u32 flags)
{
	u32 type = flags & PSCNV_GEM_MEMTYPE_MASK;

	return type == PSCNV_GEM_SYSRAM_SNOOP || type == PSCNV_GEM_SYSRAM_NOSNOOP;
}

/* ---- mapping into a process ------------------------------------------------------------------ */

static unsigned long bo_pfn(struct sluice_device *sd, struct sluice_bo *bo, pgoff_t page)
{
	if (bo->pages)
		return page_to_pfn(bo->pages->page[page]);
	return PHYS_PFN(sd->vram_base + bo->aperture_offset) + page;
}

static vm_fault_t fault_around(struct vm_fault *vmf, struct sluice_device *sd, struct sluice_bo *bo)
{
	struct vm_area_struct *vma = vmf->vma;
	pgoff_t page = vmf->pgoff - drm_vma_node_start(&bo->base.vma_node);
	unsigned long address = vmf->address;
	pgoff_t end = page + min_t(pgoff_t, FAULT_AROUND, (vma->vm_end - address) >> PAGE_SHIFT);
	vm_fault_t ret;

	if (page >= bo->base.size >> PAGE_SHIFT)
		return VM_FAULT_SIGBUS;
	end = min_t(pgoff_t, end, bo->base.size >> PAGE_SHIFT);
	ret = vmf_insert_pfn(vma, address, bo_pfn(sd, bo, page));
	/* What comes after the page that was asked for may fail: it will be asked for itself. */
	while (ret == VM_FAULT_NOPAGE && ++page < end) {
		address += PAGE_SIZE;
		if (vmf_insert_pfn(vma, address, bo_pfn(sd, bo, page)) != VM_FAULT_NOPAGE)
			break;
	}
	return ret;
}

/*
 * Video memory of a former epoch belongs to somebody else now; system memory stays the program's.
 */
static vm_fault_t gem_fault(struct vm_fault *vmf)
{
	struct sluice_bo *bo = to_sluice_bo(vmf->vma->vm_private_data);
	struct sluice_device *sd = to_sluice(bo->base.dev);
	vm_fault_t ret = VM_FAULT_SIGBUS;
	int cookie;

	if (bo->pages)
		return fault_around(vmf, sd, bo);
	if (!drm_dev_enter(&sd->drm, &cookie))
		return VM_FAULT_SIGBUS;
	down_read(&sd->revoke);
	if (sluice_current(sd, bo->epoch))
		ret = fault_around(vmf, sd, bo);
	up_read(&sd->revoke);
	drm_dev_exit(cookie);
	return ret;
}

static const struct vm_operations_struct gem_vm_ops = {
	.fault = gem_fault,
	.open = drm_gem_vm_open,
	.close = drm_gem_vm_close,
};

/*
 * pscnv's offset names the buffer by a handle of the file. The mapping is moved to the object's own
 * offset, so that all mappings of one object, of whatever file, lie in one place and can be found.
 */
int sluice_gem_mmap(struct drm_file *file, struct vm_area_struct *vma, u32 handle)
{
	struct drm_gem_object *obj = drm_gem_object_lookup(file, handle);
	struct sluice_bo *bo;

	if (!obj)
		return -ENOENT;
	bo = to_sluice_bo(obj);
	if (vma->vm_end - vma->vm_start > obj->size ||
	    (!bo->pages && bo->aperture_offset == SLUICE_NOT_IN_APERTURE)) {
		drm_gem_object_put(obj);
		return -EINVAL;
	}
	vma->vm_pgoff = drm_vma_node_start(&obj->vma_node);
	vm_flags_set(vma, VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP | (bo->pages ? 0 : VM_IO));
	vma->vm_ops = &gem_vm_ops;
	vma->vm_private_data = obj; /* with the reference */
	return 0;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void gem_free(struct drm_gem_object *obj)
{
	struct sluice_bo *bo = to_sluice_bo(obj);
	struct sluice_device *sd = to_sluice(obj->dev);

	if (bo->handle &&
	    !sluice_give_back(sd, bo->epoch, SLUICE_CALL_MEM_FREE, bo->handle))
		bo->held_by_host = true;
	/* An address space that was not given back may have been by a reset since. */
	if (!sluice_current(sd, bo->epoch))
		bo->held_by_host = false;
	if (bo->pages && bo->held_by_host) {
		drm_gem_free_mmap_offset(obj); /* nobody can map it any more */
		if (sluice_pages_quarantine(sd, bo->pages, bo->epoch))
			return;
	}
	if (bo->pages)
		sluice_pages_put(sd, bo->pages);
	sluice_bo_release(bo);
}

/* Frees a buffer whose pages are let go of. */
void sluice_bo_release(struct sluice_bo *bo)
{
	struct drm_gem_object *obj = &bo->base;
	struct sluice_device *sd = to_sluice(obj->dev);

	if (bo->handle && !bo->pages)
		atomic_dec(&sd->video_buffers);
	if (bo->pinner)
		sluice_uncharge(sd, bo->pinner, SLUICE_PINNED_BYTES, obj->size);
	sluice_uncharge(sd, bo->holder, SLUICE_BUFFERS, 1);
	drm_gem_object_release(obj);
	kfree(bo);
}

/*
 * A dma-buf could be given to devices and mapped in ways this driver does not know; pscnv has
 * none.
 */
static struct dma_buf *gem_export(struct drm_gem_object *obj, int flags)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static const struct drm_gem_object_funcs gem_funcs = {
	.free = gem_free,
	.export = gem_export,
	.vm_ops = &gem_vm_ops,
};

static int bo_fill_vram(struct sluice_device *sd, struct sluice_bo *bo, u64 size)
{
	struct sluice_mem_alloc args = {
		.flags = bo->flags,
		.tile_flags = bo->tile_flags,
		.cookie = bo->cookie,
		.size = size,
	};
	int ret;

	drm_gem_private_object_init(&sd->drm, &bo->base, PAGE_ALIGN(size));
	ret = sluice_call(sd, bo->epoch, SLUICE_CALL_MEM_ALLOC, &args, sizeof(args));
	if (ret)
		return ret;
	bo->handle = args.handle;
	atomic_inc(&sd->video_buffers);
	if (!PAGE_ALIGNED(args.size) || args.size < bo->base.size || args.size > MAX_BYTES)
		return -EPROTO;
	bo->base.size = args.size;
	if (args.aperture_offset == SLUICE_NOT_IN_APERTURE)
		return 0;
	if (!PAGE_ALIGNED(args.aperture_offset) || args.size > sd->vram_bytes ||
	    args.aperture_offset > sd->vram_bytes - args.size)
		return -EPROTO;
	bo->aperture_offset = args.aperture_offset;
	return 0;
}

static int bo_fill_sysram(struct sluice_device *sd, struct sluice_bo *bo, u64 size)
{
	struct sluice_mem_register args = {
		.flags = bo->flags,
		.cookie = bo->cookie,
		.size = PAGE_ALIGN(size),
	};
	struct sluice_user *pinner;
	struct sluice_pages *pages;
	int ret;

	ret = drm_gem_object_init(&sd->drm, &bo->base, args.size);
	if (ret)
		return ret;
	pinner = sluice_charge(sd, SLUICE_PINNED_BYTES, args.size);
	if (IS_ERR(pinner))
		return PTR_ERR(pinner);
	bo->pinner = pinner;
	mapping_set_gfp_mask(bo->base.filp->f_mapping,
			     GFP_HIGHUSER | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	pages = sluice_pages_get(sd, &bo->base);
	if (IS_ERR(pages))
		return PTR_ERR(pages);
	bo->pages = pages;
	ret = sluice_call(sd, bo->epoch, SLUICE_CALL_MEM_REGISTER, &args, sizeof(args));
	if (ret)
		return ret;
	bo->handle = args.handle;
	return sluice_pages_fill(sd, bo->epoch, bo->handle, bo->pages);
}

/* Any error of pscnv's GEM_NEW is ENOMEM, except that the device is gone. */
static int new_errno(int ret)
{
	return ret == -EIO || ret == -ENODEV ? ret : -ENOMEM;
}

static bool info_is_valid(struct sluice_device *sd, const struct drm_pscnv_gem_info *info)
{
	u32 tile = info->tile_flags;

	if (info->size == 0 || info->size >= MAX_BYTES)
		return false;
	if (!is_sysram(info->flags))
		return true; /* the host looks at the rest */
	if (info->size > (u64)totalram_pages() << PAGE_SHIFT)
		return false;
	return (sd->caps & SLUICE_CAP_GUEST_MEMORY) && (tile == 0 || tile == 0xdb || tile == 0xfe);
}

static struct sluice_bo *bo_create(struct sluice_device *sd, const struct drm_pscnv_gem_info *info)
{
	struct sluice_user *holder;
	struct sluice_bo *bo;
	int ret;

	if (!info_is_valid(sd, info))
		return ERR_PTR(-ENOMEM);
	holder = sluice_charge(sd, SLUICE_BUFFERS, 1);
	if (IS_ERR(holder))
		return ERR_CAST(holder);
	bo = kzalloc(sizeof(*bo), GFP_KERNEL_ACCOUNT);
	if (!bo) {
		sluice_uncharge(sd, holder, SLUICE_BUFFERS, 1);
		return ERR_PTR(-ENOMEM);
	}
	bo->holder = holder;
	bo->base.funcs = &gem_funcs;
	bo->epoch = READ_ONCE(sd->epoch);
	bo->aperture_offset = SLUICE_NOT_IN_APERTURE;
	bo->cookie = info->cookie;
	bo->flags = info->flags & ~PSCNV_GEM_MAPPABLE;
	bo->mappable = info->flags & PSCNV_GEM_MAPPABLE;
	bo->tile_flags = info->tile_flags;
	memcpy(bo->user, info->user, sizeof(bo->user));
	ret = is_sysram(bo->flags) ? bo_fill_sysram(sd, bo, info->size) :
				     bo_fill_vram(sd, bo, info->size);
	if (ret == 0)
		ret = drm_gem_create_mmap_offset(&bo->base);
	if (ret) {
		drm_gem_object_put(&bo->base);
		return ERR_PTR(ret);
	}
	return bo;
}

static void info_fill(struct drm_pscnv_gem_info *info, const struct sluice_bo *bo)
{
	info->cookie = bo->cookie;
	info->flags = bo->flags | (READ_ONCE(bo->mappable) ? PSCNV_GEM_MAPPABLE : 0);
	info->tile_flags = bo->tile_flags;
	info->size = bo->base.size;
	info->map_handle = (u64)info->handle << PSCNV_MAP_BUFFER_SHIFT;
	memcpy(info->user, bo->user, sizeof(info->user));
}

int sluice_gem_new_ioctl(struct drm_device *dev, void *data, struct drm_file *file)
{
	struct sluice_device *sd = to_sluice(dev);
	struct drm_pscnv_gem_info *info = data;
	struct sluice_bo *bo;
	int ret, cookie;

	/* The driver leaves the device before this or after it, never amid: it must leave no DMA. */
	if (!drm_dev_enter(dev, &cookie))
		return -ENODEV;
	bo = bo_create(sd, info);
	drm_dev_exit(cookie);
	if (IS_ERR(bo))
		return new_errno(PTR_ERR(bo));
	ret = drm_gem_handle_create(file, &bo->base, &info->handle);
	if (ret == 0)
		info_fill(info, bo);
	drm_gem_object_put(&bo->base); /* the handle has its own */
	return ret ? new_errno(ret) : 0;
}

int sluice_gem_info_ioctl(struct drm_device *dev, void *data, struct drm_file *file)
{
	struct drm_pscnv_gem_info *info = data;
	struct drm_gem_object *obj = drm_gem_object_lookup(file, info->handle);

	if (!obj)
		return -EBADF;
	info_fill(info, to_sluice_bo(obj));
	drm_gem_object_put(obj);
	return 0;
}
