/*
 * Has one thing of the device, alone, until it is killed: a buffer in video memory, or a channel whose address
 * space was freed.
 *
 *	keep buffer|channel
 *
 * Prints "keep: ready" when it has it.
 */
#include "check.h"
#include "sluice.h"

static void keep_channel(struct sluice_dev *dev)
{
	static struct sluice_vspace_id vs;
	static struct sluice_channel ch;

	must("space", sluice_vspace_new(dev, &vs));
	must("channel", sluice_channel_create(&vs, &ch));
	sluice_vspace_free(&vs);
}

int main(int argc, char **argv)
{
	struct sluice_dev dev;
	struct sluice_bo bo;

	must("open", sluice_open(&dev, NULL));
	if (argc == 2 && strcmp(argv[1], "buffer") == 0) {
		must("memory", sluice_bo_new(&dev, SLUICE_VRAM, PAGE, &bo));
	} else if (argc == 2 && strcmp(argv[1], "channel") == 0) {
		keep_channel(&dev);
	} else {
		fprintf(stderr, "usage: keep buffer|channel\n");
		return 64;
	}
	printf("keep: ready\n");
	fflush(stdout);
	for (;;)
		pause();
}
