/*
 * Channels: set-up by ioctls, use by memory alone.
 *
 * This side writes ring entries, pushbuffer words and GP_PUT; the GPU writes GP_GET and semaphores.
 * Each store that publishes others is a release, each load that says "you may look" an acquire.
 */
#include "sluice.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#define PAGE 4096u
#define RING_MASK (SLUICE_RING_ENTRIES - 1)
#define POLLS_BEFORE_YIELD 1000
#define YIELDS_BEFORE_LOOK 32 /* at the host: a system call */

static uint32_t load_acquire(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void store_release(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static uint32_t *userd(const struct sluice_channel *ch, uint32_t offset)
{
	return ch->control + offset / 4;
}

/* ---- time -------------------------------------------------------------------------------------- */

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* ---- set-up ------------------------------------------------------------------------------------ */

int sluice_channel_create(struct sluice_vspace_id *vs, struct sluice_channel *ch)
{
	struct drm_pscnv_chan_new req = { .vid = vs->vid };
	int ret = sluice_ioctl(vs->dev, DRM_IOCTL_PSCNV_CHAN_NEW, &req);
	void *control;

	*ch = (struct sluice_channel){ .vs = vs };
	if (ret)
		return ret;
	ch->cid = req.cid;
	ret = sluice_map(vs->dev, req.map_handle, PAGE, &control);
	if (ret) {
		sluice_channel_free(ch);
		return ret;
	}
	ch->control = control;
	return 0;
}

int sluice_channel_start(struct sluice_channel *ch, uint64_t ring_address, uint32_t ring_order)
{
	struct drm_pscnv_fifo_init_ib req = {
		.cid = ch->cid,
		.slimask = 1,
		.ib_start = ring_address,
		.ib_order = ring_order,
	};

	return sluice_ioctl(ch->vs->dev, DRM_IOCTL_PSCNV_FIFO_INIT_IB, &req);
}

static int buffer(struct sluice_channel *ch, uint64_t size, struct sluice_bo *bo, uint64_t *address)
{
	int ret = sluice_bo_new(ch->vs->dev, SLUICE_SYSRAM, size, bo);

	if (ret == 0)
		ret = sluice_bo_map(bo);
	if (ret == 0)
		ret = sluice_vspace_map(ch->vs, bo, address);
	return ret;
}

static int channel_prepare(struct sluice_channel *ch)
{
	int ret = buffer(ch, SLUICE_RING_ENTRIES * 8, &ch->ring_bo, &ch->ring_address);

	if (ret == 0)
		ret = buffer(ch, SLUICE_PUSH_BYTES, &ch->push_bo, &ch->push_address);
	if (ret == 0)
		ret = buffer(ch, PAGE, &ch->fence_bo, &ch->fence_address);
	if (ret == 0)
		ret = sluice_channel_start(ch, ch->ring_address, SLUICE_RING_ORDER);
	return ret;
}

int sluice_channel_new(struct sluice_vspace_id *vs, struct sluice_channel *ch)
{
	uint32_t words[16];
	struct sluice_words w = { .word = words, .capacity = 16 };
	int ret = sluice_channel_create(vs, ch);

	if (ret)
		return ret;
	ret = channel_prepare(ch);
	if (ret == 0) {
		sluice_build_bind(&w);
		ret = sluice_submit(ch, words, w.count, 1000);
	}
	if (ret)
		sluice_channel_free(ch);
	return ret;
}

static void buffer_free(struct sluice_channel *ch, struct sluice_bo *bo, uint64_t address)
{
	if (address)
		sluice_vspace_unmap(ch->vs, address);
	sluice_bo_free(bo);
}

void sluice_channel_free(struct sluice_channel *ch)
{
	struct drm_pscnv_chan_free req = { .cid = ch->cid };

	if (ch->control)
		sluice_unmap(ch->vs->dev, ch->control, PAGE);
	if (ch->cid)
		sluice_ioctl(ch->vs->dev, DRM_IOCTL_PSCNV_CHAN_FREE, &req);
	/* The GPU has stopped: now what it used. */
	buffer_free(ch, &ch->ring_bo, ch->ring_address);
	buffer_free(ch, &ch->push_bo, ch->push_address);
	buffer_free(ch, &ch->fence_bo, ch->fence_address);
	*ch = (struct sluice_channel){ 0 };
}

/* ---- state ------------------------------------------------------------------------------------------- */

void sluice_channel_query(struct sluice_channel *ch, struct sluice_channel_state *state)
{
	const struct sluice_control *control =
		(const struct sluice_control *)((const char *)ch->control + SLUICE_CONTROL_OFFSET);
	uint32_t seq;

	do {
		seq = load_acquire(&control->error_seq);
		state->state = __atomic_load_n(&control->state, __ATOMIC_RELAXED);
		state->error = __atomic_load_n(&control->error, __ATOMIC_RELAXED);
		state->info = __atomic_load_n(&control->error_info, __ATOMIC_RELAXED);
		state->address = __atomic_load_n(&control->error_address, __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (__atomic_load_n(&control->error_seq, __ATOMIC_RELAXED) != seq);
}

static bool has_ended(struct sluice_channel *ch)
{
	struct sluice_channel_state state;

	sluice_channel_query(ch, &state);
	return state.state == SLUICE_CHANNEL_DEAD;
}

/* A loop that waits by looking at memory. */
struct looks {
	uint64_t deadline;
	uint32_t polls, yields;
};

static struct looks looks_until(uint32_t timeout_ms)
{
	return (struct looks){ .deadline = now_ms() + timeout_ms };
}

/* One turn of it: 0 to go on, or why not. */
static int look_again(struct looks *l, struct sluice_channel *ch)
{
	if (++l->polls < POLLS_BEFORE_YIELD)
		return 0;
	l->polls = 0;
	if (has_ended(ch))
		return -EIO;
	if (++l->yields % YIELDS_BEFORE_LOOK == 0 && sluice_gone(ch->vs->dev))
		return -EIO;
	sched_yield();
	return now_ms() < l->deadline ? 0 : -ETIMEDOUT;
}

/* ---- submission -------------------------------------------------------------------------------- */

static uint32_t gp_get(const struct sluice_channel *ch)
{
	return load_acquire(userd(ch, SLUICE_USERD_GP_GET)) & RING_MASK;
}

/*
 * Where the bytes begin that the GPU may still fetch: the entry it took last, of which it may be in
 * the middle. In use is what lies between there and push_put, around the end of the buffer or not.
 */
static uint32_t push_get(const struct sluice_channel *ch, uint32_t get)
{
	return ch->push_start[(get - 1) & RING_MASK];
}

/* Finds room for bytes in one piece, and for an entry; false: not now. */
static bool find_room(const struct sluice_channel *ch, uint32_t bytes, uint32_t *at)
{
	uint32_t get = gp_get(ch);
	uint32_t from = push_get(ch, get);

	if (((ch->put + 1) & RING_MASK) == get)
		return false;
	*at = ch->push_put;
	if (ch->push_put < from)
		return ch->push_put + bytes < from;
	if (ch->push_put + bytes <= SLUICE_PUSH_BYTES)
		return true;
	*at = 0;
	return bytes < from;
}

int sluice_submit(struct sluice_channel *ch, const uint32_t *words, size_t count, uint32_t timeout_ms)
{
	struct looks looks = looks_until(timeout_ms);
	uint64_t *ring = ch->ring_bo.map;
	uint32_t bytes = (uint32_t)count * 4;
	uint32_t at;
	int ret;

	if (count > SLUICE_MAX_SUBMIT)
		return -E2BIG;
	if (count == 0)
		return 0;
	while (!find_room(ch, bytes, &at)) {
		ret = look_again(&looks, ch);
		if (ret)
			return ret;
	}
	memcpy((char *)ch->push_bo.map + at, words, bytes);
	ring[ch->put] = (ch->push_address + at) | (uint64_t)bytes << 40;
	ch->push_start[ch->put] = at;
	ch->push_put = at + bytes;
	ch->put = (ch->put + 1) & RING_MASK;
	store_release(userd(ch, SLUICE_USERD_GP_PUT), ch->put);
	return 0;
}

/* ---- waiting ----------------------------------------------------------------------------------- */

struct sluice_report sluice_next_fence(struct sluice_channel *ch)
{
	return (struct sluice_report){ .address = ch->fence_address, .payload = ++ch->fence };
}

bool sluice_fence_done(const struct sluice_channel *ch, uint32_t fence)
{
	return (int32_t)(load_acquire(ch->fence_bo.map) - fence) >= 0;
}

int sluice_wait_poll(struct sluice_channel *ch, uint32_t fence, uint32_t timeout_ms)
{
	struct looks looks = looks_until(timeout_ms);
	int ret = 0;

	while (!sluice_fence_done(ch, fence)) {
		if (ret)
			return ret;
		ret = look_again(&looks, ch);
	}
	return 0;
}

int sluice_wait_interrupt(struct sluice_channel *ch, uint32_t fence, uint32_t timeout_ms)
{
	struct drm_sluice_chan_wait req = { .cid = ch->cid, .timeout_ms = timeout_ms };
	int ret = 0;

	/* An interrupt after the look at the fence changes the count, so none is slept through. */
	while (!sluice_fence_done(ch, fence)) {
		if (ret)
			return ret == -ETIME ? -ETIMEDOUT : ret;
		if (req.state == SLUICE_CHANNEL_DEAD)
			return -EIO;
		req.seen = ch->interrupts;
		ret = sluice_ioctl(ch->vs->dev, DRM_IOCTL_SLUICE_CHAN_WAIT, &req);
		ch->interrupts = req.seen;
	}
	return 0;
}
