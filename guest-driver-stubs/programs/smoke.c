/*
 * The smallest thing a channel can do, laid out by hand: one ring entry, two words, after which the
 * control page shows the reference value, and GP_GET that the entry was consumed.
 */
#include "sluice.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define RING_ORDER 3
#define PUSH_OFFSET 0x100
#define REFERENCE 0xdeadbeefu
#define TRIES 20000 /* of a millisecond */

static int fail(const char *what, int error)
{
	printf("smoke: %s: %s\n", what, strerror(-error));
	return 1;
}

/* Waits for a word of the control page: the reference, and GP_GET, which follows it by itself. */
static bool word_comes(const struct sluice_channel *ch, uint32_t offset, uint32_t value)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	int tries;

	for (tries = 0; tries < TRIES; tries++) {
		if (__atomic_load_n(ch->control + offset / 4, __ATOMIC_ACQUIRE) == value)
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

int main(int argc, char **argv)
{
	struct sluice_dev dev;
	struct sluice_vspace_id vs = { 0 };
	struct sluice_channel ch = { 0 };
	struct sluice_channel_state state;
	struct sluice_bo bo = { 0 };
	uint64_t address, chipset;
	uint32_t *word;
	int ret;

	ret = sluice_open(&dev, argc > 1 ? argv[1] : NULL);
	if (ret)
		return fail("open", ret);
	ret = sluice_getparam(&dev, PSCNV_PARAM_CHIPSET_ID, &chipset);
	if (ret)
		return fail("GETPARAM", ret);
	printf("smoke: chipset %#llx\n", (unsigned long long)chipset);
	if ((ret = sluice_vspace_new(&dev, &vs)) || (ret = sluice_channel_create(&vs, &ch)) ||
	    (ret = sluice_bo_new(&dev, SLUICE_SYSRAM, 4096, &bo)) || (ret = sluice_bo_map(&bo)) ||
	    (ret = sluice_vspace_map(&vs, &bo, &address)) ||
	    (ret = sluice_channel_start(&ch, address, RING_ORDER)))
		return fail("set-up", ret);

	word = (uint32_t *)((char *)bo.map + PUSH_OFFSET);
	word[0] = 0x20010014; /* one word for method 0x50, SET_REFERENCE */
	word[1] = REFERENCE;
	((uint64_t *)bo.map)[0] = (address + PUSH_OFFSET) | 8ull << 40;
	__atomic_store_n(ch.control + SLUICE_USERD_GP_PUT / 4, 1, __ATOMIC_RELEASE);
	if (!word_comes(&ch, SLUICE_USERD_REFERENCE, REFERENCE) ||
	    !word_comes(&ch, SLUICE_USERD_GP_GET, 1)) {
		sluice_channel_query(&ch, &state);
		printf("smoke: no end: reference %#x, GP_GET %u, state %u, error %u, info %#x, address %#llx\n",
		       ch.control[SLUICE_USERD_REFERENCE / 4], ch.control[SLUICE_USERD_GP_GET / 4],
		       state.state, state.error, state.info, (unsigned long long)state.address);
		return 1;
	}
	sluice_channel_free(&ch);
	sluice_vspace_unmap(&vs, address);
	sluice_bo_free(&bo);
	sluice_vspace_free(&vs);
	sluice_close(&dev);
	printf("smoke: ok\n");
	return 0;
}
