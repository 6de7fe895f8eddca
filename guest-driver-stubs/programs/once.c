/*
 * Whether every submission is executed exactly once, whatever happens to the machine meanwhile.
 *
 *	input of the submission --M2MF--> its place in video memory --M2MF--> its place in guest RAM
 *
 * Each submission has an id, and places of its own. Its input is overwritten as soon as its fence
 * was reached: one that ran a second time would copy the wrong words, one that was left out would
 * leave its place as it was. Fences may not go backwards. Up to DEPTH submissions are under way.
 *
 *	once [--device PATH] [--until FILE] [--every SECONDS] SECONDS
 *
 * Prints "once: N" every so often (0.25 s), and "once: ok N" at the end, which comes early when FILE appears.
 */
#include "sluice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define RECORD 64u /* bytes of a submission's place */
#define PLACES 65536u
#define DEPTH 8u
#define TIMEOUT_MS 60000

struct buffer {
	struct sluice_bo bo;
	uint64_t address;
};

static struct sluice_dev dev;
static struct sluice_vspace_id vs;
static struct sluice_channel ch;
static struct buffer input, places, results;
static uint32_t fences[DEPTH];

static void need(const char *what, int error)
{
	struct sluice_channel_state state;

	if (!error)
		return;
	printf("once: %s FAILED: %s\n", what, strerror(-error));
	if (ch.cid) {
		sluice_channel_query(&ch, &state);
		printf("once: channel state %u, error %u, info %#x, address %#llx\n", state.state,
		       state.error, state.info, (unsigned long long)state.address);
	}
	exit(1);
}

static uint64_t word_of(uint64_t id, unsigned int index)
{
	return (id * RECORD + index + 1) * 0x9e3779b97f4a7c15ull;
}

static void buffer_new(const char *what, uint32_t flags, uint64_t bytes, struct buffer *b)
{
	need(what, sluice_bo_new(&dev, flags, bytes, &b->bo));
	need(what, sluice_bo_map(&b->bo));
	need(what, sluice_vspace_map(&vs, &b->bo, &b->address));
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void submit(uint64_t id)
{
	uint32_t word[256];
	struct sluice_words w = { word, 0, sizeof(word) / 4 };
	uint64_t from = (id % DEPTH) * RECORD, to = (id % PLACES) * RECORD;
	uint64_t *in = (uint64_t *)((char *)input.bo.map + from);
	struct sluice_report done;
	unsigned int i;

	for (i = 0; i < RECORD / 8; i++)
		in[i] = word_of(id, i);
	done = sluice_next_fence(&ch);
	fences[id % DEPTH] = done.payload;
	sluice_build_m2mf_copy(&w, places.address + to, input.address + from, RECORD,
			       (struct sluice_report){ places.address + PLACES * RECORD, 1 });
	sluice_build_m2mf_copy(&w, results.address + to, places.address + to, RECORD, done);
	sluice_build_interrupt(&w);
	need("words", sluice_words_fit(&w) ? 0 : -E2BIG);
	need("submit", sluice_submit(&ch, w.word, w.count, TIMEOUT_MS));
}

static void finish(uint64_t id)
{
	static uint32_t last;
	uint32_t fence = fences[id % DEPTH];
	uint32_t seen;

	need("wait", id % 2 ? sluice_wait_interrupt(&ch, fence, TIMEOUT_MS) :
			      sluice_wait_poll(&ch, fence, TIMEOUT_MS));
	seen = __atomic_load_n((uint32_t *)ch.fence_bo.map, __ATOMIC_ACQUIRE);
	if ((int32_t)(seen - last) < 0) {
		printf("once: the fence went from %u back to %u\n", last, seen);
		exit(1);
	}
	last = seen;
	memset((char *)input.bo.map + (id % DEPTH) * RECORD, 0xdd, RECORD);
}

/* Looks at the places of ids from first to end, and clears them. */
static void verify(uint64_t first, uint64_t end)
{
	uint64_t id;
	unsigned int i;

	for (id = first; id < end; id++) {
		uint64_t to = (id % PLACES) * RECORD;
		uint64_t *ram = (uint64_t *)((char *)results.bo.map + to);
		uint64_t *vram = (uint64_t *)((char *)places.bo.map + to);

		for (i = 0; i < RECORD / 8; i++) {
			if (ram[i] != word_of(id, i) || vram[i] != word_of(id, i)) {
				printf("once: submission %llu, word %u: %016llx in RAM, %016llx in "
				       "video memory, not %016llx\n",
				       (unsigned long long)id, i, (unsigned long long)ram[i],
				       (unsigned long long)vram[i],
				       (unsigned long long)word_of(id, i));
				exit(1);
			}
		}
		memset(ram, 0xdd, RECORD);
	}
}

int main(int argc, char **argv)
{
	const char *device = NULL, *until = NULL;
	uint64_t id = 0, done = 0, verified = 0;
	double end, told, every = 0.25;

	for (; argc > 3 && !strncmp(argv[1], "--", 2); argv += 2, argc -= 2) {
		if (!strcmp(argv[1], "--device"))
			device = argv[2];
		else if (!strcmp(argv[1], "--until"))
			until = argv[2];
		else if (!strcmp(argv[1], "--every"))
			every = atof(argv[2]);
		else
			break;
	}
	if (argc != 2) {
		fprintf(stderr, "usage: once [--device PATH] [--until FILE] [--every SECONDS] SECONDS\n");
		return 2;
	}
	need("open", sluice_open(&dev, device));
	need("address space", sluice_vspace_new(&dev, &vs));
	need("channel", sluice_channel_new(&vs, &ch));
	buffer_new("input", SLUICE_SYSRAM, 4096, &input);
	buffer_new("places", SLUICE_VRAM | PSCNV_GEM_MAPPABLE, PLACES * RECORD + 4096, &places);
	buffer_new("results", SLUICE_SYSRAM, PLACES * RECORD, &results);
	{
		uint32_t word[64];
		struct sluice_words w = { word, 0, 64 };

		sluice_build_bind(&w);
		need("bind", sluice_submit(&ch, w.word, w.count, TIMEOUT_MS));
	}
	end = now() + atof(argv[1]);
	told = 0;
	while (now() < end) {
		while (id < done + DEPTH && id < verified + PLACES)
			submit(id++);
		finish(done++);
		if (done % PLACES == 0) {
			while (done < id)
				finish(done++);
			verify(verified, done);
			verified = done;
		}
		if (now() - told > every) {
			told = now();
			printf("once: %llu\n", (unsigned long long)done);
			fflush(stdout);
			if (until && !access(until, F_OK))
				break;
		}
	}
	while (done < id)
		finish(done++);
	verify(verified, done);
	printf("once: ok %llu\n", (unsigned long long)done);
	return 0;
}
