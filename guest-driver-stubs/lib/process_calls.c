/*
 * Calls of a plain process to the host, and waiting for its interrupts. Whoever waits looks at the
 * connection too: a host that has ended raises no interrupt, and its last words stay in shared memory.
 */
#include "process.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define CALL_SECONDS 5 /* a call that takes longer means that the host has stalled */
#define GONE (POLLHUP | POLLERR | POLLNVAL)

bool process_is_gone(struct device *d)
{
	struct pollfd connection = { .fd = d->link.socket };

	return poll(&connection, 1, 0) > 0 && connection.revents & GONE;
}

enum process_event process_wait_vector(struct device *d, uint32_t vector, int timeout_ms)
{
	struct pollfd fds[] = {
		{ .fd = d->vector[vector], .events = POLLIN },
		{ .fd = d->link.socket },
	};
	uint64_t count;

	if (poll(fds, 2, timeout_ms) <= 0)
		return PROCESS_TIMEOUT;
	if (fds[0].revents && read(fds[0].fd, &count, sizeof(count)) == sizeof(count))
		return PROCESS_INTERRUPT;
	return fds[1].revents & GONE ? PROCESS_GONE : PROCESS_TIMEOUT;
}

static bool is_done(const struct sluice_slot *slot, uint32_t seq)
{
	return __atomic_load_n(&slot->done_seq, __ATOMIC_ACQUIRE) == seq;
}

int process_call(struct device *d, uint32_t number, void *args, size_t bytes)
{
	struct sluice_slot *slot = (struct sluice_slot *)(d->call_bar + SLUICE_BAR1_SLOTS);
	uint32_t seq = slot->seq + 1 ? slot->seq + 1 : 1;
	enum process_event event = PROCESS_TIMEOUT;
	int second;

	if (d->dead)
		return -EIO;
	memset(slot->args, 0, sizeof(slot->args));
	memcpy(slot->args, args, bytes);
	slot->command = number;
	__atomic_store_n(&slot->seq, seq, __ATOMIC_RELEASE);
	for (second = 0; second < CALL_SECONDS && event != PROCESS_GONE; second++) {
		if (vfio_user_write32(&d->link, SLUICE_BAR_REGISTERS, SLUICE_REG_CALL, 0))
			break;
		do
			event = is_done(slot, seq) ? PROCESS_TIMEOUT : process_wait_vector(d, 0, 1000);
		while (event == PROCESS_INTERRUPT);
		if (is_done(slot, seq)) {
			if (slot->status != SLUICE_STATUS_OK)
				return -(int)(slot->status & ~SLUICE_STATUS_ERROR);
			memcpy(args, slot->args, bytes);
			return 0;
		}
	}
	d->dead = true;
	return -EIO;
}

int process_free_call(struct device *d, uint32_t number, uint32_t handle)
{
	struct sluice_handle args = { .handle = handle };

	return process_call(d, number, &args, sizeof(args));
}
