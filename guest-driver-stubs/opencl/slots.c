/*
 * Places for answers. Who finds none sleeps until one is given back, and looks at the connection now
 * and then.
 */
#include "slots.h"

#include <time.h>

#define CLEARED_VALUES 2
#define SHORT_SLOTS 8 /* for calls that are answered at once, such as the one that sets what all others wait for */
#define LOOK_NS 50000000

uint32_t *slot_word(const struct session *s, uint32_t slot)
{
	return (uint32_t *)(s->memory + AT_ANSWERS + slot * ANSWER_BYTES);
}

uint32_t *slot_caller(const struct session *s, uint32_t slot)
{
	return (uint32_t *)(s->memory + AT_CALLERS + slot * CALLER_BYTES);
}

void slot_read(const struct session *s, struct answer *answer)
{
	const uint8_t *at = (const uint8_t *)slot_word(s, answer->slot);

	memcpy(&answer->status, at + 4, 4);
	memcpy(answer->values, at + 8, sizeof(answer->values));
}

/* The host writes those values that it has: none are left from before. */
static void make_ready(struct session *s, uint32_t slot)
{
	memset(slot_word(s, slot), 0, 8 + 8 * CLEARED_VALUES);
	__atomic_store_n(slot_caller(s, slot), 0, __ATOMIC_RELAXED);
	__atomic_store_n(slot_word(s, slot), WAITING, __ATOMIC_RELAXED);
}

static bool take_free(struct session *s, bool lasts, uint32_t *slot)
{
	uint64_t free = __atomic_load_n(&s->free_slots, __ATOMIC_SEQ_CST);

	do {
		if (__builtin_popcountll(free) <= (lasts ? SHORT_SLOTS : 0))
			return false;
		*slot = (uint32_t)__builtin_ctzll(free);
	} while (!__atomic_compare_exchange_n(&s->free_slots, &free, free & (free - 1), true,
					      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
	make_ready(s, *slot);
	return true;
}

/* Sleeps until one is given back, or that long. */
static bool take_soon(struct session *s, bool lasts, uint64_t most_ns, uint32_t *slot)
{
	struct slot_waiters *w = &s->slot_waiters[lasts];
	struct timespec until;
	bool taken;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += (long)most_ns;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&w->lock);
	/* Who gives one sees that somebody waits, or this side sees what was given. */
	__atomic_fetch_add(&w->count, 1, __ATOMIC_SEQ_CST);
	taken = take_free(s, lasts, slot);
	if (!taken) {
		pthread_cond_timedwait(&w->freed, &w->lock, &until);
		taken = take_free(s, lasts, slot);
	}
	__atomic_fetch_sub(&w->count, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&w->lock);
	return taken;
}

bool slot_try(struct session *s, uint64_t most_ns, uint32_t *slot)
{
	return take_free(s, true, slot) || (most_ns && take_soon(s, true, most_ns, slot));
}

int32_t slot_take(struct session *s, uint32_t *slot)
{
	if (take_free(s, false, slot))
		return 0;
	while (!take_soon(s, false, LOOK_NS, slot))
		if (session_probe(s))
			return CL_DEVICE_NOT_AVAILABLE;
	return 0;
}

void slot_give(struct session *s, uint32_t slot)
{
	__atomic_fetch_or(&s->free_slots, 1ull << slot, __ATOMIC_SEQ_CST);
	for (int lasts = 0; lasts < 2; lasts++) {
		struct slot_waiters *w = &s->slot_waiters[lasts];

		if (__atomic_load_n(&w->count, __ATOMIC_SEQ_CST) == 0)
			continue;
		pthread_mutex_lock(&w->lock);
		pthread_cond_signal(&w->freed);
		pthread_mutex_unlock(&w->lock);
	}
}

void slot_give_unused(struct session *s, struct answer *answer)
{
	if (answer->has_slot)
		slot_give(s, answer->slot);
	answer->has_slot = false;
}
