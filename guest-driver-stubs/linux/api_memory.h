/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory of API sessions, see api_memory.c. */
#ifndef SLUICE_API_MEMORY_H
#define SLUICE_API_MEMORY_H

#include <linux/types.h>

#include "sluice.h"

/* A piece of a segment: pages one behind the other, each with a reference of its own. */
struct piece {
	struct page *page;
	unsigned long first; /* index in the segment */
	unsigned long count;
	dma_addr_t iova;
};

/* A segment's memory. */
struct sluice_api_memory {
	struct list_head link; /* sluice_device.api_memory, under pages_lock */
	unsigned long pages;
	unsigned int pieces;
	struct sluice_user *holder;
	struct sluice_user *piece_holder; /* or NULL */
	bool quarantined; /* belongs to no session any more; the host may still use it */
	bool mapped; /* for DMA; under pages_lock once it is in the list */
	struct piece piece[SLUICE_MAX_EXTENTS];
};

struct sluice_api_memory *sluice_api_memory_get(struct sluice_device *sd, u64 bytes);
void sluice_api_memory_put(struct sluice_device *sd, struct sluice_api_memory *memory);
void sluice_api_memory_quarantine(struct sluice_device *sd, struct sluice_api_memory *memory,
				  u32 epoch);
struct page *sluice_api_memory_page(struct sluice_api_memory *memory, unsigned long index);
void sluice_api_memory_list(const struct sluice_api_memory *memory, struct sluice_list *list);
void sluice_api_memory_unmap_all(struct sluice_device *sd);

#endif /* SLUICE_API_MEMORY_H */
