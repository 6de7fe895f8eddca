// SPDX-License-Identifier: GPL-2.0-only
/*
 * API sessions: a device file of its own, a session per open file. The memory that a process shares
 * with its session on the host is that of api_memory.c, bounded per file, and given back when the
 * host has confirmed that it let go of it.
 */
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include <drm/drm_drv.h>

#include "api_memory.h"
#include "api_session.h"
#include "sluice.h"
#include "sluice_api.h"

#define FILE_BYTES (1ull << 30) /* most memory of a session */
#define WAIT_MS 10000
#define CLOSE_JIFFIES (HZ / 20) /* between looks whether the host has let go of a session */
#define MAP_PAGES_SHIFT (SLUICE_API_MAP_SHIFT - PAGE_SHIFT)
#define MAP_INHERIT (SLUICE_API_MAP_INHERIT >> SLUICE_API_MAP_SHIFT)

static DEFINE_IDA(api_ids);

/* ---- what the host knows --------------------------------------------------------------------- */

/*
 * Tells the host of a segment: opens the session with 0, adds any other. Sets @unknown if it failed
 * and may have taken effect: then the host may use what it was given.
 */
static int host_add(struct sluice_api *api, u32 number, u32 index,
		    struct sluice_api_memory *memory, bool *unknown)
{
	struct sluice_device *sd = api->sd;
	struct sluice_list *list = sluice_list_get(sd);
	struct sluice_api_open open = { .api = number, .count = memory->pieces };
	struct sluice_api_segment add = { .index = index, .count = memory->pieces };
	int ret;

	*unknown = false;
	if (!list)
		return -ENOMEM;
	sluice_api_memory_list(memory, list);
	dma_sync_single_for_device(sd->drm.dev, list->iova, PAGE_SIZE, DMA_TO_DEVICE);
	if (index == 0) {
		open.bytes = (u64)memory->pages << PAGE_SHIFT;
		open.list_iova = list->iova;
		ret = sluice_call_told(sd, api->epoch, SLUICE_CALL_API_OPEN, &open, sizeof(open),
				       unknown);
		if (ret == 0)
			api->handle = open.handle;
	} else {
		add.handle = api->handle;
		add.bytes = (u64)memory->pages << PAGE_SHIFT;
		add.list_iova = list->iova;
		ret = sluice_call_told(sd, api->epoch, SLUICE_CALL_API_SEGMENT, &add, sizeof(add),
				       unknown);
	}
	*unknown &= sluice_current(sd, api->epoch);
	if (*unknown)
		sluice_list_quarantine(sd, list);
	else
		sluice_list_put(sd, list);
	return ret;
}

/* 0: the host reaches nothing of the session; -EAGAIN: it still does; -EIO: nobody knows. */
static int host_close(struct sluice_api *api)
{
	struct sluice_device *sd = api->sd;
	struct sluice_handle args = { .handle = api->handle };
	int ret;

	if (!api->handle || !sluice_current(sd, api->epoch))
		return 0;
	ret = sluice_call(sd, api->epoch, SLUICE_CALL_API_CLOSE, &args, sizeof(args));
	if (ret == 0 || ret == -ENOENT || !sluice_current(sd, api->epoch))
		return 0;
	return ret == -EAGAIN ? -EAGAIN : -EIO;
}

static void api_free(struct sluice_api *api, int closed)
{
	struct sluice_device *sd = api->sd;
	unsigned int i;

	for (i = 0; i < SLUICE_MAX_API_SEGMENTS; i++) {
		if (!api->segment[i])
			continue;
		if (closed == 0)
			sluice_api_memory_put(sd, api->segment[i]);
		else
			sluice_api_memory_quarantine(sd, api->segment[i], api->epoch);
	}
	if (api->holder)
		sluice_uncharge(sd, api->holder, SLUICE_SESSIONS, 1);
	mutex_destroy(&api->lock);
	kfree(api);
	drm_dev_put(&sd->drm);
}

/* -EAGAIN for -EDQUOT while the host has yet to let go of one whose file is closed: what that has comes back soon. */
static int again_if_closing(struct sluice_device *sd, int ret)
{
	if (ret != -EDQUOT)
		return ret;
	mutex_lock(&sd->pages_lock);
	if (sd->api_closing_count > 0)
		ret = -EAGAIN;
	mutex_unlock(&sd->pages_lock);
	return ret;
}

/* Looks again at sessions that the host had not let go of. */
void sluice_api_close_work(struct work_struct *work)
{
	struct sluice_device *sd = container_of(to_delayed_work(work), struct sluice_device,
						api_close_work);
	struct sluice_api *api, *next;
	LIST_HEAD(closing);
	LIST_HEAD(left);
	unsigned int freed = 0;
	int cookie, ret;

	drm_dev_get(&sd->drm);
	mutex_lock(&sd->pages_lock);
	list_splice_init(&sd->api_closing, &closing);
	mutex_unlock(&sd->pages_lock);
	list_for_each_entry_safe(api, next, &closing, link) {
		ret = host_close(api);
		list_del(&api->link);
		if (ret == -EAGAIN) {
			list_add(&api->link, &left);
		} else {
			api_free(api, ret);
			freed++;
		}
	}
	mutex_lock(&sd->pages_lock);
	sd->api_closing_count -= freed;
	list_splice(&left, &sd->api_closing);
	if (!list_empty(&sd->api_closing) && drm_dev_enter(&sd->drm, &cookie)) {
		schedule_delayed_work(&sd->api_close_work, CLOSE_JIFFIES);
		drm_dev_exit(cookie);
	}
	mutex_unlock(&sd->pages_lock);
	drm_dev_put(&sd->drm);
}

/* ---- the file -------------------------------------------------------------------------------- */

static int api_open(struct inode *inode, struct file *file)
{
	struct sluice_device *sd = container_of(file->private_data, struct sluice_device, api_misc);
	struct sluice_api *api = kzalloc(sizeof(*api), GFP_KERNEL_ACCOUNT);

	if (!api)
		return -ENOMEM;
	drm_dev_get(&sd->drm);
	api->sd = sd;
	mutex_init(&api->lock);
	INIT_LIST_HEAD(&api->link);
	init_waitqueue_head(&api->wait);
	file->private_data = api;
	/* Where a reset and the device's leaving look for pages of it. */
	file->f_mapping = sd->drm.anon_inode->i_mapping;
	return nonseekable_open(inode, file);
}

/* The process is through with it, or dead; its mappings went before. */
static int api_release(struct inode *inode, struct file *file)
{
	struct sluice_api *api = file->private_data;
	struct sluice_device *sd = api->sd;
	int ret, cookie;

	sluice_api_session_remove(api);
	ret = host_close(api);
	if (ret != -EAGAIN) {
		api_free(api, ret);
	} else if (drm_dev_enter(&sd->drm, &cookie)) {
		mutex_lock(&sd->pages_lock);
		list_add(&api->link, &sd->api_closing);
		sd->api_closing_count++;
		schedule_delayed_work(&sd->api_close_work, CLOSE_JIFFIES);
		mutex_unlock(&sd->pages_lock);
		drm_dev_exit(cookie);
	} else {
		/* The driver leaves, which resets the device or says that it could not. */
		api_free(api, sluice_current(sd, api->epoch) ? -EIO : 0);
	}
	return 0;
}

/* Under api->lock. */
static int segment_add(struct sluice_api *api, u32 number, u32 index, u64 bytes)
{
	struct sluice_api_memory *memory;
	int ret, cookie;
	bool unknown;

	if (bytes == 0 || !PAGE_ALIGNED(bytes) || bytes > FILE_BYTES)
		return -EINVAL;
	if (bytes > FILE_BYTES - api->bytes)
		return -EDQUOT;
	if (!drm_dev_enter(&api->sd->drm, &cookie))
		return -ENODEV;
	memory = sluice_api_memory_get(api->sd, bytes);
	ret = PTR_ERR_OR_ZERO(memory);
	if (ret)
		goto out;
	ret = host_add(api, number, index, memory, &unknown);
	if (ret == 0) {
		api->bytes += bytes;
		/* Pages before the pointer that shows them; pairs with the acquire of mmap and wait. */
		smp_store_release(&api->segment[index], memory);
	} else if (unknown) {
		sluice_api_memory_quarantine(api->sd, memory, api->epoch);
	} else {
		sluice_api_memory_put(api->sd, memory);
	}
out:
	drm_dev_exit(cookie);
	return ret;
}

/* Counts it for the user who opens it first, until the file is closed. */
static int session_hold(struct sluice_api *api)
{
	struct sluice_user *holder;

	if (api->holder)
		return 0;
	holder = sluice_charge(api->sd, SLUICE_SESSIONS, 1);
	if (IS_ERR(holder))
		return PTR_ERR(holder);
	api->holder = holder;
	sluice_api_session_add(api);
	return 0;
}

static int open_ioctl(struct sluice_api *api, const void __user *user)
{
	struct sluice_api_dev_open req;
	int ret;

	if (copy_from_user(&req, user, sizeof(req)))
		return -EFAULT;
	if (req.pad || req.bytes < SLUICE_API_SEGMENT_LEAST)
		return -EINVAL;
	if (mutex_lock_interruptible(&api->lock))
		return -EINTR;
	if (api->handle) {
		ret = -EBUSY;
	} else if (req.api == SLUICE_API_CUDA && !sluice_may_begin(api->sd)) {
		ret = -EAGAIN; /* as the host says of those of all users */
	} else {
		api->epoch = READ_ONCE(api->sd->epoch);
		ret = session_hold(api);
		if (ret == 0)
			ret = segment_add(api, req.api, 0, req.bytes);
		ret = again_if_closing(api->sd, ret);
	}
	mutex_unlock(&api->lock);
	return ret;
}

static int segment_ioctl(struct sluice_api *api, const void __user *user)
{
	struct sluice_api_dev_segment req;
	int ret;

	if (copy_from_user(&req, user, sizeof(req)))
		return -EFAULT;
	if (req.pad || req.index == 0 || req.index >= SLUICE_MAX_API_SEGMENTS)
		return -EINVAL;
	if (mutex_lock_interruptible(&api->lock))
		return -EINTR;
	if (!api->handle)
		ret = -ENOTCONN;
	else if (api->segment[req.index])
		ret = -EBUSY;
	else
		ret = again_if_closing(api->sd, segment_add(api, 0, req.index, req.bytes));
	mutex_unlock(&api->lock);
	return ret;
}

/* Whether nothing will ever come of the session. */
bool sluice_api_is_gone(struct sluice_api *api)
{
	return READ_ONCE(api->sd->dead) || !sluice_current(api->sd, api->epoch) ||
	       drm_dev_is_unplugged(&api->sd->drm);
}

/* The word of segment 0 at an offset, or an error. It is there as long as the session's file. */
u32 *sluice_api_word(struct sluice_api *api, u64 offset)
{
	/* The segment came after its session; pairs with the release of segment_add. */
	struct sluice_api_memory *memory = smp_load_acquire(&api->segment[0]);

	if (!memory)
		return ERR_PTR(-ENOTCONN);
	if (offset % sizeof(u32) || offset >= (u64)memory->pages << PAGE_SHIFT)
		return ERR_PTR(-EINVAL);
	return page_address(sluice_api_memory_page(memory, offset >> PAGE_SHIFT)) +
	       offset_in_page(offset);
}

/* Whoever waits for a word of a session. */
struct word_waiter {
	struct wait_queue_entry entry;
	struct sluice_api *api;
	const u32 *word;
	u32 expected;
};

static bool has_news(const struct word_waiter *waiter)
{
	struct sluice_device *sd = waiter->api->sd;

	return READ_ONCE(*waiter->word) != waiter->expected || READ_ONCE(sd->dead) ||
	       !sluice_current(sd, waiter->api->epoch);
}

static bool is_over(const struct word_waiter *waiter)
{
	return has_news(waiter) || sluice_api_is_gone(waiter->api);
}

/*
 * An interrupt does not say whose it is: those with nothing new sleep on. A device that goes wakes
 * nobody but by its reset.
 */
static int wake_if_news(struct wait_queue_entry *entry, unsigned int mode, int flags, void *key)
{
	if (!has_news(container_of(entry, struct word_waiter, entry)))
		return 0;
	return autoremove_wake_function(entry, mode, flags, key);
}

/* As wait_event_interruptible_timeout(). */
static long queue_sleep(wait_queue_head_t *queue, struct word_waiter *waiter, long timeout)
{
	bool over;

	for (;;) {
		prepare_to_wait(queue, &waiter->entry, TASK_INTERRUPTIBLE);
		over = is_over(waiter);
		if (over || !timeout || signal_pending(current))
			break;
		timeout = schedule_timeout(timeout);
	}
	finish_wait(queue, &waiter->entry);
	if (over)
		return max(timeout, 1l);
	return timeout ? -ERESTARTSYS : 0;
}

/*
 * In the queue of all sessions while that has as few as an interrupt may have to wake, in that of the
 * session, or beside both where that has as many, too: one session's waiters keep nobody.
 */
static long word_wait(struct sluice_api *api, const u32 *word, u32 expected, long timeout)
{
	struct word_waiter waiter = {
		.entry = { .private = current, .func = wake_if_news },
		.api = api,
		.word = word,
		.expected = expected,
	};
	struct sluice_device *sd = api->sd;
	long ret;

	INIT_LIST_HEAD(&waiter.entry.entry);
	if (atomic_inc_return(&api->waiters) > SLUICE_MAX_WOKEN) {
		ret = sluice_look_again(timeout, is_over(&waiter));
	} else if (atomic_inc_return(&sd->api_prompt) <= SLUICE_MAX_WOKEN) {
		ret = queue_sleep(&sd->api_wait, &waiter, timeout);
		atomic_dec(&sd->api_prompt);
	} else {
		atomic_dec(&sd->api_prompt);
		/* Before the first look; who wakes after that sees it. */
		atomic_inc(&sd->api_late);
		ret = queue_sleep(&api->wait, &waiter, timeout);
		atomic_dec(&sd->api_late);
	}
	atomic_dec(&api->waiters);
	return ret;
}

static int wait_ioctl(struct sluice_api *api, const void __user *user)
{
	struct sluice_api_dev_wait req;
	u32 *word;
	long ret;

	if (copy_from_user(&req, user, sizeof(req)))
		return -EFAULT;
	word = sluice_api_word(api, req.offset);
	if (IS_ERR(word))
		return PTR_ERR(word);
	if (req.timeout_ms > WAIT_MS)
		return -EINVAL;
	ret = word_wait(api, word, req.expected, msecs_to_jiffies(req.timeout_ms));
	if (ret < 0)
		return -EINTR;
	if (READ_ONCE(*word) != req.expected)
		return 0;
	sluice_host_check(api->sd); /* nobody else may be there to find out */
	return sluice_api_is_gone(api) ? -ENODEV : -ETIMEDOUT;
}

static int doorbell_ioctl(struct sluice_api *api)
{
	int cookie;

	if (IS_ERR(sluice_api_word(api, 0)))
		return -ENOTCONN;
	if (!drm_dev_enter(&api->sd->drm, &cookie))
		return -ENODEV;
	if (sluice_current(api->sd, api->epoch))
		sluice_write(api->sd, SLUICE_REG_API_DOORBELL, api->handle);
	drm_dev_exit(cookie);
	return 0;
}

static int event_ioctl(struct file *file, const void __user *user)
{
	struct sluice_api_dev_event req;

	if (copy_from_user(&req, user, sizeof(req)))
		return -EFAULT;
	if (req.pad)
		return -EINVAL;
	return sluice_api_event(file, req.offset, req.seen);
}

static long api_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct sluice_api *api = file->private_data;
	const void __user *user = (const void __user *)argument;

	switch (command) {
	case SLUICE_API_DEV_OPEN:
		return open_ioctl(api, user);
	case SLUICE_API_DEV_SEGMENT:
		return segment_ioctl(api, user);
	case SLUICE_API_DEV_WAIT:
		return wait_ioctl(api, user);
	case SLUICE_API_DEV_DOORBELL:
		return doorbell_ioctl(api);
	case SLUICE_API_DEV_EVENT:
		return event_ioctl(file, user);
	default:
		return -ENOTTY;
	}
}

/* ---- mappings -------------------------------------------------------------------------------- */

static vm_fault_t api_fault(struct vm_fault *vmf)
{
	struct sluice_api_memory *memory = vmf->vma->vm_private_data;
	unsigned long index = vmf->pgoff & ((1ul << MAP_PAGES_SHIFT) - 1);

	if (index >= memory->pages)
		return VM_FAULT_SIGBUS;
	vmf->page = sluice_api_memory_page(memory, index);
	get_page(vmf->page);
	return 0;
}

static const struct vm_operations_struct api_vm_ops = {
	.fault = api_fault,
};

/* Only for who has a session, and from there as for who has channels. */
static int doorbell_mmap(struct sluice_api *api, struct vm_area_struct *vma, unsigned long first)
{
	if (IS_ERR(sluice_api_word(api, 0)))
		return -ENXIO;
	if (first != 0 || vma_pages(vma) != 1)
		return -EINVAL;
	if (sluice_api_is_gone(api))
		return -ENODEV;
	vm_flags_set(vma, VM_DONTCOPY);
	return sluice_doorbell_mmap(api->sd, vma);
}

static int api_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct sluice_api *api = file->private_data;
	unsigned long index = vma->vm_pgoff >> MAP_PAGES_SHIFT;
	unsigned long first = vma->vm_pgoff & ((1ul << MAP_PAGES_SHIFT) - 1);
	struct sluice_api_memory *memory;
	bool inherits;

	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (index == SLUICE_API_MAP_DOORBELL >> SLUICE_API_MAP_SHIFT)
		return doorbell_mmap(api, vma, first);
	inherits = index & MAP_INHERIT;
	index &= ~MAP_INHERIT;
	if (index >= SLUICE_MAX_API_SEGMENTS)
		return -EINVAL;
	memory = smp_load_acquire(&api->segment[index]); /* pairs with segment_add */
	if (!memory)
		return -ENXIO;
	if (first >= memory->pages || vma_pages(vma) > memory->pages - first)
		return -EINVAL;
	/* The session is the process's that opened it: a child makes one of its own, unless told. */
	vm_flags_set(vma, inherits ? VM_DONTEXPAND : VM_DONTCOPY | VM_DONTEXPAND);
	vma->vm_private_data = memory;
	vma->vm_ops = &api_vm_ops;
	return 0;
}

static const struct file_operations api_fops = {
	.owner = THIS_MODULE,
	.open = api_open,
	.release = api_release,
	.unlocked_ioctl = api_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = api_mmap,
};

/* ---- the device ------------------------------------------------------------------------------ */

void sluice_api_tables_init(struct sluice_device *sd)
{
	init_waitqueue_head(&sd->api_wait);
	INIT_LIST_HEAD(&sd->api_memory);
	INIT_LIST_HEAD(&sd->api_closing);
	INIT_DELAYED_WORK(&sd->api_close_work, sluice_api_close_work);
	sluice_api_events_init(sd);
}

/* Offers sessions where the host has them. */
int sluice_api_register(struct sluice_device *sd)
{
	int ret, id;

	if (!(sd->caps & SLUICE_CAP_API_SESSIONS))
		return 0;
	id = ida_alloc(&api_ids, GFP_KERNEL);
	if (id < 0)
		return id;
	snprintf(sd->api_name, sizeof(sd->api_name), "sluice-api%d", id);
	sd->api_misc = (struct miscdevice){
		.minor = MISC_DYNAMIC_MINOR,
		.name = sd->api_name,
		.fops = &api_fops,
		.parent = &sd->pdev->dev,
		.mode = 0666, /* as safe for anybody as the device of channels */
	};
	ret = misc_register(&sd->api_misc);
	if (ret)
		ida_free(&api_ids, id);
	else
		sd->api_id = id + 1;
	return ret;
}

/* Nobody opens one any more. */
void sluice_api_unregister(struct sluice_device *sd)
{
	if (!sd->api_id)
		return;
	misc_deregister(&sd->api_misc);
	ida_free(&api_ids, sd->api_id - 1);
	sd->api_id = 0;
}

/* The driver has left the device: what was to be closed is closed, or nobody knows. */
void sluice_api_leave(struct sluice_device *sd)
{
	cancel_delayed_work_sync(&sd->api_close_work);
	sluice_api_close_work(&sd->api_close_work.work);
	sluice_api_memory_unmap_all(sd);
}
