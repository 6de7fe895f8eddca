// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls to the host. A call is posted: fill a slot of BAR 1, store its sequence number last,
 * write the slot's index to a register, wait until the host has stored the same number as done.
 * The slots are ordinary memory shared with a process of the host, hence the acquire and release
 * below; the write of the register is the only exit.
 *
 * Interrupts are hints and so are doorbells: a waiter looks at its slot again every second and
 * rings again, which does nothing if the call was taken already.
 */
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/io.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/uidgid.h>

#include <drm/drm_drv.h>

#include "sluice.h"

static struct sluice_slot *slot_at(struct sluice_device *sd, unsigned int index)
{
	return sd->calls + SLUICE_BAR1_SLOTS + index * SLUICE_SLOT_SIZE;
}

static bool is_dead(struct sluice_device *sd)
{
	return READ_ONCE(sd->dead);
}

static bool call_is_done(struct sluice_device *sd, unsigned int index)
{
	/* The results were stored before done_seq; pairs with the host's release. */
	return smp_load_acquire(&slot_at(sd, index)->done_seq) == sd->slot_seq[index];
}

/*
 * The host no longer answers: everything that waits for it ends with EIO, now and until the device
 * was reset. The slot of a call that timed out is not used again before that either, because the
 * host may still write to it.
 */
void sluice_mark_dead(struct sluice_device *sd, const char *why)
{
	if (sluice_stop(sd))
		drm_err(&sd->drm, "%s; reset the device or bind the driver anew\n", why);
}

/* Ends all waiting, and calls until the next reset. Returns whether it was the first to do so. */
bool sluice_stop(struct sluice_device *sd)
{
	unsigned int i;

	if (xchg(&sd->dead, true))
		return false;
	for (i = 0; i < ARRAY_SIZE(sd->lanes); i++)
		sluice_turns_end(&sd->lanes[i]);
	sluice_turns_end(&sd->slots);
	wake_up_all(&sd->call_done);
	sluice_wake_all(sd);
	return true;
}

/*
 * Whether there is anybody; if not, the device is marked dead. Registers of nobody are all ones, and
 * so are those of a device that is being reset: the gate is held, so that it is not the next epoch
 * that is marked.
 */
static bool host_look(struct sluice_device *sd)
{
	bool there;
	int cookie;

	if (!drm_dev_enter(&sd->drm, &cookie))
		return false;
	there = sluice_read(sd, SLUICE_REG_MAGIC) == SLUICE_MAGIC;
	if (!there)
		sluice_mark_dead(sd, "the host service is gone");
	drm_dev_exit(cookie);
	return there;
}

/* The same for who makes no call. A reset on its way finds out by itself. */
bool sluice_host_check(struct sluice_device *sd)
{
	bool there;

	if (!down_read_trylock(&sd->gate))
		return true;
	there = host_look(sd);
	up_read(&sd->gate);
	return there;
}

/* Starts with all slots free, continuing the sequence numbers found in them. */
static void slots_restart(struct sluice_device *sd)
{
	unsigned int i;

	for (i = 0; i < sd->num_slots; i++)
		sd->slot_seq[i] = READ_ONCE(slot_at(sd, i)->seq);
	WRITE_ONCE(sd->slots_used, 0);
	sluice_turns_restart(&sd->slots, sd->num_slots);
	for (i = 0; i < ARRAY_SIZE(sd->lanes); i++)
		sluice_turns_restart(&sd->lanes[i], max(1u, sd->num_slots / 2));
}

int sluice_calls_init(struct sluice_device *sd)
{
	unsigned int i;

	init_waitqueue_head(&sd->call_done);
	sluice_turns_init(&sd->slots);
	for (i = 0; i < ARRAY_SIZE(sd->lanes); i++)
		sluice_turns_init(&sd->lanes[i]);
	sd->num_slots = sluice_read(sd, SLUICE_REG_NUM_SLOTS);
	if (sd->num_slots == 0 || sd->num_slots > SLUICE_MAX_SLOTS)
		return -ENODEV;
	BUILD_BUG_ON(BITS_PER_TYPE(typeof(sd->slots_used)) < SLUICE_MAX_SLOTS);
	BUILD_BUG_ON(sizeof(struct sluice_slot) != SLUICE_SLOT_SIZE);
	slots_restart(sd);
	return 0;
}

/* Whose calls take turns with those of the calling process; NULL: root's wait for nobody's. */
static struct sluice_turns *lane_of_caller(struct sluice_device *sd)
{
	kuid_t uid = sluice_user_of_caller();

	if (uid_eq(uid, GLOBAL_ROOT_UID))
		return NULL;
	return &sd->lanes[hash_32(__kuid_val(uid), SLUICE_LANE_BITS)];
}

/* With a turn at the slots: one of them is free. */
static int slot_find(struct sluice_device *sd)
{
	unsigned int i;

	for (i = 0; i < sd->num_slots; i++)
		if (!test_and_set_bit(i, &sd->slots_used))
			return i;
	WARN_ON_ONCE(1);
	return -EIO;
}

/* Turns that were taken are lost when the device is dead: the reset gives all of them back. */
static int slot_claim(struct sluice_device *sd, struct sluice_turns *lane)
{
	if (lane && !sluice_turn_take(lane, &sd->dead))
		return -EIO;
	if (!sluice_turn_take(&sd->slots, &sd->dead))
		return -EIO;
	return slot_find(sd);
}

static void slot_release(struct sluice_device *sd, unsigned int index, struct sluice_turns *lane)
{
	clear_bit_unlock(index, &sd->slots_used);
	sluice_turn_give(&sd->slots);
	if (lane)
		sluice_turn_give(lane);
}

static void slot_post(struct sluice_device *sd, unsigned int index, u32 command,
		      const void *args, size_t size)
{
	struct sluice_slot *slot = slot_at(sd, index);

	if (++sd->slot_seq[index] == 0)
		sd->slot_seq[index] = 1;
	memcpy(slot->args, args, size);
	WRITE_ONCE(slot->command, command);
	/* What the call says before that there is one; pairs with the host's acquire. */
	smp_store_release(&slot->seq, sd->slot_seq[index]);
	sluice_write(sd, SLUICE_REG_CALL, index);
}

/*
 * Counts seconds in which the host was there and answered nobody, not time: a machine that was
 * stopped meanwhile, or a host that was, gets as much patience afterwards as before, and a call that
 * has many before it waits for them.
 */
static int slot_wait(struct sluice_device *sd, unsigned int index)
{
	int answered = atomic_read(&sd->answered);
	unsigned int waited, silent = 0;

	for (waited = 0; silent < SLUICE_CALL_SECONDS && waited < SLUICE_CALL_MOST_SECONDS;
	     waited++) {
		int now;

		wait_event_timeout(sd->call_done, call_is_done(sd, index) || is_dead(sd), HZ);
		if (call_is_done(sd, index))
			return 0;
		if (is_dead(sd))
			return -EIO;
		if (!host_look(sd)) {
			sluice_stop(sd); /* also when the driver leaves: nobody has this turn back */
			return -EIO;
		}
		sluice_write(sd, SLUICE_REG_CALL, index);
		now = atomic_read(&sd->answered);
		silent = now == answered ? silent + 1 : 0;
		answered = now;
	}
	if (call_is_done(sd, index))
		return 0;
	sluice_mark_dead(sd, "the host does not answer a call");
	return -EIO;
}

static int slot_result(struct sluice_device *sd, unsigned int index, void *args, size_t size)
{
	struct sluice_slot *slot = slot_at(sd, index);
	u32 status = READ_ONCE(slot->status);
	u32 error = status & ~SLUICE_STATUS_ERROR;

	if (status == SLUICE_STATUS_OK) {
		memcpy(args, slot->args, size);
		return 0;
	}
	if (!(status & SLUICE_STATUS_ERROR) || error == 0 || error > MAX_ERRNO)
		return -EPROTO;
	return -(int)error;
}

/**
 * sluice_call_told() - have the host do something
 * @sd: the device
 * @epoch: of the objects it is about, or the one in which an object is made
 * @command: SLUICE_CALL_*
 * @args: its structure, overwritten with the results if the call succeeds
 * @size: of the structure
 *
 * @unknown: whether the call was posted and it is not known what became of it: what it names may be
 *	in use by the host until a reset
 *
 * Sleeps, as long as the host answers others, and not to be interrupted: a call that was posted
 * takes effect, so its result must be known.
 *
 * Return: 0, the host's error, -EIO if the host does not answer or the epoch is over, or -ENODEV if
 * the device was removed.
 */
int sluice_call_told(struct sluice_device *sd, u32 epoch, u32 command, void *args, size_t size,
		     bool *unknown)
{
	struct sluice_turns *lane = lane_of_caller(sd);
	int index, ret, cookie;

	*unknown = false;
	if (WARN_ON_ONCE(size > SLUICE_SLOT_ARGS))
		return -EINVAL;
	if (!drm_dev_enter(&sd->drm, &cookie))
		return -ENODEV;
	down_read(&sd->gate);
	index = sluice_current(sd, epoch) ? slot_claim(sd, lane) : -EIO;
	if (index < 0) {
		ret = index;
		goto out;
	}
	slot_post(sd, index, command, args, size);
	ret = slot_wait(sd, index);
	if (ret == 0) {
		atomic_inc(&sd->answered);
		ret = slot_result(sd, index, args, size);
		/* EIO is also what the host says of what failed there amid. */
		*unknown = ret == -EPROTO || ret == -EIO;
		slot_release(sd, index, lane);
	} else {
		*unknown = true;
	}
out:
	up_read(&sd->gate);
	drm_dev_exit(cookie);
	return ret;
}

/* The same, where it does not matter whether an error is known to have had no effect. */
int sluice_call(struct sluice_device *sd, u32 epoch, u32 command, void *args, size_t size)
{
	bool unknown;

	return sluice_call_told(sd, epoch, command, args, size, &unknown);
}

/**
 * sluice_give_back() - free an object of the host
 * @sd: the device
 * @epoch: in which the object was made
 * @command: the call that frees it, one with struct sluice_handle
 * @id: its id
 *
 * Return: whether the host has certainly let go of it.
 */
bool sluice_give_back(struct sluice_device *sd, u32 epoch, u32 command, u32 id)
{
	struct sluice_handle args = { .handle = id };
	int ret;

	ret = sluice_call(sd, epoch, command, &args, sizeof(args));
	if (ret == 0)
		return true;
	/* A reset has freed it. */
	if (!sluice_current(sd, epoch))
		return true;
	if (ret != -EIO && ret != -ENODEV)
		drm_warn(&sd->drm, "call %u refused to free %u: %d\n", command, id, ret);
	return ret == -ENOENT || ret == -EBADF; /* nothing there */
}

/* Counts looks, not time, as above. */
static int reset_and_wait(struct sluice_device *sd, u32 *generation)
{
	u32 before = sluice_read(sd, SLUICE_REG_GENERATION);
	unsigned int looks = SLUICE_CALL_SECONDS * MSEC_PER_SEC;

	if (sluice_read(sd, SLUICE_REG_MAGIC) != SLUICE_MAGIC)
		return -EIO;
	sluice_write(sd, SLUICE_REG_RESET, SLUICE_MAGIC);
	while ((*generation = sluice_read(sd, SLUICE_REG_GENERATION)) == before) {
		if (looks-- == 0)
			return -EIO;
		usleep_range(USEC_PER_MSEC, 2 * USEC_PER_MSEC);
	}
	/* All ones is a change too, but of another kind. */
	return sluice_read(sd, SLUICE_REG_MAGIC) == SLUICE_MAGIC ? 0 : -EIO;
}

/* Takes device memory from all processes, which fault for what is theirs. */
static void revoke_mappings(struct sluice_device *sd)
{
	down_write(&sd->revoke); /* faults that saw the former epoch are through */
	up_write(&sd->revoke);
	unmap_mapping_range(sd->drm.anon_inode->i_mapping, 0, 0, 1);
}

/**
 * sluice_reset() - have the host free everything this machine holds, and begin a new epoch
 * @sd: the device
 *
 * Waits for calls under way; a caller that does not want to wait marks the device dead first.
 *
 * Return: 0, or -EIO if the host does not answer.
 */
int sluice_reset(struct sluice_device *sd)
{
	u32 generation;
	int ret;

	down_write(&sd->gate);
	ret = reset_and_wait(sd, &generation);
	if (ret == 0) {
		WRITE_ONCE(sd->generation, generation);
		WRITE_ONCE(sd->epoch, sd->epoch + 1);
		slots_restart(sd);
		sluice_events_restart(sd);
		revoke_mappings(sd); /* before there is anything new that they would show */
		WRITE_ONCE(sd->dead, false);
	}
	up_write(&sd->gate);
	if (ret == 0)
		sluice_quarantine_flush(sd);
	sluice_wake_all(sd);
	return ret;
}
