/*
 * Channels of a plain process, and waiting for their interrupts.
 */
#include "process.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* Waiters of several threads can share a vector, and one of them takes what another waits for. */
#define LOOK_MS 50

bool process_has_channel(struct device *d, uint32_t cid)
{
	return cid < d->num_channels && d->channels[cid].space;
}

int process_chan_new(struct device *d, struct drm_pscnv_chan_new *req)
{
	struct sluice_chan_new args = { .vid = req->vid };
	struct space *space = process_space_of(d, req->vid);
	int ret;

	if (!space)
		return -ENOENT;
	ret = process_call(d, SLUICE_CALL_CHAN_NEW, &args, sizeof(args));
	if (ret)
		return ret;
	if (args.cid == 0 || args.cid >= d->num_channels)
		return -EIO;
	d->channels[args.cid] = (struct channel){ .space = space };
	space->users++;
	req->cid = args.cid;
	req->map_handle = PSCNV_MAP_CHANNEL | (uint64_t)args.cid << PSCNV_MAP_CHANNEL_SHIFT;
	return 0;
}

int process_chan_free(struct device *d, const struct drm_pscnv_chan_free *req)
{
	int ret;

	if (!process_has_channel(d, req->cid))
		return -ENOENT;
	ret = process_free_call(d, SLUICE_CALL_CHAN_FREE, req->cid);
	if (ret)
		return ret;
	process_space_put(d, d->channels[req->cid].space);
	d->channels[req->cid].space = NULL;
	return 0;
}

int process_obj_eng_new(struct device *d, const struct drm_pscnv_obj_eng_new *req)
{
	struct sluice_obj_eng_new args = {
		.cid = req->cid, .handle = req->handle, .oclass = req->oclass, .flags = req->flags
	};

	return process_has_channel(d, req->cid) ? process_call(d, SLUICE_CALL_OBJ_ENG_NEW, &args, sizeof(args)) :
					  -ENOENT;
}

int process_fifo_init_ib(struct device *d, const struct drm_pscnv_fifo_init_ib *req)
{
	struct sluice_fifo_init_ib args = {
		.cid = req->cid, .slimask = req->slimask,
		.ib_order = req->ib_order, .ib_start = req->ib_start,
	};

	return process_has_channel(d, req->cid) ? process_call(d, SLUICE_CALL_FIFO_INIT_IB, &args, sizeof(args)) :
					  -ENOENT;
}

/* ---- waiting ----------------------------------------------------------------------------------- */

/* With the lock held: takes the pending bits of all channels. */
static void collect(struct device *d)
{
	uint32_t *word = (uint32_t *)(d->call_bar + SLUICE_BAR1_PENDING);
	uint32_t i, bits;

	for (i = 0; i < d->num_channels; i += 32)
		for (bits = __atomic_exchange_n(&word[i / 32], 0, __ATOMIC_ACQ_REL); bits;
		     bits &= bits - 1)
			d->channels[i + (uint32_t)__builtin_ctz(bits)].interrupts++;
}

/* With the lock held. What the channel says of itself, or the host if its page is not to be believed. */
static int state_read(struct device *d, struct drm_sluice_chan_wait *req)
{
	const struct sluice_control *control = (const struct sluice_control *)(
		d->control_bar + req->cid * PAGE + SLUICE_CONTROL_OFFSET);
	struct sluice_chan_query args = { .cid = req->cid };
	int ret;

	if (__atomic_load_n(&control->generation, __ATOMIC_ACQUIRE)) {
		req->state = control->state;
		req->reason = control->error;
		req->info = control->error_info;
		req->address = control->error_address;
		return 0;
	}
	ret = process_call(d, SLUICE_CALL_CHAN_QUERY, &args, sizeof(args));
	req->state = args.state;
	req->reason = args.reason;
	req->info = args.info;
	req->address = args.address;
	return ret;
}

static int look(struct device *d, struct drm_sluice_chan_wait *req, bool *happened)
{
	int ret = -ENOENT;

	pthread_mutex_lock(&d->lock);
	if (process_has_channel(d, req->cid)) {
		collect(d);
		ret = state_read(d, req);
		*happened = req->seen != d->channels[req->cid].interrupts ||
			    req->state == SLUICE_CHANNEL_DEAD;
		if (*happened)
			req->seen = d->channels[req->cid].interrupts;
	}
	pthread_mutex_unlock(&d->lock);
	return ret;
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Without the lock while it sleeps. What came before the connection ended counts. */
int process_chan_wait(struct device *d, struct drm_sluice_chan_wait *req)
{
	uint64_t end = req->timeout_ms == ~0u ? ~0ull : now_ms() + req->timeout_ms;
	enum process_event event = PROCESS_TIMEOUT;
	bool happened = false;
	uint64_t now;
	int ret;

	if (req->flags || req->pad)
		return -EINVAL;
	for (;;) {
		ret = look(d, req, &happened);
		now = now_ms();
		if (ret == 0 && !happened && event == PROCESS_GONE)
			ret = -EIO;
		if (ret || happened || now >= end)
			break;
		event = process_wait_vector(d, 1 + req->cid % (d->num_vectors - 1),
					    end - now < LOOK_MS ? (int)(end - now) : LOOK_MS);
	}
	if (req->timeout_ms != ~0u)
		req->timeout_ms = end > now ? (uint32_t)(end - now) : 0;
	return ret || happened ? ret : -ETIME;
}
