/*
 * A copy on an NVIDIA GPU of the Hopper family: guest RAM to video memory and back, by the copy
 * engine, submitted without a call. The module maps no doorbell; this program, which must be root's,
 * maps the device's BAR for it.
 *
 *	hopper [BYTES]
 *
 * Prints "hopper: ok" and what the copies took.
 */
#include "sluice.h"

#include <errno.h>
#include <fcntl.h>
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

static void copy(struct queue *q, uint64_t from, uint64_t to, uint32_t bytes)
{
	uint64_t fence = q->fence.address;
	uint32_t w[] = {
		method(4, 0, 1), COPY_CLASS,
		method(4, 0x400, 4), from >> 32, (uint32_t)from, to >> 32, (uint32_t)to,
		method(4, 0x418, 1), bytes,
		method(4, 0x41c, 1), 1,
		method(4, 0x300, 1), 2 | 1 << 2 | 1 << 7 | 1 << 8,
		method(0, 0x5c, 5), (uint32_t)fence, fence >> 32, (uint32_t)++q->done, q->done >> 32,
		1 | 1 << 20 | 1 << 24,
	};
	time_t end = time(NULL) + TIMEOUT_S;

	submit(q, w, sizeof(w) / 4);
	while (__atomic_load_n((uint64_t *)q->fence.bo.map, __ATOMIC_ACQUIRE) != q->done) {
		need("the channel", words(q)->error ? 5 : 0);
		need("in time", time(NULL) > end);
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	uint64_t bytes = argc > 1 ? strtoull(argv[1], NULL, 0) : 4 << 20;
	struct queue q = { 0 };
	struct mapped ram, video;
	struct drm_pscnv_obj_eng_new object = { .handle = 1, .oclass = COPY_CLASS };
	uint64_t chipset = 0;
	double start;

	need("device", sluice_open(&q.dev, NULL));
	need("chipset", sluice_getparam(&q.dev, PSCNV_PARAM_CHIPSET_ID, &chipset));
	q.doorbell = map_doorbell();
	need("address space", sluice_vspace_new(&q.dev, &q.vs));
	buffer(&q, SLUICE_SYSRAM, 8u << RING_ORDER, &q.ring);
	buffer(&q, SLUICE_SYSRAM, 256u << RING_ORDER, &q.push);
	buffer(&q, SLUICE_SYSRAM, PAGE, &q.fence);
	buffer(&q, SLUICE_SYSRAM, 2 * bytes, &ram);
	buffer(&q, SLUICE_VRAM, bytes, &video);
	need("channel", sluice_channel_create(&q.vs, &q.ch));
	object.cid = q.ch.cid;
	need("class", sluice_ioctl(&q.dev, DRM_IOCTL_PSCNV_OBJ_ENG_NEW, &object));
	need("start", sluice_channel_start(&q.ch, q.ring.address, RING_ORDER));
	printf("hopper: chipset 0x%llx, token 0x%x\n", (unsigned long long)chipset,
	       words(&q)->doorbell_token);
	for (uint64_t i = 0; i < bytes / 4; i++)
		((uint32_t *)ram.bo.map)[i] = (uint32_t)i * 2654435761u;
	copy(&q, ram.address, video.address, (uint32_t)bytes);
	copy(&q, video.address, ram.address + bytes, (uint32_t)bytes);
	need("bytes", memcmp(ram.bo.map, (char *)ram.bo.map + bytes, bytes) != 0);
	start = now();
	for (int i = 0; i < COPIES; i++)
		copy(&q, ram.address, video.address, 64);
	printf("hopper: a small copy, submit to seen: %.1f us\n", (now() - start) / COPIES * 1e6);
	start = now();
	for (int i = 0; i < COPIES; i++)
		copy(&q, ram.address, video.address, (uint32_t)bytes);
	printf("hopper: %llu bytes to video memory: %.1f GB/s\n", (unsigned long long)bytes,
	       COPIES * (double)bytes / (now() - start) / 1e9);
	printf("hopper: ok\n");
	return 0;
}
