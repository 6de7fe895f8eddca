/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Driver of the Sluice virtual GPU device, offering pscnv's user ABI: what its files share.
 *
 * Objects and who keeps whom alive:
 *
 *	file --id--> channel --> vspace --mapping--> buffer --> pages of guest memory
 *	file --id--------------> vspace              buffer
 *	file --GEM handle, mmap--------------------> buffer
 *
 * The last reference to an object gives it back to the host, so the host always frees in this
 * order too, and guest memory is let go only when nothing of the host can reach it. Should the
 * host not confirm that (it is gone, or stalls), the pages stay in quarantine until a reset of
 * the device has.
 *
 * An epoch counts resets of the device. Everything made in a former epoch is void: the host has
 * freed it already, calls about it fail with EIO, freeing it calls nobody.
 *
 * Locks, outer first: sluice_api.lock, sluice_vspace.lock, sluice_device.revoke, tables' own spinlocks. Neither
 * copies to nor from user memory happen under one of them.
 */
#ifndef SLUICE_H
#define SLUICE_H

#include <linux/hashtable.h>
#include <linux/kref.h>
#include <linux/maple_tree.h>
#include <linux/miscdevice.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/rwsem.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include <drm/drm_device.h>
#include <drm/drm_gem.h>
#include <drm/drm_print.h>

#include "sluice_abi.h"
#include "sluice_drm.h"

#ifndef kzalloc_obj /* newer kernels have it */
#define kzalloc_obj(object) kzalloc(sizeof(object), GFP_KERNEL)
#endif

#define SLUICE_MAX_CHANNELS 128 /* what pscnv's mmap offsets can name */
#define SLUICE_PENDING_WORDS (SLUICE_MAX_CHANNELS / 32)

/* What the host has for all of a machine's programs. */
#define SLUICE_MAX_MAPPINGS (1u << 17)
#define SLUICE_MAX_API_PIECES 16384

/*
 * A host that answers no call at all for so long has stalled; and so it has when it answers others
 * and leaves one for as long as the second.
 */
#define SLUICE_CALL_SECONDS 20
#define SLUICE_CALL_MOST_SECONDS 600

/* Between looks of whoever waits for the GPU whether the host is still there. */
#define SLUICE_LOOK_SECONDS 5

/* Turns at calls that users take among themselves; those of some users are the same. */
#define SLUICE_LANE_BITS 6

/*
 * Threads that an interrupt wakes for one channel, or for all sessions together; work wakes as many
 * more for each session. Those beyond that look again now and then.
 */
#define SLUICE_MAX_WOKEN 64

/* Turns: see turns.c. */
struct sluice_turns {
	spinlock_t lock;
	unsigned int free;
	struct list_head waiting;
};

/* What is counted for each user, and for all of them: see users.c. */
enum sluice_good {
	SLUICE_PINNED_BYTES, /* of buffers in system memory */
	SLUICE_API_BYTES, /* memory of API sessions */
	SLUICE_API_PIECES, /* that it consists of */
	SLUICE_SESSIONS,
	SLUICE_CHANNELS,
	SLUICE_SPACES,
	SLUICE_EVENTS, /* descriptors of API sessions */
	SLUICE_BUFFERS, /* of any memory */
	SLUICE_MAPPINGS, /* of address spaces of the GPU */
	SLUICE_GOODS
};

struct sluice_user;

/* Interrupts of one channel id. Outlives the channel, so that the handler needs no reference. */
struct sluice_line {
	wait_queue_head_t wait;
	atomic_t count;
	atomic_t waiters;
};

struct sluice_device {
	struct drm_device drm;
	struct pci_dev *pdev;

	/* BARs. Only the registers are I/O; the others are memory of the host process. */
	void __iomem *regs;
	void *calls; /* BAR 1 */
	void *control; /* BAR 4 */
	void *vram; /* BAR 2; NULL without an aperture */
	resource_size_t vram_base;
	resource_size_t vram_bytes;
	resource_size_t control_base;
	resource_size_t doorbell_base; /* BAR 5; 0 without a doorbell */

	u64 caps;
	u32 num_slots;
	u32 num_channels;
	u32 num_vectors;
	u32 num_buffers; /* that the host has handles for */
	u32 generation;
	u32 epoch;
	bool dead; /* the host does not answer; ends with a reset */

	/* Held for reading during a call, for writing during a reset. */
	struct rw_semaphore gate;

	/* Calls: a set bit of slots_used is owned by one task; seq belongs to the owner. */
	struct sluice_turns slots;
	struct sluice_turns lanes[1 << SLUICE_LANE_BITS];
	unsigned long slots_used;
	u32 slot_seq[SLUICE_MAX_SLOTS];
	wait_queue_head_t call_done;
	atomic_t answered; /* calls */

	/* What users have. */
	spinlock_t users_lock;
	DECLARE_HASHTABLE(users, 6);
	u64 held[SLUICE_GOODS];
	u64 begin_ns[1 << SLUICE_LANE_BITS]; /* until when programs would have begun one by one; under users_lock */

	/* Events and interrupts of channels. */
	spinlock_t event_lock; /* the tail of the event queue */
	struct sluice_event_queue *events;
	u32 event_entries;
	u32 *pending;
	struct work_struct touch_work;
	u32 touch_code; /* of the last SLUICE_EVENT_TOUCH */
	struct sluice_line lines[SLUICE_MAX_CHANNELS];

	/* By the ids of the host. Entries hold the reference of the owning file. */
	struct xarray vspaces;
	struct xarray channels;

	/* Held for reading to map a device page into a process, for writing to take pages away. */
	struct rw_semaphore revoke;

	atomic_t video_buffers; /* buffers in video memory */

	/* Guest memory of buffers, and that of which the host has not confirmed that it let go. */
	struct mutex pages_lock;
	struct list_head pages;
	struct list_head quarantine;
	struct list_head lists_in_quarantine;

	/* API sessions. */
	struct miscdevice api_misc;
	char api_name[24];
	int api_id; /* of the name, plus one; 0: not registered */
	wait_queue_head_t api_wait; /* of those whom the interrupt wakes */
	atomic_t api_prompt; /* how many they are */
	atomic_t api_late; /* those whom work wakes, in the queues of their sessions */
	struct list_head api_sessions; /* that a user holds; under api_events_lock */
	struct list_head api_memory; /* under pages_lock */
	struct list_head api_closing; /* files that are closed, sessions that the host still holds; under pages_lock */
	unsigned int api_closing_count; /* of them, those that are being looked at included; likewise */
	struct delayed_work api_close_work;
	struct mutex api_events_lock;
	struct list_head api_events; /* under api_events_lock */
	struct work_struct api_event_work;
	struct delayed_work api_look_work;
};

#define to_sluice(drm_dev) container_of(drm_dev, struct sluice_device, drm)

/* Pinned guest memory as the device sees it. */
struct sluice_pages {
	struct list_head link;
	struct drm_gem_object *obj; /* whose they are */
	struct page **page;
	unsigned long count;
	struct sg_table *sgt; /* NULL: not mapped for DMA any more */
};

/* A page that the host reads extents from. */
struct sluice_list {
	struct list_head link; /* in quarantine only */
	struct sluice_extent *extents;
	dma_addr_t iova; /* DMA_MAPPING_ERROR once the driver has left the device */
};

struct sluice_bo {
	struct drm_gem_object base;
	struct sluice_pages *pages; /* system memory, or NULL: video memory */
	struct sluice_user *holder;
	struct sluice_user *pinner; /* holder of the system memory, or NULL */
	u64 aperture_offset; /* of video memory */
	u32 handle; /* the host's */
	u32 epoch;
	u32 cookie;
	u32 flags;
	u32 tile_flags;
	u32 user[8];
	bool mappable; /* PSCNV_GEM_MAPPABLE, which pscnv takes as a hint */
	bool held_by_host; /* an address space that maps it may still live in the host */
};

#define to_sluice_bo(obj) container_of(obj, struct sluice_bo, base)

struct sluice_vspace {
	struct kref ref;
	struct sluice_device *sd;
	struct drm_file *owner;
	struct sluice_user *holder;
	u32 vid;
	u32 epoch;
	struct mutex lock; /* mappings, here and in the host, change together */
	struct maple_tree mappings; /* GPU address to struct sluice_mapping */
	bool held_by_host; /* a channel that uses it may still live in the host */
};

struct sluice_channel {
	struct kref ref;
	struct sluice_device *sd;
	struct drm_file *owner;
	struct sluice_vspace *vspace;
	struct sluice_user *holder;
	u32 cid;
	u32 epoch;
	bool freed; /* CHAN_FREE was called; waiters leave */
};

static inline u32 sluice_read(struct sluice_device *sd, u32 reg)
{
	return readl(sd->regs + reg);
}

static inline void sluice_write(struct sluice_device *sd, u32 reg, u32 value)
{
	writel(value, sd->regs + reg);
}

/* Whether an object of this epoch still means something to the host. */
static inline bool sluice_current(struct sluice_device *sd, u32 epoch)
{
	return READ_ONCE(sd->epoch) == epoch;
}

/*
 * As wait_event_interruptible_timeout(), for those whom nobody wakes: what is waited for is looked
 * at every few milliseconds.
 */
#define sluice_look_again(timeout, condition)                                          \
	({                                                                             \
		long left_ = (timeout);                                                \
		while (!(condition) && left_ > 0 && !signal_pending(current)) {        \
			long nap_ = min(left_, (long)max(HZ / 200, 1));                 \
			left_ -= nap_ - schedule_timeout_interruptible(nap_);           \
		}                                                                      \
		(condition) ? max(left_, 1l) : left_ > 0 ? -ERESTARTSYS : 0l;           \
	})

/* call.c */
int sluice_calls_init(struct sluice_device *sd);
int sluice_call(struct sluice_device *sd, u32 epoch, u32 command, void *args, size_t size);
int sluice_call_told(struct sluice_device *sd, u32 epoch, u32 command, void *args, size_t size,
		     bool *unknown);
bool sluice_give_back(struct sluice_device *sd, u32 epoch, u32 command, u32 id);
void sluice_mark_dead(struct sluice_device *sd, const char *why);
bool sluice_host_check(struct sluice_device *sd);
bool sluice_stop(struct sluice_device *sd);
int sluice_reset(struct sluice_device *sd);

/* turns.c */
void sluice_turns_init(struct sluice_turns *turns);
void sluice_turns_restart(struct sluice_turns *turns, unsigned int free);
bool sluice_turn_take(struct sluice_turns *turns, const bool *dead);
void sluice_turn_give(struct sluice_turns *turns);
void sluice_turns_end(struct sluice_turns *turns);

/* users.c */
kuid_t sluice_user_of_caller(void);
void sluice_users_init(struct sluice_device *sd);
struct sluice_user *sluice_charge(struct sluice_device *sd, enum sluice_good good, u64 amount);
void sluice_uncharge(struct sluice_device *sd, struct sluice_user *user, enum sluice_good good,
		     u64 amount);
bool sluice_may_begin(struct sluice_device *sd);
void sluice_users_free(struct sluice_device *sd);

/* irq.c */
void sluice_lines_init(struct sluice_device *sd);
int sluice_irq_init(struct sluice_device *sd);
void sluice_wake_all(struct sluice_device *sd);
void sluice_events_restart(struct sluice_device *sd);

/* pages.c */
struct sluice_pages *sluice_pages_get(struct sluice_device *sd, struct drm_gem_object *obj);
int sluice_pages_fill(struct sluice_device *sd, u32 epoch, u32 handle, struct sluice_pages *pages);
void sluice_pages_put(struct sluice_device *sd, struct sluice_pages *pages);
int sluice_pages_dma_address(struct sluice_device *sd, struct sluice_pages *pages, u64 offset,
			     u64 *address);
void sluice_touch_work(struct work_struct *work);
void sluice_pages_unmap_all(struct sluice_device *sd);
bool sluice_pages_quarantine(struct sluice_device *sd, struct sluice_pages *pages, u32 epoch);
void sluice_quarantine_flush(struct sluice_device *sd);
void sluice_quarantine_leak(struct sluice_device *sd);

struct sluice_list *sluice_list_get(struct sluice_device *sd);
void sluice_list_put(struct sluice_device *sd, struct sluice_list *list);
void sluice_list_quarantine(struct sluice_device *sd, struct sluice_list *list);

/* api.c */
void sluice_api_tables_init(struct sluice_device *sd);
int sluice_api_register(struct sluice_device *sd);
void sluice_api_unregister(struct sluice_device *sd);
void sluice_api_close_work(struct work_struct *work);
void sluice_api_leave(struct sluice_device *sd);

/* api_event.c */
void sluice_api_events_init(struct sluice_device *sd);
void sluice_api_events_end(struct sluice_device *sd);
void sluice_api_wake(struct sluice_device *sd);

/* api_memory.c */
void sluice_api_flush(struct sluice_device *sd);
unsigned long sluice_api_leak(struct sluice_device *sd);

/* gem.c */
#define SLUICE_NOT_IN_APERTURE (~0ull)
void sluice_bo_release(struct sluice_bo *bo);
int sluice_gem_mmap(struct drm_file *file, struct vm_area_struct *vma, u32 handle);
int sluice_gem_new_ioctl(struct drm_device *dev, void *data, struct drm_file *file);
int sluice_gem_info_ioctl(struct drm_device *dev, void *data, struct drm_file *file);

/* vspace.c */
struct sluice_vspace *sluice_vspace_find(struct sluice_device *sd, struct drm_file *file, u32 vid);
void sluice_vspace_put(struct sluice_vspace *vs);
struct sluice_bo *sluice_vspace_lookup(struct sluice_vspace *vs, u64 address, u64 *offset);
void sluice_vspaces_close(struct sluice_device *sd, struct drm_file *file);
int sluice_vspace_new_ioctl(struct drm_device *dev, void *data, struct drm_file *file);
int sluice_vspace_free_ioctl(struct drm_device *dev, void *data, struct drm_file *file);
int sluice_vspace_map_ioctl(struct drm_device *dev, void *data, struct drm_file *file);
int sluice_vspace_unmap_ioctl(struct drm_device *dev, void *data, struct drm_file *file);

/* channel.c */
int sluice_channel_mmap(struct drm_file *file, struct vm_area_struct *vma, u32 cid);
int sluice_doorbell_mmap(struct sluice_device *sd, struct vm_area_struct *vma);
void sluice_channels_close(struct sluice_device *sd, struct drm_file *file);
int sluice_chan_new_ioctl(struct drm_device *dev, void *data, struct drm_file *file);
int sluice_chan_free_ioctl(struct drm_device *dev, void *data, struct drm_file *file);
int sluice_obj_vdma_new_ioctl(struct drm_device *dev, void *data, struct drm_file *file);
int sluice_obj_eng_new_ioctl(struct drm_device *dev, void *data, struct drm_file *file);
int sluice_fifo_init_ioctl(struct drm_device *dev, void *data, struct drm_file *file);
int sluice_fifo_init_ib_ioctl(struct drm_device *dev, void *data, struct drm_file *file);
int sluice_chan_wait_ioctl(struct drm_device *dev, void *data, struct drm_file *file);

/* access.c */
int sluice_vm_read32_ioctl(struct drm_device *dev, void *data, struct drm_file *file);
int sluice_vm_write32_ioctl(struct drm_device *dev, void *data, struct drm_file *file);
int sluice_vm_read_ioctl(struct drm_device *dev, void *data, struct drm_file *file);
int sluice_vm_write_ioctl(struct drm_device *dev, void *data, struct drm_file *file);
int sluice_vm_map_ioctl(struct drm_device *dev, void *data, struct drm_file *file);
int sluice_vm_unmap_ioctl(struct drm_device *dev, void *data, struct drm_file *file);
int sluice_phys_getaddr_ioctl(struct drm_device *dev, void *data, struct drm_file *file);

/* drv.c */
extern const struct drm_driver sluice_drm_driver;
void sluice_void_all(struct sluice_device *sd);

#endif /* SLUICE_H */
