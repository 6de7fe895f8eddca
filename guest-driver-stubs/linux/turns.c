// SPDX-License-Identifier: GPL-2.0-only
/*
 * Turns: so many may go on at a time, the others wait in the order in which they came. Calls of the
 * device take turns at its slots, and before that, at half of them, with the calls of their own user:
 * however many threads he has, another's call is behind so many of his, and no more.
 */
#include <linux/completion.h>
#include <linux/list.h>
#include <linux/spinlock.h>

#include "sluice.h"

struct waiter {
	struct list_head link;
	struct completion done;
	bool granted;
};

void sluice_turns_init(struct sluice_turns *turns)
{
	spin_lock_init(&turns->lock);
	INIT_LIST_HEAD(&turns->waiting);
}

/* All are free; nobody has one, and nobody waits. */
void sluice_turns_restart(struct sluice_turns *turns, unsigned int free)
{
	spin_lock(&turns->lock);
	turns->free = free;
	spin_unlock(&turns->lock);
}

/*
 * Waits for a turn, not to be interrupted: false when it ends without one, as the device is dead.
 * Whoever has a turn gives it back in bounded time, or the device is marked dead.
 */
bool sluice_turn_take(struct sluice_turns *turns, const bool *dead)
{
	struct waiter waiter = { .granted = false };
	bool waits = false;

	init_completion(&waiter.done);
	spin_lock(&turns->lock);
	if (READ_ONCE(*dead)) {
		; /* the waiting was ended, or will be: this comes too late for that */
	} else if (turns->free > 0) {
		turns->free--;
		waiter.granted = true;
	} else {
		list_add_tail(&waiter.link, &turns->waiting);
		waits = true;
	}
	spin_unlock(&turns->lock);
	if (waits)
		wait_for_completion(&waiter.done);
	return waiter.granted;
}

static void let_go(struct sluice_turns *turns, bool granted)
{
	struct waiter *waiter = list_first_entry(&turns->waiting, struct waiter, link);

	list_del(&waiter->link);
	waiter->granted = granted;
	complete(&waiter->done); /* its last use here: it is on a stack */
}

/* Gives a turn back: whoever waits for the longest has it then. */
void sluice_turn_give(struct sluice_turns *turns)
{
	spin_lock(&turns->lock);
	if (list_empty(&turns->waiting))
		turns->free++;
	else
		let_go(turns, true);
	spin_unlock(&turns->lock);
}

/* Ends all waiting; after the device was marked dead. */
void sluice_turns_end(struct sluice_turns *turns)
{
	spin_lock(&turns->lock);
	while (!list_empty(&turns->waiting))
		let_go(turns, false);
	spin_unlock(&turns->lock);
}
