/*
 * Many processes at once, each with a file, an address space and a channel of its own, half of them
 * killed at some moment: the others must compute right, and nothing may be left.
 *
 *	many [PROCESSES [ROUNDS [SEED]]]
 *
 * Prints "many: ok" at the end.
 */
#include "check.h"
#include "sluice.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#define BYTES (16 * PAGE)
#define WAIT_MS 60000
#define MAX_PROCESSES 100
#define COPIES 10
#define KILL_WITHIN_US 400000

static uint64_t state;

static uint32_t below(uint32_t bound)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (uint32_t)((state * 0x2545f4914f6cdd1dull) >> 33) % bound;
}

/* ---- a process ----------------------------------------------------------------------------------- */

struct buffers {
	struct sluice_bo source, video, result;
	uint64_t from, through, to;
};

static int buffer(struct sluice_vspace_id *vs, uint32_t flags, struct sluice_bo *bo,
		  uint64_t *address)
{
	int ret = sluice_bo_new(vs->dev, flags, BYTES, bo);

	if (ret == 0)
		ret = sluice_bo_map(bo);
	return ret ? ret : sluice_vspace_map(vs, bo, address);
}

static int copy_once(struct sluice_channel *ch, struct buffers *b, uint64_t seed)
{
	uint32_t words[64];
	struct sluice_words w = { .word = words, .capacity = 64 };
	struct sluice_report fence, first = { .address = ch->fence_address, .payload = ch->fence };
	int ret;

	sluice_fill(b->source.map, BYTES, seed);
	sluice_build_m2mf_copy(&w, b->through, b->from, BYTES, first);
	fence = sluice_next_fence(ch);
	sluice_build_m2mf_copy(&w, b->to, b->through, BYTES, fence);
	sluice_build_interrupt(&w);
	ret = sluice_submit(ch, words, w.count, WAIT_MS);
	if (ret == 0)
		ret = seed % 2 ? sluice_wait_interrupt(ch, fence.payload, WAIT_MS) :
				 sluice_wait_poll(ch, fence.payload, WAIT_MS);
	if (ret == 0 && memcmp(b->source.map, b->result.map, BYTES))
		ret = -EILSEQ;
	return ret;
}

/* Leaves everything to its end, which a victim reaches only by being killed. */
static int process(uint32_t number, bool victim)
{
	struct sluice_dev dev;
	struct sluice_vspace_id vs;
	struct sluice_channel ch;
	struct buffers b;
	uint64_t i;
	int ret;

	ret = sluice_open(&dev, NULL);
	if (ret == 0)
		ret = sluice_vspace_new(&dev, &vs);
	if (ret == 0)
		ret = sluice_channel_new(&vs, &ch);
	if (ret == 0)
		ret = buffer(&vs, SLUICE_SYSRAM, &b.source, &b.from);
	if (ret == 0)
		ret = buffer(&vs, SLUICE_VRAM, &b.video, &b.through);
	if (ret == 0)
		ret = buffer(&vs, SLUICE_SYSRAM, &b.result, &b.to);
	for (i = 0; ret == 0 && (victim || i < COPIES); i++)
		ret = copy_once(&ch, &b, number * 1000 + i);
	if (ret)
		fprintf(stderr, "many: process %u: %s\n", number, strerror(-ret));
	return -ret;
}

/* ---- all of them ----------------------------------------------------------------------------------- */

struct child {
	pid_t pid;
	bool victim;
};

static void round_of(struct child *children, uint32_t count, uint32_t number)
{
	uint32_t i, wrong = 0, killed = 0;

	for (i = 0; i < count; i++) {
		children[i].victim = i % 2;
		children[i].pid = fork();
		if (children[i].pid == 0)
			_exit(process(number * MAX_PROCESSES + i, children[i].victim));
	}
	for (i = 0; i < count; i++) {
		if (!children[i].victim)
			continue;
		usleep(below(2 * KILL_WITHIN_US / count));
		kill(children[i].pid, SIGKILL);
	}
	for (i = 0; i < count; i++) {
		int status = 0;

		waitpid(children[i].pid, &status, 0);
		if (WIFSIGNALED(status) && children[i].victim && WTERMSIG(status) == SIGKILL)
			killed++;
		else if (!WIFEXITED(status) || WEXITSTATUS(status))
			wrong++;
	}
	printf("round: %u of %u processes were killed\n", killed, count);
	expect_true("the others computed right", wrong == 0);
}

struct free_ids {
	uint32_t spaces, channels;
};

static struct free_ids free_ids(void)
{
	struct sluice_dev dev;
	struct drm_pscnv_vspace_req vspace = { 0 };
	struct drm_pscnv_chan_new chan = { 0 };
	struct free_ids count = { 0 };

	must("open", sluice_open(&dev, NULL));
	while (sluice_ioctl(&dev, DRM_IOCTL_PSCNV_VSPACE_NEW, &vspace) == 0) {
		count.spaces++;
		chan.vid = vspace.vid;
	}
	while (sluice_ioctl(&dev, DRM_IOCTL_PSCNV_CHAN_NEW, &chan) == 0)
		count.channels++;
	sluice_close(&dev);
	return count;
}

int main(int argc, char **argv)
{
	uint32_t count = argc > 1 ? (uint32_t)atoi(argv[1]) : 16;
	uint32_t rounds = argc > 2 ? (uint32_t)atoi(argv[2]) : 2;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 0) : (uint64_t)time(NULL);
	struct child children[MAX_PROCESSES];
	struct free_ids before, after;
	uint32_t i;

	if (count < 1 || count > MAX_PROCESSES)
		return 2;
	state = (seed + 1) * 0x9e3779b97f4a7c15ull;
	printf("many: seed %llu\n", (unsigned long long)seed);
	fflush(stdout);
	before = free_ids();
	for (i = 0; i < rounds; i++)
		round_of(children, count, i);
	after = free_ids();
	expect_true("all ids came back",
		    after.spaces == before.spaces && after.channels == before.channels);
	return report("many");
}
