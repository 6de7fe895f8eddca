/* Contexts, waiting and errors: see compute.h. */
#include "compute_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_END 0xffffffffu
#define SETUP_WORDS 1024
#define SUBMIT_TIMEOUT_MS 10000
#define EVENT_BYTES 16u

/* Of a context that could not be made. */
static _Thread_local struct slc_error create_error;

/* ---- errors ------------------------------------------------------------------------------------ */

const struct slc_error *slc_error(const struct slc_context *ctx)
{
	return ctx ? &ctx->error : &create_error;
}

const char *slc_status_name(enum slc_status status)
{
	static const char *const names[] = {
		"SLC_OK",		"SLC_INVALID_VALUE",	"SLC_NO_HOST_MEMORY",
		"SLC_NO_DEVICE_MEMORY", "SLC_NO_DEVICE",	"SLC_INVALID_IMAGE",
		"SLC_NOT_FOUND",	"SLC_INVALID_ADDRESS",	"SLC_OUT_OF_RESOURCES",
		"SLC_TIMEOUT",		"SLC_CHANNEL_ENDED",	"SLC_SYSTEM",
	};

	return status <= SLC_SYSTEM ? names[status] : "?";
}

int slc_fail(struct slc_context *ctx, enum slc_status status, int system, const char *format, ...)
{
	va_list args;

	ctx->error = (struct slc_error){ .status = status, .system = system };
	va_start(args, format);
	vsnprintf(ctx->error.text, sizeof(ctx->error.text), format, args);
	va_end(args);
	return (int)status;
}

static const char *warp_error(uint32_t code)
{
	switch (code) {
	case 1:
		return "stack error";
	case 9:
		return "invalid instruction";
	case 12:
		return "constant outside its bank";
	case 13:
		return "register out of bounds";
	case 14:
		return "memory out of bounds";
	case 15:
		return "unaligned address";
	case 16:
		return "invalid address space";
	case 17:
		return "invalid operand";
	default:
		return "warp error";
	}
}

static const char *engine_error(uint32_t code)
{
	switch (code) {
	case 0x04:
		return "a value out of range";
	case 0x05:
		return "a value that names nothing";
	case 0x0b:
		return "an address that is not aligned";
	case 0x2b:
		return "a block size that does not match";
	default:
		return "an error of the engine";
	}
}

/* What a reason means, for people. */
static void describe(char *text, size_t size, const struct sluice_channel_state *s)
{
	unsigned long long address = s->address;

	switch (s->error) {
	case SLUICE_ERROR_PAGE_FAULT:
		snprintf(text, size, "%s of unmapped GPU address %#llx",
			 s->info >> 8 & 1 ? "write" : "read", address);
		break;
	case SLUICE_ERROR_ENGINE:
		snprintf(text, size, "%s (%#x) at method %#llx%s", engine_error(s->info), s->info, address,
			 address == SLUICE_LAUNCH_METHOD ? ", a launch" : "");
		break;
	case SLUICE_ERROR_SM:
		snprintf(text, size, "%s (%u) at code offset %#llx", warp_error(s->info), s->info,
			 address);
		break;
	case SLUICE_ERROR_REVOKED:
		snprintf(text, size, "memory it used was taken away, address %#llx", address);
		break;
	case SLUICE_ERROR_TIMEOUT:
		snprintf(text, size, "killed: its command at %#llx lasted %u ms while others waited",
			 address, s->info);
		break;
	case SLUICE_ERROR_OPERATOR:
		snprintf(text, size, "killed by the operator");
		break;
	case SLUICE_ERROR_DEVICE:
		snprintf(text, size, "the GPU failed");
		break;
	default:
		snprintf(text, size, "reason %u, info %#x, address %#llx", s->error, s->info, address);
	}
}

static int channel_ended(struct slc_context *ctx, const struct sluice_channel_state *s)
{
	char text[128];

	describe(text, sizeof(text), s);
	slc_fail(ctx, SLC_CHANNEL_ENDED, 0, "channel %u has ended: %s", ctx->ch.cid, text);
	ctx->error.channel = ctx->ch.cid;
	ctx->error.reason = s->error;
	ctx->error.info = s->info;
	ctx->error.address = s->address;
	return SLC_CHANNEL_ENDED;
}

int slc_check_channel(struct slc_context *ctx)
{
	struct sluice_channel_state state;

	sluice_channel_query(&ctx->ch, &state);
	return state.state == SLUICE_CHANNEL_DEAD ? channel_ended(ctx, &state) : SLC_OK;
}

int slc_fail_call(struct slc_context *ctx, int ret, const char *what)
{
	enum slc_status status = SLC_SYSTEM;

	if (ret == -EIO && ctx->ch.control && slc_check_channel(ctx))
		return SLC_CHANNEL_ENDED;
	if (sluice_gone(&ctx->dev))
		return slc_fail(ctx, SLC_NO_DEVICE, -ret, "%s: the device's host has ended", what);
	if (ret == -ENOMEM || ret == -ENOSPC || ret == -EDQUOT)
		status = SLC_NO_DEVICE_MEMORY;
	else if (ret == -ETIMEDOUT)
		status = SLC_TIMEOUT;
	return slc_fail(ctx, status, -ret, "%s: %s", what, strerror(-ret));
}

/* ---- buffers ----------------------------------------------------------------------------------- */

int slc_buffer_new(struct slc_context *ctx, uint32_t flags, uint64_t bytes, struct allocation *a)
{
	int ret = sluice_bo_new(&ctx->dev, flags, bytes, &a->bo);

	if (ret == 0)
		ret = sluice_vspace_map(&ctx->vs, &a->bo, &a->address);
	if (ret == 0 && flags == SLUICE_SYSRAM)
		ret = sluice_bo_map(&a->bo);
	if (ret) {
		slc_buffer_free(ctx, a);
		return slc_fail_call(ctx, ret, "memory");
	}
	a->bytes = bytes;
	return SLC_OK;
}

void slc_buffer_free(struct slc_context *ctx, struct allocation *a)
{
	if (a->address)
		sluice_vspace_unmap(&ctx->vs, a->address);
	sluice_bo_free(&a->bo);
	*a = (struct allocation){ 0 };
}

/* ---- submission and waiting -------------------------------------------------------------------- */

int slc_submit(struct slc_context *ctx, struct sluice_words *w)
{
	int ret;

	if (!sluice_words_fit(w))
		return slc_fail(ctx, SLC_INVALID_VALUE, 0, "a command of %zu words", w->count);
	ret = sluice_submit(&ctx->ch, w->word, w->count,
			    ctx->timeout_ms == NO_END ? SUBMIT_TIMEOUT_MS : ctx->timeout_ms);
	/* A kernel may run for longer than that while the ring is full. */
	while (ret == -ETIMEDOUT && ctx->timeout_ms == NO_END)
		ret = sluice_submit(&ctx->ch, w->word, w->count, SUBMIT_TIMEOUT_MS);
	return ret ? slc_fail_call(ctx, ret, "the ring stays full") : SLC_OK;
}

int slc_submit_fenced(struct slc_context *ctx, struct sluice_words *w, uint32_t *fence)
{
	struct sluice_report report = sluice_next_fence(&ctx->ch);

	*fence = report.payload;
	sluice_build_release(w, report.address, report.payload);
	if (ctx->wait == SLC_WAIT_INTERRUPT)
		sluice_build_interrupt(w);
	return slc_submit(ctx, w);
}

int slc_wait_fence(struct slc_context *ctx, uint32_t fence)
{
	int ret;

	do
		ret = ctx->wait == SLC_WAIT_INTERRUPT ?
			      sluice_wait_interrupt(&ctx->ch, fence, ctx->timeout_ms) :
			      sluice_wait_poll(&ctx->ch, fence, ctx->timeout_ms);
	while (ret == -ETIMEDOUT && ctx->timeout_ms == NO_END);
	return ret ? slc_fail_call(ctx, ret, "waiting for the GPU") : SLC_OK;
}

int slc_synchronize(struct slc_context *ctx)
{
	uint32_t words[16];
	struct sluice_words w = { .word = words, .capacity = 16 };
	uint32_t fence;
	int ret = slc_check_channel(ctx);

	if (ret == SLC_OK)
		ret = slc_submit_fenced(ctx, &w, &fence);
	return ret ? ret : slc_wait_fence(ctx, fence);
}

/* ---- contexts ---------------------------------------------------------------------------------- */

static int buffers_new(struct slc_context *ctx)
{
	int ret = slc_buffer_new(ctx, SLUICE_VRAM, SLUICE_BANK_1_BYTES, &ctx->bank_1);
	int i;

	for (i = 0; i < BOUNCES && ret == SLC_OK; i++)
		ret = slc_buffer_new(ctx, SLUICE_SYSRAM, BOUNCE_BYTES, &ctx->bounce[i].memory);
	if (ret == SLC_OK)
		ret = slc_buffer_new(ctx, SLUICE_SYSRAM, SLC_EVENTS * EVENT_BYTES, &ctx->events);
	return ret;
}

static int set_up(struct slc_context *ctx)
{
	uint32_t words[SETUP_WORDS];
	struct sluice_words w = { .word = words, .capacity = SETUP_WORDS };

	sluice_build_compute(&w, ctx->multiprocessors);
	return slc_submit(ctx, &w);
}

static int context_open(struct slc_context *ctx, const char *device)
{
	uint64_t multiprocessors;
	int ret = sluice_open(&ctx->dev, device);

	if (ret)
		return slc_fail(ctx, SLC_NO_DEVICE, -ret, "device %s: %s", device ? device : "any",
				strerror(-ret));
	ret = sluice_getparam(&ctx->dev, PSCNV_PARAM_MP_COUNT, &multiprocessors);
	if (ret)
		return slc_fail_call(ctx, ret, "number of multiprocessors");
	ctx->multiprocessors = (uint32_t)multiprocessors;
	ret = sluice_vspace_new(&ctx->dev, &ctx->vs);
	if (ret)
		return slc_fail_call(ctx, ret, "address space");
	ret = sluice_channel_new(&ctx->vs, &ctx->ch);
	if (ret)
		return slc_fail_call(ctx, ret, "channel");
	ret = buffers_new(ctx);
	return ret ? ret : set_up(ctx);
}

int slc_context_create(struct slc_context **result, const struct slc_options *options)
{
	static const struct slc_options defaults;
	struct slc_context *ctx = calloc(1, sizeof(*ctx));
	int ret;

	*result = NULL;
	if (!ctx) {
		create_error = (struct slc_error){ .status = SLC_NO_HOST_MEMORY, .system = ENOMEM,
						   .text = "no memory for a context" };
		return SLC_NO_HOST_MEMORY;
	}
	if (!options)
		options = &defaults;
	ctx->dev.fd = -1;
	ctx->wait = options->wait;
	ctx->timeout_ms = options->timeout_ms ? options->timeout_ms : NO_END;
	ret = context_open(ctx, options->device);
	if (ret) {
		create_error = ctx->error;
		slc_context_destroy(ctx);
		return ret;
	}
	*result = ctx;
	return SLC_OK;
}

void slc_context_destroy(struct slc_context *ctx)
{
	uint32_t i;

	if (!ctx)
		return;
	/* The channel first: then nothing uses the memory any more. */
	sluice_channel_free(&ctx->ch);
	for (i = 0; i < SLC_MAX_MODULES; i++)
		if (ctx->module[i])
			slc_module_unload(ctx->module[i]);
	slc_arrays_free(ctx);
	for (i = 0; i < ctx->allocation_count; i++)
		slc_buffer_free(ctx, &ctx->allocation[i]);
	free(ctx->allocation);
	for (i = 0; i < BOUNCES; i++)
		slc_buffer_free(ctx, &ctx->bounce[i].memory);
	slc_buffer_free(ctx, &ctx->bank_1);
	slc_buffer_free(ctx, &ctx->local);
	slc_buffer_free(ctx, &ctx->events);
	sluice_vspace_free(&ctx->vs);
	sluice_close(&ctx->dev);
	free(ctx);
}

uint32_t slc_context_channel(const struct slc_context *ctx)
{
	return ctx->ch.cid;
}

/* ---- events ------------------------------------------------------------------------------------ */

static const uint32_t *event_at(const struct slc_context *ctx, uint32_t event)
{
	return (const uint32_t *)((const char *)ctx->events.bo.map + event * EVENT_BYTES);
}

int slc_event_record(struct slc_context *ctx, uint32_t event)
{
	uint32_t words[16];
	struct sluice_words w = { .word = words, .capacity = 16 };
	struct sluice_report report;
	int ret = slc_check_channel(ctx);

	if (ret)
		return ret;
	if (event >= SLC_EVENTS)
		return slc_fail(ctx, SLC_INVALID_VALUE, 0, "event %u of %u", event, SLC_EVENTS);
	if (++ctx->last_payload == 0)
		ctx->last_payload = 1;
	ctx->event_payload[event] = ctx->last_payload;
	report = (struct sluice_report){ ctx->events.address + event * EVENT_BYTES, ctx->last_payload };
	sluice_build_report(&w, report, false);
	return slc_submit(ctx, &w);
}

int slc_event_done(const struct slc_context *ctx, uint32_t event)
{
	if (event >= SLC_EVENTS || !ctx->event_payload[event])
		return -1;
	return __atomic_load_n(event_at(ctx, event), __ATOMIC_ACQUIRE) == ctx->event_payload[event];
}

int slc_event_time(struct slc_context *ctx, uint32_t event, uint64_t *ns)
{
	if (slc_event_done(ctx, event) != 1)
		return slc_fail(ctx, SLC_INVALID_VALUE, 0, "event %u was not reached", event);
	memcpy(ns, (const char *)event_at(ctx, event) + 8, sizeof(*ns));
	return SLC_OK;
}
