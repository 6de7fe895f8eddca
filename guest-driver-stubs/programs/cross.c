/*
 * Two channels that wait for each other by turns, and for a third to which the program submits only
 * when it is told: whatever waits until they stand still must not wait for that.
 *
 *	a:      acquire 1, release 2                        acquire 3, release 4, fence
 *	b:                            acquire 2, release 3                               acquire 4, fence
 *	third:  release 1
 *
 *	cross [--device PATH] FILE
 *
 * Prints "cross: waiting" when all but the last line is submitted, "cross: released" when that is,
 * after FILE has appeared, and "cross: ok" when all fences were reached.
 */
#include "sluice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TIMEOUT_MS 120000
#define LOOK_US 20000
#define WORDS 64

static struct sluice_dev dev;
static struct sluice_vspace_id vs;
static struct sluice_channel a, b, third;
static struct sluice_bo turn_bo;
static uint64_t turn;

static void need(const char *what, int error)
{
	if (!error)
		return;
	printf("cross: %s FAILED: %s\n", what, strerror(-error));
	exit(1);
}

static uint32_t turns(void)
{
	return __atomic_load_n((uint32_t *)turn_bo.map, __ATOMIC_ACQUIRE);
}

static void submit(struct sluice_channel *ch, struct sluice_words *w)
{
	need("words", sluice_words_fit(w) ? 0 : -E2BIG);
	need("submit", sluice_submit(ch, w->word, w->count, TIMEOUT_MS));
	w->count = 0;
}

static uint32_t build_fence(struct sluice_words *w, struct sluice_channel *ch)
{
	struct sluice_report done = sluice_next_fence(ch);

	sluice_build_release(w, done.address, done.payload);
	sluice_build_interrupt(w);
	return done.payload;
}

int main(int argc, char **argv)
{
	uint32_t word[WORDS];
	struct sluice_words w = { word, 0, WORDS };
	const char *device = NULL;
	uint32_t a_done, b_done;

	if (argc == 4 && !strcmp(argv[1], "--device")) {
		device = argv[2];
		argv += 2;
		argc -= 2;
	}
	if (argc != 2) {
		fprintf(stderr, "usage: cross [--device PATH] FILE\n");
		return 2;
	}
	need("open", sluice_open(&dev, device));
	need("address space", sluice_vspace_new(&dev, &vs));
	need("channel", sluice_channel_new(&vs, &a));
	need("channel", sluice_channel_new(&vs, &b));
	need("channel", sluice_channel_new(&vs, &third));
	need("memory", sluice_bo_new(&dev, SLUICE_SYSRAM, 4096, &turn_bo));
	need("memory", sluice_bo_map(&turn_bo));
	need("memory", sluice_vspace_map(&vs, &turn_bo, &turn));
	memset(turn_bo.map, 0, 4096);

	sluice_build_acquire(&w, turn, 2);
	sluice_build_release(&w, turn, 3);
	submit(&b, &w);
	sluice_build_acquire(&w, turn, 1);
	sluice_build_release(&w, turn, 2);
	submit(&a, &w);
	sluice_build_acquire(&w, turn, 3);
	sluice_build_release(&w, turn, 4);
	a_done = build_fence(&w, &a);
	submit(&a, &w);
	sluice_build_acquire(&w, turn, 4);
	b_done = build_fence(&w, &b);
	submit(&b, &w);
	printf("cross: waiting\n");
	fflush(stdout);

	while (access(argv[1], F_OK))
		usleep(LOOK_US);
	need("nobody had released", turns() == 0 ? 0 : -EPROTO);
	sluice_build_release(&w, turn, 1);
	submit(&third, &w);
	printf("cross: released\n");
	fflush(stdout);
	need("first wait", sluice_wait_interrupt(&a, a_done, TIMEOUT_MS));
	need("second wait", sluice_wait_interrupt(&b, b_done, TIMEOUT_MS));
	need("last turn", turns() == 4 ? 0 : -EPROTO);
	printf("cross: ok\n");
	return 0;
}
