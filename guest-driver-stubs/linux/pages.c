// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest memory as GPU memory: the pages of a buffer are pinned, mapped for DMA and named to the
 * host in lists of extents. The device is a process that maps guest memory, so it is as coherent
 * as another processor, and the pages may be used by both sides all the time.
 */
#include <linux/dma-mapping.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_prime.h>

#include "sluice.h"

/*
 * Pins the pages of a GEM object (shmem, zeroed) and maps them for DMA. Swiotlb would give the
 * device copies, which nobody would ever synchronise; the 64-bit DMA mask keeps it out.
 */
struct sluice_pages *sluice_pages_get(struct sluice_device *sd, struct drm_gem_object *obj)
{
	struct device *dma = obj->dev->dev;
	struct sluice_pages *pages;
	int ret;

	pages = kzalloc_obj(*pages);
	if (!pages)
		return ERR_PTR(-ENOMEM);
	pages->obj = obj;
	pages->count = obj->size >> PAGE_SHIFT;
	pages->page = drm_gem_get_pages(obj);
	if (IS_ERR(pages->page)) {
		ret = PTR_ERR(pages->page);
		goto free;
	}
	pages->sgt = drm_prime_pages_to_sg(obj->dev, pages->page, pages->count);
	if (IS_ERR(pages->sgt)) {
		ret = PTR_ERR(pages->sgt);
		goto put;
	}
	ret = dma_map_sgtable(dma, pages->sgt, DMA_BIDIRECTIONAL, 0);
	if (ret)
		goto free_table;
	mutex_lock(&sd->pages_lock);
	list_add(&pages->link, &sd->pages);
	mutex_unlock(&sd->pages_lock);
	return pages;

free_table:
	sg_free_table(pages->sgt);
	kfree(pages->sgt);
put:
	drm_gem_put_pages(obj, pages->page, false, false);
free:
	kfree(pages);
	return ERR_PTR(ret);
}

/* Ends the device's access; the pages themselves stay. */
static void pages_unmap(struct sluice_device *sd, struct sluice_pages *pages)
{
	if (!pages->sgt)
		return;
	dma_unmap_sgtable(sd->drm.dev, pages->sgt, DMA_BIDIRECTIONAL, 0);
	sg_free_table(pages->sgt);
	kfree(pages->sgt);
	pages->sgt = NULL;
}

/* Lets pages go that the host cannot reach. */
void sluice_pages_put(struct sluice_device *sd, struct sluice_pages *pages)
{
	mutex_lock(&sd->pages_lock);
	list_del(&pages->link);
	pages_unmap(sd, pages);
	mutex_unlock(&sd->pages_lock);
	drm_gem_put_pages(pages->obj, pages->page, true, false);
	kfree(pages);
}

/* The bus address of a byte; -ENODEV when the driver has left the device. */
int sluice_pages_dma_address(struct sluice_device *sd, struct sluice_pages *pages, u64 offset,
			     u64 *address)
{
	struct scatterlist *sg;
	int ret = -ENODEV;
	int i, cookie;

	/* The caller has the buffer, and its pages stay mapped until the driver leaves the device. */
	if (!drm_dev_enter(&sd->drm, &cookie))
		return -ENODEV;
	for_each_sgtable_dma_sg(pages->sgt, sg, i) {
		if (offset < sg_dma_len(sg)) {
			*address = sg_dma_address(sg) + offset;
			ret = 0;
			break;
		}
		offset -= sg_dma_len(sg);
	}
	drm_dev_exit(cookie);
	return ret;
}

struct sluice_list *sluice_list_get(struct sluice_device *sd)
{
	struct sluice_list *list = kzalloc_obj(*list);

	BUILD_BUG_ON(SLUICE_MAX_EXTENTS * sizeof(struct sluice_extent) > PAGE_SIZE);
	if (!list)
		return NULL;
	list->extents = (void *)get_zeroed_page(GFP_KERNEL);
	if (!list->extents)
		goto free;
	list->iova = dma_map_single(sd->drm.dev, list->extents, PAGE_SIZE, DMA_TO_DEVICE);
	if (dma_mapping_error(sd->drm.dev, list->iova))
		goto free_page;
	return list;

free_page:
	free_page((unsigned long)list->extents);
free:
	kfree(list);
	return NULL;
}

/* Ends the device's access; the page itself stays. */
static void list_unmap(struct sluice_device *sd, struct sluice_list *list)
{
	if (list->iova == DMA_MAPPING_ERROR)
		return;
	dma_unmap_single(sd->drm.dev, list->iova, PAGE_SIZE, DMA_TO_DEVICE);
	list->iova = DMA_MAPPING_ERROR;
}

void sluice_list_put(struct sluice_device *sd, struct sluice_list *list)
{
	list_unmap(sd, list);
	free_page((unsigned long)list->extents);
	kfree(list);
}

/* Keeps a list that the host may still read. */
void sluice_list_quarantine(struct sluice_device *sd, struct sluice_list *list)
{
	mutex_lock(&sd->pages_lock);
	list_add(&list->link, &sd->lists_in_quarantine);
	mutex_unlock(&sd->pages_lock);
}

/* A list under construction: where it goes to when it is full. */
struct fill {
	struct sluice_device *sd;
	u32 epoch;
	struct sluice_mem_pages args;
	struct sluice_list *list;
	u64 bytes; /* in the list */
	bool unknown; /* whether the host may still read the list */
};

static int fill_flush(struct fill *fill)
{
	struct sluice_mem_pages args = fill->args;
	int ret;

	if (args.count == 0)
		return 0;
	dma_sync_single_for_device(fill->sd->drm.dev, fill->list->iova, PAGE_SIZE, DMA_TO_DEVICE);
	ret = sluice_call_told(fill->sd, fill->epoch, SLUICE_CALL_MEM_PAGES, &args, sizeof(args),
			       &fill->unknown);
	fill->args.offset += fill->bytes;
	fill->args.count = 0;
	fill->bytes = 0;
	return ret;
}

static int fill_add(struct fill *fill, u64 iova, u64 bytes)
{
	struct sluice_extent *extent = &fill->list->extents[fill->args.count++];

	extent->iova = iova;
	extent->bytes = bytes;
	fill->bytes += bytes;
	return fill->args.count == SLUICE_MAX_EXTENTS ? fill_flush(fill) : 0;
}

/* Names all pages to the host as the content of its buffer @handle, which is empty. */
int sluice_pages_fill(struct sluice_device *sd, u32 epoch, u32 handle, struct sluice_pages *pages)
{
	struct fill fill = { .sd = sd, .epoch = epoch, .args.handle = handle };
	struct scatterlist *sg;
	int ret = 0;
	int i;

	fill.list = sluice_list_get(sd);
	if (!fill.list)
		return -ENOMEM;
	fill.args.list_iova = fill.list->iova;
	for_each_sgtable_dma_sg(pages->sgt, sg, i) {
		ret = fill_add(&fill, sg_dma_address(sg), sg_dma_len(sg));
		if (ret)
			break;
	}
	if (ret == 0)
		ret = fill_flush(&fill);
	if (fill.unknown && sluice_current(sd, epoch))
		sluice_list_quarantine(sd, fill.list);
	else
		sluice_list_put(sd, fill.list);
	return ret;
}

/*
 * Keeps pages that the host might still reach, with their buffer, which nobody has any more. False:
 * there was a reset since, and they are the caller's to let go.
 */
bool sluice_pages_quarantine(struct sluice_device *sd, struct sluice_pages *pages, u32 epoch)
{
	bool keeps;

	mutex_lock(&sd->pages_lock); /* the flush comes after the epoch's end, and takes it, too */
	keeps = sluice_current(sd, epoch);
	if (keeps)
		list_move(&pages->link, &sd->quarantine);
	mutex_unlock(&sd->pages_lock);
	return keeps;
}

/* After a reset: the host has let go of everything. */
void sluice_quarantine_flush(struct sluice_device *sd)
{
	struct sluice_pages *pages, *next;
	struct sluice_list *list, *next_list;
	LIST_HEAD(free);

	mutex_lock(&sd->pages_lock);
	list_for_each_entry_safe(list, next_list, &sd->lists_in_quarantine, link) {
		list_del(&list->link);
		sluice_list_put(sd, list);
	}
	list_for_each_entry(pages, &sd->quarantine, link)
		pages_unmap(sd, pages);
	list_splice_init(&sd->quarantine, &free);
	mutex_unlock(&sd->pages_lock);
	list_for_each_entry_safe(pages, next, &free, link) {
		struct drm_gem_object *obj = pages->obj;

		drm_gem_put_pages(obj, pages->page, true, false);
		kfree(pages);
		sluice_bo_release(to_sluice_bo(obj));
	}
	sluice_api_flush(sd);
}

static void pages_touch(struct sluice_pages *pages)
{
	unsigned long i;

	for (i = 0; i < pages->count; i++) {
		void *page = kmap_local_page(pages->page[i]);

		/* A write that loses none of another processor's, nor the GPU's. */
		atomic_or(0, page);
		kunmap_local(page);
		cond_resched();
	}
}

/*
 * The host's move of the machine has come to the point where the GPU writes no more: a write by a
 * processor to each page it may have written makes whoever copies the machine's memory copy them.
 */
void sluice_touch_work(struct work_struct *work)
{
	struct sluice_device *sd = container_of(work, struct sluice_device, touch_work);
	u32 code = READ_ONCE(sd->touch_code);
	struct sluice_pages *pages;
	int idx;

	if (!drm_dev_enter(&sd->drm, &idx))
		return;
	mutex_lock(&sd->pages_lock);
	list_for_each_entry(pages, &sd->pages, link)
		pages_touch(pages);
	list_for_each_entry(pages, &sd->quarantine, link)
		pages_touch(pages);
	mutex_unlock(&sd->pages_lock);
	/* Done with the pages; pairs with the host's acquire. */
	smp_store_release(&sd->events->touched, code);
	drm_dev_exit(idx);
}

/*
 * The driver leaves the device. After a reset, buffers that programs still hold stay theirs alone;
 * without one, all that the host might reach stays pinned, here or once the programs let it go.
 */
void sluice_pages_unmap_all(struct sluice_device *sd)
{
	struct sluice_pages *pages;
	struct sluice_list *list;

	mutex_lock(&sd->pages_lock);
	list_for_each_entry(pages, &sd->pages, link)
		pages_unmap(sd, pages);
	list_for_each_entry(pages, &sd->quarantine, link)
		pages_unmap(sd, pages);
	list_for_each_entry(list, &sd->lists_in_quarantine, link)
		list_unmap(sd, list);
	mutex_unlock(&sd->pages_lock);
}

/*
 * The last of the device goes and no reset was confirmed: memory lost is better than memory
 * overwritten. What names the pages goes, the pages stay.
 */
void sluice_quarantine_leak(struct sluice_device *sd)
{
	struct sluice_pages *pages, *next;
	struct sluice_list *list, *next_list;
	unsigned long lost = 0;

	list_for_each_entry_safe(list, next_list, &sd->lists_in_quarantine, link) {
		lost++;
		kfree(list);
	}
	list_for_each_entry_safe(pages, next, &sd->quarantine, link) {
		lost += pages->count;
		kvfree(pages->page);
		kfree(to_sluice_bo(pages->obj));
		kfree(pages);
	}
	lost += sluice_api_leak(sd);
	if (lost)
		drm_warn(&sd->drm, "%lu pages stay pinned: the host has not let go of them\n",
			 lost);
}
