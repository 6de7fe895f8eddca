// SPDX-License-Identifier: GPL-2.0-only
/*
 * Channels. What this driver has to do with one ends when it is set up: programs submit by writing
 * to the mapped control page, and only waiting for an interrupt comes back here.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_file.h>

#include "sluice.h"

/* ---- life ------------------------------------------------------------------------------------ */

static void channel_release(struct kref *ref)
{
	struct sluice_channel *chan = container_of(ref, struct sluice_channel, ref);

	/* A channel that may still run can reach what its address space maps. */
	if (!sluice_give_back(chan->sd, chan->epoch, SLUICE_CALL_CHAN_FREE, chan->cid))
		WRITE_ONCE(chan->vspace->held_by_host, true);
	sluice_uncharge(chan->sd, chan->holder, SLUICE_CHANNELS, 1);
	sluice_vspace_put(chan->vspace);
	kfree(chan);
}

static void channel_put(struct sluice_channel *chan)
{
	kref_put(&chan->ref, channel_release);
}

/* Returns the file's channel with a reference, or NULL. */
static struct sluice_channel *channel_find(struct sluice_device *sd, struct drm_file *file, u32 cid)
{
	struct sluice_channel *chan;

	xa_lock(&sd->channels);
	chan = xa_load(&sd->channels, cid);
	if (chan && chan->owner == file)
		kref_get(&chan->ref);
	else
		chan = NULL;
	xa_unlock(&sd->channels);
	return chan;
}

static u64 channel_map_handle(u32 cid)
{
	return PSCNV_MAP_CHANNEL | (u64)cid << PSCNV_MAP_CHANNEL_SHIFT;
}

/*
 * Takes the id from the file and the control page from its processes. The lock makes it so that no
 * fault maps the page after it was taken: the next channel with this id may be another process'.
 * Returns whether it was the one to do so; then the reference of the file is the caller's.
 */
static bool channel_unlist(struct sluice_device *sd, struct sluice_channel *chan)
{
	bool first;

	down_write(&sd->revoke);
	first = xa_cmpxchg(&sd->channels, chan->cid, chan, NULL, GFP_KERNEL) == chan;
	up_write(&sd->revoke);
	if (!first)
		return false;
	WRITE_ONCE(chan->freed, true);
	unmap_mapping_range(sd->drm.anon_inode->i_mapping, channel_map_handle(chan->cid),
			    PAGE_SIZE, 1);
	wake_up_all(&sd->lines[chan->cid].wait);
	return true;
}

/* Frees the channels of a file that is closed or, with NULL, all: they are void after a reset. */
void sluice_channels_close(struct sluice_device *sd, struct drm_file *file)
{
	struct sluice_channel *chan;
	unsigned long cid;

	xa_lock(&sd->channels);
	xa_for_each(&sd->channels, cid, chan) {
		if (file && chan->owner != file)
			continue;
		kref_get(&chan->ref);
		xa_unlock(&sd->channels);
		if (channel_unlist(sd, chan))
			channel_put(chan);
		channel_put(chan);
		xa_lock(&sd->channels);
	}
	xa_unlock(&sd->channels);
}

/* Gives the channel its id in the file. Takes over the reference. */
static int channel_list(struct sluice_device *sd, struct sluice_channel *chan)
{
	int ret;

	ret = xa_insert(&sd->channels, chan->cid, chan, GFP_KERNEL);
	if (ret) {
		channel_put(chan);
		return ret == -EBUSY ? -EPROTO : ret;
	}
	return 0;
}

static int channel_create(struct sluice_device *sd, struct drm_file *file,
			  struct sluice_vspace *vs, u32 *cid)
{
	struct sluice_chan_new args = { .vid = vs->vid };
	struct sluice_channel *chan;
	int ret;

	chan = kzalloc_obj(*chan);
	if (!chan)
		return -ENOMEM;
	kref_init(&chan->ref);
	chan->sd = sd;
	chan->owner = file;
	chan->epoch = vs->epoch;
	chan->holder = sluice_charge(sd, SLUICE_CHANNELS, 1);
	if (IS_ERR(chan->holder)) {
		kfree(chan);
		return -ENOMEM; /* as below */
	}
	ret = sluice_call(sd, chan->epoch, SLUICE_CALL_CHAN_NEW, &args, sizeof(args));
	if (ret) {
		sluice_uncharge(sd, chan->holder, SLUICE_CHANNELS, 1);
		kfree(chan);
		return ret == -EDQUOT ? -ENOMEM : ret; /* pscnv knows no quota */
	}
	kref_get(&vs->ref);
	chan->vspace = vs;
	chan->cid = args.cid;
	if (chan->cid == 0 || chan->cid >= sd->num_channels) {
		channel_put(chan);
		return -EPROTO;
	}
	atomic_set(&sd->lines[chan->cid].count, 0);
	*cid = args.cid;
	return channel_list(sd, chan);
}

int sluice_chan_new_ioctl(struct drm_device *dev, void *data, struct drm_file *file)
{
	struct sluice_device *sd = to_sluice(dev);
	struct drm_pscnv_chan_new *req = data;
	struct sluice_vspace *vs = sluice_vspace_find(sd, file, req->vid);
	int ret;

	if (!vs)
		return -ENOENT;
	ret = channel_create(sd, file, vs, &req->cid);
	if (ret == 0)
		req->map_handle = channel_map_handle(req->cid);
	sluice_vspace_put(vs);
	return ret;
}

int sluice_chan_free_ioctl(struct drm_device *dev, void *data, struct drm_file *file)
{
	struct sluice_device *sd = to_sluice(dev);
	struct drm_pscnv_chan_free *req = data;
	struct sluice_channel *chan = channel_find(sd, file, req->cid);
	int ret = 0;

	if (!chan)
		return -ENOENT;
	if (channel_unlist(sd, chan))
		channel_put(chan); /* of the file */
	else
		ret = -ENOENT;
	channel_put(chan);
	return ret;
}

/* ---- the control page in a process ----------------------------------------------------------- */

/* The mapping names the id; whose it is, is looked up at each fault. */
static vm_fault_t channel_fault(struct vm_fault *vmf)
{
	struct drm_file *file = vmf->vma->vm_file->private_data;
	struct sluice_device *sd = to_sluice(file->minor->dev);
	u32 cid = vmf->pgoff >> (PSCNV_MAP_CHANNEL_SHIFT - PAGE_SHIFT) &
		  PSCNV_MAP_CHANNEL_MASK >> PSCNV_MAP_CHANNEL_SHIFT;
	struct sluice_channel *chan;
	vm_fault_t ret = VM_FAULT_SIGBUS;
	int cookie;

	if (!drm_dev_enter(&sd->drm, &cookie))
		return VM_FAULT_SIGBUS;
	down_read(&sd->revoke); /* while it is held, what is in the table stays */
	chan = xa_load(&sd->channels, cid);
	if (chan && chan->owner == file && sluice_current(sd, chan->epoch))
		ret = vmf_insert_pfn(vmf->vma, vmf->address, PHYS_PFN(sd->control_base) + cid);
	up_read(&sd->revoke);
	drm_dev_exit(cookie);
	return ret;
}

static const struct vm_operations_struct channel_vm_ops = {
	.fault = channel_fault,
};

int sluice_channel_mmap(struct drm_file *file, struct vm_area_struct *vma, u32 cid)
{
	struct sluice_device *sd = to_sluice(file->minor->dev);
	struct sluice_channel *chan;

	if (vma->vm_end - vma->vm_start > PAGE_SIZE)
		return -EINVAL;
	chan = channel_find(sd, file, cid);
	if (!chan)
		return -ENOENT;
	channel_put(chan);
	vm_flags_set(vma, VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_ops = &channel_vm_ops;
	return 0;
}

/* ---- the doorbell in a process --------------------------------------------------------------- */

/* It is nobody's in particular: ringing for a channel of another does nothing to it. */
static vm_fault_t doorbell_fault(struct vm_fault *vmf)
{
	struct sluice_device *sd = vmf->vma->vm_private_data;
	vm_fault_t ret;
	int cookie;

	if (!drm_dev_enter(&sd->drm, &cookie))
		return VM_FAULT_SIGBUS;
	ret = vmf_insert_pfn(vmf->vma, vmf->address, PHYS_PFN(sd->doorbell_base));
	drm_dev_exit(cookie);
	return ret;
}

static const struct vm_operations_struct doorbell_vm_ops = {
	.fault = doorbell_fault,
};

/* The file that is mapped, and so the mapping, keeps the device. */
int sluice_doorbell_mmap(struct sluice_device *sd, struct vm_area_struct *vma)
{
	if (!sd->doorbell_base)
		return -ENODEV;
	if (vma->vm_end - vma->vm_start > PAGE_SIZE)
		return -EINVAL;
	/* A register of the card, unlike the other BARs. */
	vma->vm_page_prot = pgprot_noncached(vma->vm_page_prot);
	vm_flags_set(vma, VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_private_data = sd;
	vma->vm_ops = &doorbell_vm_ops;
	return 0;
}

/* ---- set-up ---------------------------------------------------------------------------------- */

int sluice_obj_vdma_new_ioctl(struct drm_device *dev, void *data, struct drm_file *file)
{
	return -ENOSYS; /* NV50 only; what pscnv answers */
}

int sluice_fifo_init_ioctl(struct drm_device *dev, void *data, struct drm_file *file)
{
	return -ENODEV; /* no DMA mode on this GPU */
}

static int channel_call(struct drm_device *dev, struct drm_file *file, u32 cid, u32 command,
			void *args, size_t size)
{
	struct sluice_device *sd = to_sluice(dev);
	struct sluice_channel *chan = channel_find(sd, file, cid);
	int ret;

	if (!chan)
		return -ENOENT;
	ret = sluice_call(sd, chan->epoch, command, args, size);
	channel_put(chan);
	return ret;
}

int sluice_obj_eng_new_ioctl(struct drm_device *dev, void *data, struct drm_file *file)
{
	struct drm_pscnv_obj_eng_new *req = data;
	struct sluice_obj_eng_new args = {
		.cid = req->cid,
		.handle = req->handle,
		.oclass = req->oclass,
		.flags = req->flags,
	};

	return channel_call(dev, file, req->cid, SLUICE_CALL_OBJ_ENG_NEW, &args, sizeof(args));
}

int sluice_fifo_init_ib_ioctl(struct drm_device *dev, void *data, struct drm_file *file)
{
	struct drm_pscnv_fifo_init_ib *req = data;
	struct sluice_fifo_init_ib args = {
		.cid = req->cid,
		.slimask = req->slimask,
		.ib_order = req->ib_order,
		.ib_start = req->ib_start,
	};

	return channel_call(dev, file, req->cid, SLUICE_CALL_FIFO_INIT_IB, &args, sizeof(args));
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* State and reason from the control page; false while the host says not to believe it. */
static bool state_read(struct sluice_device *sd, struct drm_sluice_chan_wait *req)
{
	struct sluice_control *control = sd->control + req->cid * PAGE_SIZE + SLUICE_CONTROL_OFFSET;
	u32 generation;

	/* The words below after the first look, and before the second. */
	generation = smp_load_acquire(&control->generation);
	req->state = READ_ONCE(control->state);
	req->reason = READ_ONCE(control->error);
	req->info = READ_ONCE(control->error_info);
	req->address = READ_ONCE(control->error_address);
	smp_rmb(); /* as above */
	return generation != 0 && READ_ONCE(control->generation) == generation;
}

static int state_query(struct sluice_device *sd, u32 epoch, struct drm_sluice_chan_wait *req)
{
	struct sluice_chan_query args = { .cid = req->cid };
	int ret;

	int cookie;
	bool known;

	if (!drm_dev_enter(&sd->drm, &cookie))
		return -ENODEV; /* the page goes with the driver */
	known = (sd->caps & SLUICE_CAP_CONTROL_WORDS) && state_read(sd, req);
	drm_dev_exit(cookie);
	if (known)
		return 0;
	ret = sluice_call(sd, epoch, SLUICE_CALL_CHAN_QUERY, &args, sizeof(args));
	if (ret)
		return ret;
	req->state = args.state;
	req->reason = args.reason;
	req->info = args.info;
	req->address = args.address;
	return 0;
}

static bool has_happened(struct sluice_device *sd, struct sluice_channel *chan, u32 seen)
{
	return atomic_read(&sd->lines[chan->cid].count) != seen || READ_ONCE(chan->freed) ||
	       READ_ONCE(sd->dead) || !sluice_current(sd, chan->epoch);
}

/* In the line, or beside it where that has as many as an interrupt may have to wake. */
static long line_sleep_once(struct sluice_device *sd, struct sluice_channel *chan, u32 seen,
			    unsigned long slice)
{
	struct sluice_line *line = &sd->lines[chan->cid];
	long ret;

	if (atomic_inc_return(&line->waiters) <= SLUICE_MAX_WOKEN)
		ret = wait_event_interruptible_timeout(line->wait, has_happened(sd, chan, seen),
						       slice);
	else
		ret = sluice_look_again(slice, has_happened(sd, chan, seen));
	atomic_dec(&line->waiters);
	return ret;
}

/*
 * Sleeps until something has happened or the time is over, and looks now and then whether the host
 * is still there: if it is not, nothing will ever happen. Returns 1, 0, or a negative error.
 */
static int line_sleep(struct sluice_device *sd, struct sluice_channel *chan, u32 seen,
		      unsigned long left)
{
	for (;;) {
		unsigned long slice = min(left, (unsigned long)SLUICE_LOOK_SECONDS * HZ);
		long ret;

		ret = line_sleep_once(sd, chan, seen, slice);
		if (ret)
			return ret < 0 ? -EINTR : 1;
		if (left != MAX_SCHEDULE_TIMEOUT)
			left -= slice;
		if (left == 0)
			return 0;
		sluice_host_check(sd);
	}
}

/* As above; what is left of the time goes to @timeout_ms. */
static int line_wait(struct sluice_device *sd, struct sluice_channel *chan, u32 seen,
		     u32 *timeout_ms)
{
	unsigned long start = jiffies;
	unsigned int passed;
	int ret;

	if (*timeout_ms == U32_MAX) {
		ret = line_sleep(sd, chan, seen, MAX_SCHEDULE_TIMEOUT);
	} else {
		ret = line_sleep(sd, chan, seen, msecs_to_jiffies(*timeout_ms));
		passed = jiffies_to_msecs(jiffies - start);
		*timeout_ms = *timeout_ms > passed && ret != 0 ? *timeout_ms - passed : 0;
	}
	if (ret < 0)
		return ret;
	return ret == 0 ? -ETIME : 0;
}

static int channel_wait(struct sluice_device *sd, struct sluice_channel *chan,
			struct drm_sluice_chan_wait *req)
{
	int waited = 0;
	int ret;

	if (!has_happened(sd, chan, req->seen)) {
		/* A channel that ended before this call will not interrupt again. */
		ret = state_query(sd, chan->epoch, req);
		if (ret || req->state == SLUICE_CHANNEL_DEAD)
			return ret;
		waited = line_wait(sd, chan, req->seen, &req->timeout_ms);
	}
	if (READ_ONCE(chan->freed))
		return -ENOENT;
	if (READ_ONCE(sd->dead) || !sluice_current(sd, chan->epoch))
		return -EIO;
	req->seen = atomic_read(&sd->lines[chan->cid].count);
	ret = state_query(sd, chan->epoch, req);
	return ret ? ret : waited;
}

int sluice_chan_wait_ioctl(struct drm_device *dev, void *data, struct drm_file *file)
{
	struct sluice_device *sd = to_sluice(dev);
	struct drm_sluice_chan_wait *req = data;
	struct sluice_channel *chan;
	int ret;

	if (req->flags || req->pad)
		return -EINVAL;
	chan = channel_find(sd, file, req->cid);
	if (!chan)
		return -ENOENT;
	ret = channel_wait(sd, chan, req);
	channel_put(chan);
	return ret;
}
