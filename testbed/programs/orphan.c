/*
 * Waits for what never comes, as a plain process whose host is killed meanwhile: each wait must end by
 * itself, at once and with the error that says so.
 *
 *	orphan interrupt|poll|room|call [--device PATH]
 *
 * Prints "orphan: waiting" when the host may be killed, and "orphan: ok" when the wait ended well.
 */
#include "compute_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NEVER_MS 0xffffffffu
#define ROOM_MS 3600000u
#define ACQUIRE_WORDS 8

static struct slc_context *ctx;
static struct allocation never;

static void need(const char *what, int good)
{
	if (good)
		return;
	printf("orphan: %s: %s\n", what, ctx ? slc_error(ctx)->text : slc_error(NULL)->text);
	exit(1);
}

/* A wait of the GPU for a semaphore that nobody releases; its fence. */
static uint32_t submit_never(void)
{
	uint32_t words[ACQUIRE_WORDS * 4];
	struct sluice_words w = { .word = words, .capacity = ACQUIRE_WORDS * 4 };
	struct sluice_report fence = sluice_next_fence(&ctx->ch);

	sluice_build_acquire(&w, never.address, 1);
	sluice_build_release(&w, fence.address, fence.payload);
	sluice_build_interrupt(&w);
	need("submit", !sluice_submit(&ctx->ch, words, w.count, ROOM_MS));
	return fence.payload;
}

static void waiting(void)
{
	printf("orphan: waiting\n");
	fflush(stdout);
}

/* The ring becomes full and stays so. */
static int wait_for_room(void)
{
	uint32_t words[ACQUIRE_WORDS];
	struct sluice_words w = { .word = words, .capacity = ACQUIRE_WORDS };
	int i, ret = 0;

	sluice_build_acquire(&w, never.address, 1);
	for (i = 0; i < (int)SLUICE_RING_ENTRIES + 1 && ret == 0; i++) {
		if (i == (int)SLUICE_RING_ENTRIES - 2)
			waiting();
		ret = sluice_submit(&ctx->ch, words, w.count, ROOM_MS);
	}
	return ret;
}

/* Calls until one fails. */
static int call(void)
{
	uint64_t chipset;
	int ret;

	waiting();
	do
		ret = sluice_getparam(&ctx->dev, PSCNV_PARAM_CHIPSET_ID, &chipset);
	while (ret == 0);
	return ret;
}

static int wait_as(const char *how)
{
	uint32_t fence;

	if (!strcmp(how, "room"))
		return wait_for_room();
	if (!strcmp(how, "call"))
		return call();
	fence = submit_never();
	waiting();
	return !strcmp(how, "poll") ? sluice_wait_poll(&ctx->ch, fence, NEVER_MS) :
				      sluice_wait_interrupt(&ctx->ch, fence, NEVER_MS);
}

int main(int argc, char **argv)
{
	struct slc_options options = { .wait = SLC_WAIT_INTERRUPT };
	int ret;

	if (argc == 4 && !strcmp(argv[2], "--device"))
		options.device = argv[3];
	if ((argc != 2 && !options.device) ||
	    (strcmp(argv[1], "interrupt") && strcmp(argv[1], "poll") && strcmp(argv[1], "room") &&
	     strcmp(argv[1], "call"))) {
		fprintf(stderr, "usage: orphan interrupt|poll|room|call [--device PATH]\n");
		return 64;
	}
	need("context", !slc_context_create(&ctx, &options));
	need("semaphore", !slc_buffer_new(ctx, SLUICE_SYSRAM, 4096, &never));
	memset(never.bo.map, 0, 4096);
	ret = wait_as(argv[1]);
	printf("orphan: the wait ended with %s\n", strerror(-ret));
	need("not EIO", ret == -EIO);
	/* What comes after knows it too, as does the library's account. */
	need("gone", sluice_gone(&ctx->dev));
	need("no SLC_NO_DEVICE", strcmp(argv[1], "room") == 0 || slc_synchronize(ctx) == SLC_NO_DEVICE);
	slc_buffer_free(ctx, &never);
	slc_context_destroy(ctx);
	printf("orphan: ok\n");
	return 0;
}
