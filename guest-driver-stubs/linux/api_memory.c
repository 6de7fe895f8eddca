// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that processes share with their API sessions on the host: of pieces as large as can be had,
 * so that the host maps few; charged to the process, and bounded per device and user.
 */
#include <linux/dma-mapping.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>

#include <drm/drm_drv.h>

#include "api_memory.h"
#include "sluice.h"

#ifndef MAX_PAGE_ORDER /* older kernels */
#define MAX_PAGE_ORDER MAX_ORDER
#endif

static void pieces_unmap(struct sluice_device *sd, struct sluice_api_memory *memory)
{
	unsigned int i;

	if (!memory->mapped)
		return;
	for (i = 0; i < memory->pieces; i++)
		dma_unmap_page(sd->drm.dev, memory->piece[i].iova,
			       memory->piece[i].count << PAGE_SHIFT, DMA_BIDIRECTIONAL);
	memory->mapped = false;
}

static void pieces_free(struct sluice_device *sd, struct sluice_api_memory *memory)
{
	unsigned long page;
	unsigned int i;

	for (i = 0; i < memory->pieces; i++)
		for (page = 0; page < memory->piece[i].count; page++)
			put_page(memory->piece[i].page + page);
	if (memory->piece_holder)
		sluice_uncharge(sd, memory->piece_holder, SLUICE_API_PIECES, memory->pieces);
	sluice_uncharge(sd, memory->holder, SLUICE_API_BYTES, (u64)memory->pages << PAGE_SHIFT);
	kvfree(memory);
}

/* Lets memory go that the host cannot reach. */
void sluice_api_memory_put(struct sluice_device *sd, struct sluice_api_memory *memory)
{
	mutex_lock(&sd->pages_lock);
	list_del(&memory->link);
	pieces_unmap(sd, memory);
	mutex_unlock(&sd->pages_lock);
	pieces_free(sd, memory);
}

/* Keeps memory that the host might still reach, until a reset; if that was since, lets it go. */
void sluice_api_memory_quarantine(struct sluice_device *sd, struct sluice_api_memory *memory,
				  u32 epoch)
{
	bool keeps;

	mutex_lock(&sd->pages_lock); /* the flush comes after the epoch's end, and takes it, too */
	keeps = sluice_current(sd, epoch);
	memory->quarantined = keeps;
	mutex_unlock(&sd->pages_lock);
	if (!keeps)
		sluice_api_memory_put(sd, memory);
}

static int piece_add(struct sluice_device *sd, struct sluice_api_memory *memory,
		     unsigned long first, unsigned int order)
{
	struct piece *piece = &memory->piece[memory->pieces];
	gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN;

	/* Large pieces are a wish: nothing is moved nor given up for them. */
	piece->page = alloc_pages(order ? gfp | __GFP_NORETRY : gfp, order);
	if (!piece->page)
		return -ENOMEM;
	split_page(piece->page, order);
	piece->first = first;
	piece->count = 1ul << order;
	piece->iova = dma_map_page(sd->drm.dev, piece->page, 0, PAGE_SIZE << order,
				   DMA_BIDIRECTIONAL);
	if (dma_mapping_error(sd->drm.dev, piece->iova)) {
		unsigned long page;

		for (page = 0; page < piece->count; page++)
			put_page(piece->page + page);
		return -EIO;
	}
	memory->pieces++;
	return 0;
}

static int pieces_fill(struct sluice_device *sd, struct sluice_api_memory *memory)
{
	unsigned int order = MAX_PAGE_ORDER;
	unsigned long done = 0;
	int ret;

	while (done < memory->pages) {
		if (memory->pieces == SLUICE_MAX_EXTENTS)
			return -ENOMEM; /* what is left is in too many pieces */
		if (fatal_signal_pending(current))
			return -EINTR;
		order = min_t(unsigned int, order, ilog2(memory->pages - done));
		ret = piece_add(sd, memory, done, order);
		if (ret == 0)
			done += 1ul << order;
		else if (ret == -ENOMEM && order > 0)
			order--;
		else
			return ret;
		cond_resched();
	}
	return 0;
}

static int pieces_charge(struct sluice_device *sd, struct sluice_api_memory *memory)
{
	struct sluice_user *holder = sluice_charge(sd, SLUICE_API_PIECES, memory->pieces);

	if (IS_ERR(holder))
		return PTR_ERR(holder);
	memory->piece_holder = holder;
	return 0;
}

/* The driver does not leave the device meanwhile: the caller sees to that. */
struct sluice_api_memory *sluice_api_memory_get(struct sluice_device *sd, u64 bytes)
{
	struct sluice_user *holder = sluice_charge(sd, SLUICE_API_BYTES, bytes);
	struct sluice_api_memory *memory;
	int ret;

	if (IS_ERR(holder))
		return ERR_CAST(holder);
	memory = kvzalloc(sizeof(*memory), GFP_KERNEL_ACCOUNT);
	if (!memory) {
		sluice_uncharge(sd, holder, SLUICE_API_BYTES, bytes);
		return ERR_PTR(-ENOMEM);
	}
	memory->holder = holder;
	memory->pages = bytes >> PAGE_SHIFT;
	memory->mapped = true;
	ret = pieces_fill(sd, memory);
	if (ret == 0)
		ret = pieces_charge(sd, memory);
	if (ret) {
		pieces_unmap(sd, memory);
		pieces_free(sd, memory);
		return ERR_PTR(ret);
	}
	mutex_lock(&sd->pages_lock);
	list_add(&memory->link, &sd->api_memory);
	mutex_unlock(&sd->pages_lock);
	return memory;
}

/* The page at an index of the segment. */
struct page *sluice_api_memory_page(struct sluice_api_memory *memory, unsigned long index)
{
	unsigned int low = 0, high = memory->pieces;

	while (high - low > 1) {
		unsigned int middle = (low + high) / 2;

		if (memory->piece[middle].first <= index)
			low = middle;
		else
			high = middle;
	}
	return memory->piece[low].page + (index - memory->piece[low].first);
}

/* Its extents, for the host. */
void sluice_api_memory_list(const struct sluice_api_memory *memory, struct sluice_list *list)
{
	unsigned int i;

	for (i = 0; i < memory->pieces; i++) {
		list->extents[i].iova = memory->piece[i].iova;
		list->extents[i].bytes = (u64)memory->piece[i].count << PAGE_SHIFT;
	}
}

/* The driver has left the device: nothing is mapped any more. */
void sluice_api_memory_unmap_all(struct sluice_device *sd)
{
	struct sluice_api_memory *memory;

	mutex_lock(&sd->pages_lock);
	list_for_each_entry(memory, &sd->api_memory, link)
		pieces_unmap(sd, memory);
	mutex_unlock(&sd->pages_lock);
}

/* After a reset: the host has let go of everything. */
void sluice_api_flush(struct sluice_device *sd)
{
	struct sluice_api_memory *memory, *next;
	LIST_HEAD(free);

	mutex_lock(&sd->pages_lock);
	list_for_each_entry_safe(memory, next, &sd->api_memory, link) {
		if (!memory->quarantined)
			continue;
		pieces_unmap(sd, memory);
		list_move(&memory->link, &free);
	}
	mutex_unlock(&sd->pages_lock);
	list_for_each_entry_safe(memory, next, &free, link)
		pieces_free(sd, memory);
}

/* The last of the device goes and no reset was confirmed. Returns the pages that are lost. */
unsigned long sluice_api_leak(struct sluice_device *sd)
{
	struct sluice_api_memory *memory, *next;
	unsigned long lost = 0;

	list_for_each_entry_safe(memory, next, &sd->api_memory, link) {
		lost += memory->pages;
		list_del(&memory->link);
		kvfree(memory);
	}
	return lost;
}
