/*
 * Memory for bulk data within the session's segments. First fit; a segment is added when none has
 * room, and stays. Pieces are of whole lines below a page and of whole pages above; what large
 * pieces held is given back to the system when they are freed.
 */
#include "session.h"

#include <stdlib.h>
#include <sys/mman.h>

#define LINE 256ull
#define PAGE 4096ull
#define GROW_BYTES (32ull << 20)
#define LARGE_BYTES (32ull << 20)
#define PLACE(index, offset) ((uint64_t)(index) << 48 | (offset))

static uint64_t rounded(uint64_t size)
{
	uint64_t unit = size < PAGE ? LINE : PAGE;

	return size ? (size + unit - 1) & ~(unit - 1) : LINE;
}

/* Takes bytes off a free piece, at the alignment that their size asks for; false: it is too small. */
static bool take_from(struct extent **link, uint64_t size, uint64_t *at)
{
	struct extent *e = *link;
	uint64_t align = size < PAGE ? LINE : PAGE;
	uint64_t start = (e->at + align - 1) & ~(align - 1);
	uint64_t gap = start - e->at;

	if (e->size < gap || e->size - gap < size)
		return false;
	if (gap && e->size - gap > size) {
		struct extent *rest = malloc(sizeof(*rest));

		if (!rest)
			return false;
		*rest = (struct extent){ e->next, start + size, e->size - gap - size };
		e->next = rest;
		e->size = gap;
	} else if (gap) {
		e->size = gap;
	} else {
		e->at += size;
		e->size -= size;
		if (e->size == 0) {
			*link = e->next;
			free(e);
		}
	}
	*at = start;
	return true;
}

static bool alloc_in(struct session *s, uint32_t index, uint64_t size, uint64_t *place)
{
	struct extent **link = &s->segment[index].free;
	uint64_t at;

	for (; *link; link = &(*link)->next)
		if ((*link)->size >= size && take_from(link, size, &at)) {
			*place = PLACE(index, at);
			return true;
		}
	return false;
}

static bool grow(struct session *s, uint64_t size)
{
	uint64_t left = s->most_bytes - s->segment_bytes;
	uint64_t bytes = GROW_BYTES;

	/* Twice as large each time, so that their number suffices. */
	if (s->segment_count > 1)
		bytes = s->segment[s->segment_count - 1].bytes < GROW_BYTES << 4 ?
				s->segment[s->segment_count - 1].bytes * 2 :
				GROW_BYTES << 4;
	if (bytes < size)
		bytes = size;
	if (bytes > left)
		bytes = left & ~(PAGE - 1);
	return s->segment_count < SEGMENTS && s->segment_bytes < s->most_bytes && bytes >= size &&
	       link_add_segment(s, s->segment_count, bytes) == 0;
}

bool arena_alloc(struct session *s, uint64_t size, struct range *range)
{
	uint64_t bytes = rounded(size);
	bool found = false;
	uint32_t i;

	if (bytes < size)
		return false;
	range->size = size;
	pthread_mutex_lock(&s->arena_lock);
	for (i = 0; i < s->segment_count && !found; i++)
		found = alloc_in(s, i, bytes, &range->place);
	if (!found && !session_has_ended(s) && grow(s, bytes))
		found = alloc_in(s, s->segment_count - 1, bytes, &range->place);
	pthread_mutex_unlock(&s->arena_lock);
	return found;
}

static void give_back(struct segment *segment, uint64_t at, uint64_t size)
{
	struct extent **link = &segment->free;
	struct extent *before = NULL;
	struct extent *e;

	while (*link && (*link)->at < at) {
		before = *link;
		link = &before->next;
	}
	e = *link;
	if (before && before->at + before->size == at) {
		before->size += size;
		if (e && at + size == e->at) {
			before->size += e->size;
			before->next = e->next;
			free(e);
		}
	} else if (e && at + size == e->at) {
		e->at = at;
		e->size += size;
	} else {
		struct extent *piece = malloc(sizeof(*piece));

		/* Without memory for this note the piece is lost to the session, no more. */
		if (!piece)
			return;
		*piece = (struct extent){ e, at, size };
		*link = piece;
	}
}

void arena_free(struct session *s, struct range range)
{
	uint64_t bytes = rounded(range.size);
	uint64_t at = range.place & 0xffffffffffffull;

	if (range.size == 0 || session_has_ended(s))
		return;
	if (bytes >= LARGE_BYTES)
		madvise(arena_at(s, range), bytes, MADV_REMOVE);
	pthread_mutex_lock(&s->arena_lock);
	give_back(&s->segment[range.place >> 48], at, bytes);
	pthread_mutex_unlock(&s->arena_lock);
}

bool arena_find(struct session *s, const void *at, uint64_t size, struct range *range)
{
	uint32_t count = __atomic_load_n(&s->segment_count, __ATOMIC_ACQUIRE);
	uint32_t i;

	for (i = 0; i < count; i++) {
		uint64_t offset = (uint64_t)((uintptr_t)at - (uintptr_t)s->segment[i].memory);

		if (offset < s->segment[i].bytes && size <= s->segment[i].bytes - offset) {
			*range = (struct range){ PLACE(i, offset), size };
			return true;
		}
	}
	return false;
}
