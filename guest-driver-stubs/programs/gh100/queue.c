#include "queue.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PAGE 4096u
#define RING_ORDER 9
#define RING_MASK ((1u << RING_ORDER) - 1)
#define PUSH_BYTES (HOPPER_COMMAND_WORDS * 4)
#define DOORBELL (0x90 / 4)
#define TIMEOUT_S 60
#define RELEASE (1u | 1u << 20 | 1u << 24)
#define INCREMENT (6u | 1u << 20 | 5u << 27 | 1u << 31)

void hopper_need(const char *what, int error)
{
	if (error) {
		printf("hopper: %s: %s\n", what, strerror(error < 0 ? -error : error));
		exit(1);
	}
}

/* ---- set-up ------------------------------------------------------------------------------------ */

void hopper_open(struct hopper_gpu *gpu)
{
	uint64_t chipset = 0;
	void *page = NULL;

	hopper_need("device", sluice_open(&gpu->dev, NULL));
	hopper_need("chipset", sluice_getparam(&gpu->dev, PSCNV_PARAM_CHIPSET_ID, &chipset));
	printf("hopper: chipset 0x%llx\n", (unsigned long long)chipset);
	hopper_need("doorbell", sluice_doorbell_map(&gpu->dev, &page));
	gpu->doorbell = page;
	hopper_need("address space", sluice_vspace_new(&gpu->dev, &gpu->vs));
}

void hopper_buffer(struct hopper_gpu *gpu, uint32_t flags, uint64_t bytes, struct hopper_mapped *m)
{
	hopper_need("buffer", sluice_bo_new(&gpu->dev, flags, bytes, &m->bo));
	hopper_need("address", sluice_vspace_map(&gpu->vs, &m->bo, &m->address));
	if (flags == SLUICE_SYSRAM)
		hopper_need("map", sluice_bo_map(&m->bo));
}

static void declare(struct hopper_queue *q, uint32_t handle, uint32_t oclass)
{
	struct drm_pscnv_obj_eng_new object = {
		.cid = q->ch.cid, .handle = handle, .oclass = oclass
	};

	hopper_need("class", sluice_ioctl(&q->gpu->dev, DRM_IOCTL_PSCNV_OBJ_ENG_NEW, &object));
}

static struct sluice_control *words(struct hopper_queue *q)
{
	return (void *)((char *)q->ch.control + SLUICE_CONTROL_OFFSET);
}

void hopper_queue_open(struct hopper_gpu *gpu, bool compute, struct hopper_queue *q)
{
	*q = (struct hopper_queue){ .gpu = gpu };
	hopper_buffer(gpu, SLUICE_SYSRAM, 8u << RING_ORDER, &q->ring);
	hopper_buffer(gpu, SLUICE_SYSRAM, PUSH_BYTES << RING_ORDER, &q->push);
	hopper_buffer(gpu, SLUICE_SYSRAM, PAGE, &q->fence);
	hopper_need("channel", sluice_channel_create(&gpu->vs, &q->ch));
	declare(q, 1, HOPPER_COPY_CLASS);
	if (compute)
		declare(q, 2, HOPPER_COMPUTE_CLASS);
	hopper_need("start", sluice_channel_start(&q->ch, q->ring.address, RING_ORDER));
	printf("hopper: channel %u, token 0x%x\n", q->ch.cid, words(q)->doorbell_token);
}

/* ---- words ------------------------------------------------------------------------------------- */

void hopper_add(struct hopper_commands *c, uint32_t subchannel, uint32_t first, uint32_t count, ...)
{
	va_list values;

	if (count >= HOPPER_COMMAND_WORDS - c->count)
		hopper_need("room for words", E2BIG);
	va_start(values, count);
	c->word[c->count++] = 1u << 29 | count << 16 | subchannel << 13 | first >> 2;
	while (count--)
		c->word[c->count++] = va_arg(values, uint32_t);
	va_end(values);
}

void hopper_add_copy(struct hopper_commands *c, uint64_t from, uint64_t to, uint32_t bytes)
{
	uint32_t copy = HOPPER_SUBCHANNEL_COPY;

	hopper_add(c, copy, 0, 1, HOPPER_COPY_CLASS);
	hopper_add(c, copy, 0x400, 4, (uint32_t)(from >> 32), (uint32_t)from, (uint32_t)(to >> 32),
		   (uint32_t)to);
	hopper_add(c, copy, 0x418, 2, bytes, 1u);
	hopper_add(c, copy, 0x300, 1, 2u | 1u << 2 | 1u << 7 | 1u << 8);
}

/* A semaphore's word, after all before. */
static void add_semaphore(struct hopper_commands *c, uint64_t at, uint64_t value, uint32_t execute)
{
	hopper_add(c, 0, 0x5c, 5, (uint32_t)at, (uint32_t)(at >> 32), (uint32_t)value,
		   (uint32_t)(value >> 32), execute);
}

void hopper_add_increment(struct hopper_commands *c, uint64_t at)
{
	add_semaphore(c, at, 1, INCREMENT);
}

/* ---- submitting -------------------------------------------------------------------------------- */

/* Whoever waits for the channel asks each time: it must be well, and there is an end. */
static void go_on_waiting(struct hopper_queue *q, time_t end)
{
	hopper_need("the channel", words(q)->error ? EIO : 0);
	hopper_need("in time", time(NULL) > end ? ETIMEDOUT : 0);
}

/* The channel's doorbell; it has none while its machine moves. */
static uint32_t await_token(struct hopper_queue *q)
{
	time_t end = time(NULL) + TIMEOUT_S;
	uint32_t token;

	while ((token = __atomic_load_n(&words(q)->doorbell_token, __ATOMIC_ACQUIRE)) == 0)
		go_on_waiting(q, end);
	return token;
}

/* Stores GP_PUT and rings until it is certain that the channel that counts was told. */
static void announce(struct hopper_queue *q)
{
	uint32_t *token = &words(q)->doorbell_token;
	uint32_t before;

	do {
		before = await_token(q);
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		__atomic_store_n((uint32_t *)q->ch.control + SLUICE_USERD_GP_PUT / 4, q->put,
				 __ATOMIC_RELEASE);
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		q->gpu->doorbell[DOORBELL] = before;
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	} while (__atomic_load_n(token, __ATOMIC_ACQUIRE) != before);
}

void hopper_submit(struct hopper_queue *q, struct hopper_commands *c)
{
	uint32_t offset = q->put * PUSH_BYTES;

	add_semaphore(c, q->fence.address, ++q->done, RELEASE);
	memcpy((char *)q->push.bo.map + offset, c->word, c->count * 4);
	((uint64_t *)q->ring.bo.map)[q->put] =
		(q->push.address + offset) | (uint64_t)c->count << 42;
	q->put = (q->put + 1) & RING_MASK;
	announce(q);
}

void hopper_await(struct hopper_queue *q)
{
	time_t end = time(NULL) + TIMEOUT_S;

	while (__atomic_load_n((uint64_t *)q->fence.bo.map, __ATOMIC_ACQUIRE) != q->done)
		go_on_waiting(q, end);
}
