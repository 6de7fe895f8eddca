/*
 * An example: has the GPU copy memory of this process to video memory and back.
 *
 *	example              in a machine, on its device
 *	example SOCKET       without one: attaches this process to a guest's socket of the daemon
 *
 * Prints "example: ok" at the end.
 */
#include "sluice.h"

#include <stdio.h>
#include <string.h>

#define BYTES (1u << 20)
#define PATIENCE_MS 10000

static int copy_there_and_back(struct sluice_dev *dev, struct sluice_bo *source,
			       struct sluice_bo *video, struct sluice_bo *result)
{
	uint32_t words[64];
	struct sluice_words w = { .word = words, .capacity = 64 };
	struct sluice_vspace_id space;
	struct sluice_channel channel;
	struct sluice_report first, second;
	uint64_t from, through, to;
	int ret;

	/* What the GPU shall reach gets addresses in an address space; a channel runs in one. */
	if ((ret = sluice_vspace_new(dev, &space)) || (ret = sluice_vspace_map(&space, source, &from)) ||
	    (ret = sluice_vspace_map(&space, video, &through)) ||
	    (ret = sluice_vspace_map(&space, result, &to)) ||
	    (ret = sluice_channel_new(&space, &channel)))
		return ret;
	/* Each copy reports its end to the channel's fence word; the second one interrupts, too. */
	first = sluice_next_fence(&channel);
	sluice_build_m2mf_copy(&w, through, from, BYTES, first);
	second = sluice_next_fence(&channel);
	sluice_build_m2mf_copy(&w, to, through, BYTES, second);
	sluice_build_interrupt(&w);
	/* No call to the host from here to the end of the work, but to sleep. */
	ret = sluice_submit(&channel, words, w.count, PATIENCE_MS);
	if (ret == 0)
		ret = sluice_wait_interrupt(&channel, second.payload, PATIENCE_MS);
	sluice_channel_free(&channel);
	sluice_vspace_free(&space);
	return ret;
}

static int run(const char *path)
{
	struct sluice_bo source = { 0 }, video = { 0 }, result = { 0 };
	struct sluice_dev dev;
	int ret = sluice_open(&dev, path);

	if (ret)
		return ret;
	if ((ret = sluice_bo_new(&dev, SLUICE_SYSRAM, BYTES, &source)) == 0 &&
	    (ret = sluice_bo_new(&dev, SLUICE_VRAM, BYTES, &video)) == 0 &&
	    (ret = sluice_bo_new(&dev, SLUICE_SYSRAM, BYTES, &result)) == 0 &&
	    (ret = sluice_bo_map(&source)) == 0 && (ret = sluice_bo_map(&result)) == 0) {
		sluice_fill(source.map, BYTES, 1);
		ret = copy_there_and_back(&dev, &source, &video, &result);
		if (ret == 0 && memcmp(source.map, result.map, BYTES))
			printf("example: the copy differs\n");
		else if (ret == 0)
			printf("example: ok\n");
	}
	sluice_bo_free(&source);
	sluice_bo_free(&video);
	sluice_bo_free(&result);
	sluice_close(&dev);
	return ret;
}

int main(int argc, char **argv)
{
	int ret = run(argc > 1 ? argv[1] : NULL);

	if (ret)
		printf("example: %s\n", strerror(-ret));
	return ret != 0;
}
