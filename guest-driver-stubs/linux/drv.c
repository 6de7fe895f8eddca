// SPDX-License-Identifier: GPL-2.0-only
/*
 * The DRM driver: pscnv's ioctl table and mmap offsets, and what happens when a file is closed.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/version.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_ioctl.h>

#include "sluice.h"

static int getparam_ioctl(struct drm_device *dev, void *data, struct drm_file *file)
{
	struct sluice_device *sd = to_sluice(dev);
	struct drm_pscnv_getparam *req = data;
	struct sluice_get_param args = { .param = req->param };
	int ret;

	ret = sluice_call(sd, READ_ONCE(sd->epoch), SLUICE_CALL_GET_PARAM, &args, sizeof(args));
	if (ret == 0)
		req->value = args.value;
	return ret;
}

/* As with pscnv, none needs to be authenticated. */
static const struct drm_ioctl_desc ioctls[] = {
	DRM_IOCTL_DEF_DRV(PSCNV_GETPARAM, getparam_ioctl, 0),
	DRM_IOCTL_DEF_DRV(PSCNV_GEM_NEW, sluice_gem_new_ioctl, 0),
	DRM_IOCTL_DEF_DRV(PSCNV_GEM_INFO, sluice_gem_info_ioctl, 0),
	DRM_IOCTL_DEF_DRV(PSCNV_VSPACE_NEW, sluice_vspace_new_ioctl, 0),
	DRM_IOCTL_DEF_DRV(PSCNV_VSPACE_FREE, sluice_vspace_free_ioctl, 0),
	DRM_IOCTL_DEF_DRV(PSCNV_VSPACE_MAP, sluice_vspace_map_ioctl, 0),
	DRM_IOCTL_DEF_DRV(PSCNV_VSPACE_UNMAP, sluice_vspace_unmap_ioctl, 0),
	DRM_IOCTL_DEF_DRV(PSCNV_CHAN_NEW, sluice_chan_new_ioctl, 0),
	DRM_IOCTL_DEF_DRV(PSCNV_CHAN_FREE, sluice_chan_free_ioctl, 0),
	DRM_IOCTL_DEF_DRV(PSCNV_OBJ_VDMA_NEW, sluice_obj_vdma_new_ioctl, 0),
	DRM_IOCTL_DEF_DRV(PSCNV_FIFO_INIT, sluice_fifo_init_ioctl, 0),
	DRM_IOCTL_DEF_DRV(PSCNV_OBJ_ENG_NEW, sluice_obj_eng_new_ioctl, 0),
	DRM_IOCTL_DEF_DRV(PSCNV_FIFO_INIT_IB, sluice_fifo_init_ib_ioctl, 0),
	DRM_IOCTL_DEF_DRV(PSCNV_VM_READ32, sluice_vm_read32_ioctl, 0),
	DRM_IOCTL_DEF_DRV(PSCNV_VM_WRITE32, sluice_vm_write32_ioctl, 0),
	DRM_IOCTL_DEF_DRV(PSCNV_VM_READ, sluice_vm_read_ioctl, 0),
	DRM_IOCTL_DEF_DRV(PSCNV_VM_WRITE, sluice_vm_write_ioctl, 0),
	DRM_IOCTL_DEF_DRV(PSCNV_VM_MAP, sluice_vm_map_ioctl, 0),
	DRM_IOCTL_DEF_DRV(PSCNV_VM_UNMAP, sluice_vm_unmap_ioctl, 0),
	DRM_IOCTL_DEF_DRV(PSCNV_PHYS_GETADDR, sluice_phys_getaddr_ioctl, 0),
	DRM_IOCTL_DEF_DRV(SLUICE_CHAN_WAIT, sluice_chan_wait_ioctl, 0),
};

static int sluice_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct drm_file *file = filp->private_data;
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;

	if (drm_dev_is_unplugged(file->minor->dev))
		return -ENODEV;
	/* A private writable mapping would show copies; the device sees none of them. */
	if ((vma->vm_flags & (VM_SHARED | VM_MAYWRITE)) == VM_MAYWRITE)
		return -EINVAL;
	if (offset >> PSCNV_MAP_BUFFER_SHIFT)
		return sluice_gem_mmap(file, vma, offset >> PSCNV_MAP_BUFFER_SHIFT);
	if ((offset & ~(u64)PSCNV_MAP_CHANNEL_MASK) == PSCNV_MAP_CHANNEL)
		return sluice_channel_mmap(file, vma, (offset & PSCNV_MAP_CHANNEL_MASK) >>
							      PSCNV_MAP_CHANNEL_SHIFT);
	if (offset == SLUICE_MAP_DOORBELL)
		return sluice_doorbell_mmap(to_sluice(file->minor->dev), vma);
	return -EINVAL;
}

/*
 * A process may die at any point; its mappings went before this, and so did its GEM handles.
 * Channels go first, since they use the address spaces, which in turn keep buffers.
 */
static void sluice_postclose(struct drm_device *dev, struct drm_file *file)
{
	struct sluice_device *sd = to_sluice(dev);

	sluice_channels_close(sd, file);
	sluice_vspaces_close(sd, file);
}

/* After a reset, which took device memory from all processes: takes void ids from all files. */
void sluice_void_all(struct sluice_device *sd)
{
	sluice_channels_close(sd, NULL);
	sluice_vspaces_close(sd, NULL);
}

static void sluice_release(struct drm_device *dev)
{
	struct sluice_device *sd = to_sluice(dev);

	cancel_work_sync(&sd->touch_work); /* no interrupt comes any more */
	sluice_api_events_end(sd);
	sluice_quarantine_leak(sd);
	sluice_users_free(sd);
	xa_destroy(&sd->channels);
	xa_destroy(&sd->vspaces);
	mutex_destroy(&sd->pages_lock);
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.open = drm_open,
	.release = drm_release,
	.unlocked_ioctl = drm_ioctl,
	.compat_ioctl = drm_compat_ioctl,
	.poll = drm_poll,
	.read = drm_read,
	.llseek = noop_llseek,
	.mmap = sluice_mmap,
	.fop_flags = FOP_UNSIGNED_OFFSET,
};

const struct drm_driver sluice_drm_driver = {
	.driver_features = DRIVER_GEM,
	.postclose = sluice_postclose,
	.release = sluice_release,
	.ioctls = ioctls,
	.num_ioctls = ARRAY_SIZE(ioctls),
	.fops = &fops,
	/* What programs look for; the module itself is called sluice. */
	.name = "pscnv",
	.desc = "nVidia NV50",
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
	.date = "20260101",
#endif
	.major = 0,
	.minor = 0,
	.patchlevel = 16,
};
