/*
 * A copy on an NVIDIA GPU of the Hopper family: guest RAM to video memory and back, by the copy
 * engine, submitted without a call. The module maps no doorbell; this program, which must be root's,
 * maps the device's BAR for it.
 *
 *	hopper [BYTES]
 *	hopper --until FILE
 *
 * Prints "hopper: ok" and what the copies took. With --until it submits until FILE appears, whatever
 * happens to the machine meanwhile: every submission adds 1 to a counter and copies a record of its own
 * to video memory and back, whose input is overwritten once it is done. So one that ran twice is in the
 * counter, one that did not run in its record. Says "hopper: busy" when it has begun, and at the end
 * "hopper: all once, N" if that was so.
 */
#include "sluice.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096u
#define COPY_CLASS 0xc8b5
#define RING_ORDER 9
#define RING_MASK ((1u << RING_ORDER) - 1)
#define DOORBELL (0x90 / 4)
#define TIMEOUT_S 60
#define COPIES 100
#define BATCH 8u /* submissions that are under way at once */
#define RECORD 4096u
#define COUNTER 64u /* behind the fence */
#define RELEASE (1u | 1u << 20 | 1u << 24)
#define INCREMENT (6u | 1u << 20 | 5u << 27 | 1u << 31)

struct mapped {
	struct sluice_bo bo;
	uint64_t address;
};

struct queue {
	struct sluice_dev dev;
	struct sluice_vspace_id vs;
	struct sluice_channel ch;
	struct mapped ring;
	struct mapped push;
	struct mapped fence;
	volatile uint32_t *doorbell;
	uint32_t put;
	uint64_t done;
};

static void need(const char *what, int error)
{
	if (error) {
		printf("hopper: %s: %s\n", what, strerror(error < 0 ? -error : error));
		exit(1);
	}
}

static void buffer(struct queue *q, uint32_t flags, uint64_t bytes, struct mapped *m)
{
	need("buffer", sluice_bo_new(&q->dev, flags, bytes, &m->bo));
	need("address", sluice_vspace_map(&q->vs, &m->bo, &m->address));
	if (flags == SLUICE_SYSRAM)
		need("map", sluice_bo_map(&m->bo));
}

static volatile uint32_t *map_doorbell(void)
{
	int fd = open("/sys/class/drm/card0/device/resource5", O_RDWR | O_SYNC);
	void *at = fd < 0 ? MAP_FAILED
			  : mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	need("doorbell (iomem=relaxed?)", at == MAP_FAILED ? errno : 0);
	close(fd);
	return at;
}

static uint32_t method(uint32_t subchannel, uint32_t first, uint32_t count)
{
	return 1u << 29 | count << 16 | subchannel << 13 | first >> 2;
}

static struct sluice_control *words(struct queue *q)
{
	return (void *)((char *)q->ch.control + SLUICE_CONTROL_OFFSET);
}

/* Stores GP_PUT and rings until it is certain that the channel that counts was told. */
static void announce(struct queue *q)
{
	uint32_t *token = &words(q)->doorbell_token;
	uint32_t before;

	do {
		while ((before = __atomic_load_n(token, __ATOMIC_ACQUIRE)) == 0)
			;
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		__atomic_store_n((uint32_t *)q->ch.control + SLUICE_USERD_GP_PUT / 4, q->put,
				 __ATOMIC_RELEASE);
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		q->doorbell[DOORBELL] = before;
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	} while (__atomic_load_n(token, __ATOMIC_ACQUIRE) != before);
}

static void submit(struct queue *q, const uint32_t *word, uint32_t count)
{
	uint32_t offset = q->put * 256;

	memcpy((char *)q->push.bo.map + offset, word, count * 4);
	((uint64_t *)q->ring.bo.map)[q->put] = (q->push.address + offset) | (uint64_t)count << 42;
	q->put = (q->put + 1) & RING_MASK;
	announce(q);
}

/* Words as they are added to. */
struct commands {
	uint32_t word[64]; /* what has room behind a ring entry */
	uint32_t count;
};

static void add(struct commands *c, uint32_t subchannel, uint32_t first, uint32_t count, ...)
{
	va_list values;

	va_start(values, count);
	c->word[c->count++] = method(subchannel, first, count);
	while (count--)
		c->word[c->count++] = va_arg(values, uint32_t);
	va_end(values);
}

static void add_copy(struct commands *c, uint64_t from, uint64_t to, uint32_t bytes)
{
	add(c, 4, 0, 1, COPY_CLASS);
	add(c, 4, 0x400, 4, (uint32_t)(from >> 32), (uint32_t)from, (uint32_t)(to >> 32),
	    (uint32_t)to);
	add(c, 4, 0x418, 2, bytes, 1);
	add(c, 4, 0x300, 1, 2 | 1 << 2 | 1 << 7 | 1 << 8);
}

/* A semaphore's word, after all before. */
static void add_semaphore(struct commands *c, uint64_t at, uint64_t value, uint32_t execute)
{
	add(c, 0, 0x5c, 5, (uint32_t)at, (uint32_t)(at >> 32), (uint32_t)value,
	    (uint32_t)(value >> 32), execute);
}

/* Submits, with a release of the fence behind it. */
static void submit_fenced(struct queue *q, struct commands *c)
{
	add_semaphore(c, q->fence.address, ++q->done, RELEASE);
	submit(q, c->word, c->count);
}

static void await(struct queue *q)
{
	time_t end = time(NULL) + TIMEOUT_S;

	while (__atomic_load_n((uint64_t *)q->fence.bo.map, __ATOMIC_ACQUIRE) != q->done) {
		need("the channel", words(q)->error ? EIO : 0);
		need("in time", time(NULL) > end ? ETIMEDOUT : 0);
	}
}

static void copy(struct queue *q, uint64_t from, uint64_t to, uint32_t bytes)
{
	struct commands c = { .count = 0 };

	add_copy(&c, from, to, bytes);
	submit_fenced(q, &c);
	await(q);
}

static uint64_t word_of(uint64_t id, uint32_t index)
{
	return (id * (RECORD / 8) + index + 1) * 0x9e3779b97f4a7c15ull;
}

/* One submission per record of a batch. In ram: inputs, then results. */
static void batch(struct queue *q, struct mapped *ram, struct mapped *video)
{
	uint64_t *input = ram->bo.map;
	uint64_t first = q->done;

	for (uint32_t slot = 0; slot < BATCH; slot++) {
		struct commands c = { .count = 0 };
		uint64_t from = ram->address + slot * RECORD;
		uint64_t place = video->address + slot * RECORD;

		for (uint32_t i = 0; i < RECORD / 8; i++)
			input[slot * RECORD / 8 + i] = word_of(first + slot, i);
		add_copy(&c, from, place, RECORD);
		add_copy(&c, place, from + BATCH * RECORD, RECORD);
		add_semaphore(&c, q->fence.address + COUNTER, 1, INCREMENT);
		submit_fenced(q, &c);
	}
	await(q);
	for (uint32_t slot = 0; slot < BATCH; slot++)
		for (uint32_t i = 0; i < RECORD / 8; i++)
			if (input[(BATCH + slot) * RECORD / 8 + i] != word_of(first + slot, i))
				need("a record", EILSEQ);
	memset(input, 0xff, BATCH * RECORD);
}

/* Submits until a file appears. */
static void work(struct queue *q, struct mapped *ram, struct mapped *video, const char *until)
{
	uint64_t before = q->done;
	volatile uint32_t *counter = (volatile uint32_t *)((char *)q->fence.bo.map + COUNTER);

	*counter = 0;
	batch(q, ram, video);
	printf("hopper: busy\n");
	fflush(stdout);
	while (access(until, F_OK) != 0)
		batch(q, ram, video);
	need("the counter", *counter != (uint32_t)(q->done - before) ? EILSEQ : 0);
	printf("hopper: all once, %llu\n", (unsigned long long)(q->done - before));
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Opens everything, with room for so many bytes twice in RAM and once in video memory. */
static void open_queue(struct queue *q, struct mapped *ram, struct mapped *video, uint64_t bytes)
{
	struct drm_pscnv_obj_eng_new object = { .handle = 1, .oclass = COPY_CLASS };
	uint64_t chipset = 0;

	need("device", sluice_open(&q->dev, NULL));
	need("chipset", sluice_getparam(&q->dev, PSCNV_PARAM_CHIPSET_ID, &chipset));
	q->doorbell = map_doorbell();
	need("address space", sluice_vspace_new(&q->dev, &q->vs));
	buffer(q, SLUICE_SYSRAM, 8u << RING_ORDER, &q->ring);
	buffer(q, SLUICE_SYSRAM, 256u << RING_ORDER, &q->push);
	buffer(q, SLUICE_SYSRAM, PAGE, &q->fence);
	buffer(q, SLUICE_SYSRAM, 2 * bytes, ram);
	buffer(q, SLUICE_VRAM, bytes, video);
	need("channel", sluice_channel_create(&q->vs, &q->ch));
	object.cid = q->ch.cid;
	need("class", sluice_ioctl(&q->dev, DRM_IOCTL_PSCNV_OBJ_ENG_NEW, &object));
	need("start", sluice_channel_start(&q->ch, q->ring.address, RING_ORDER));
	printf("hopper: chipset 0x%llx, token 0x%x\n", (unsigned long long)chipset,
	       words(q)->doorbell_token);
}

/* There and back, compared, and what copies take. */
static void check(struct queue *q, struct mapped *ram, struct mapped *video, uint64_t bytes)
{
	double start;

	for (uint64_t i = 0; i < bytes / 4; i++)
		((uint32_t *)ram->bo.map)[i] = (uint32_t)i * 2654435761u;
	copy(q, ram->address, video->address, (uint32_t)bytes);
	copy(q, video->address, ram->address + bytes, (uint32_t)bytes);
	need("bytes", memcmp(ram->bo.map, (char *)ram->bo.map + bytes, bytes) != 0 ? EILSEQ : 0);
	start = now();
	for (int i = 0; i < COPIES; i++)
		copy(q, ram->address, video->address, 64);
	printf("hopper: a small copy, submit to seen: %.1f us\n", (now() - start) / COPIES * 1e6);
	start = now();
	for (int i = 0; i < COPIES; i++)
		copy(q, ram->address, video->address, (uint32_t)bytes);
	printf("hopper: %llu bytes to video memory: %.1f GB/s\n", (unsigned long long)bytes,
	       COPIES * (double)bytes / (now() - start) / 1e9);
	printf("hopper: ok\n");
}

int main(int argc, char **argv)
{
	const char *until = argc == 3 && strcmp(argv[1], "--until") == 0 ? argv[2] : NULL;
	uint64_t bytes = !until && argc > 1 ? strtoull(argv[1], NULL, 0) : 4 << 20;
	struct queue q = { 0 };
	struct mapped ram, video;

	open_queue(&q, &ram, &video, bytes);
	if (until)
		work(&q, &ram, &video, until);
	else
		check(&q, &ram, &video, bytes);
	return 0;
}
