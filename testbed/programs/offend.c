/*
 * Keeps the GPU from others for ever, and says what became of that.
 *
 *	offend [--device PATH] [--channels N] grid|acquire LIMIT_MS
 *
 * One channel, or N, execute a kernel that loops without end, or wait for a semaphore that nobody
 * releases. For a second, while nobody else is to use the GPU, nothing may happen to them; then comes
 * "offend: alone ok". From then on all of them must be killed, after LIMIT_MS at least, with the
 * library, the control page and the driver telling the same; another channel of this program goes on
 * all the time, and finds its memory as it was. At the end comes "offend: ok", and for each channel
 * before that
 *	offend: killed CID LASTED_MS ADDRESS
 */
#include "compute_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TIMEOUT_MS 120000u
#define ALONE_S 1.0
#define MAX_OFFENDERS 16u
#define COPY_BYTES (1u << 20)
#define SEED 0x5eedull

/* Instructions, as the assembler of testbed/workloads writes them. */
#define EXIT 0x8000000000001de7ull
#define BRA_SELF (0x4000000000001de7ull | (uint64_t)(-8 & 0xffffff) << 26)

static struct slc_options options = { .wait = SLC_WAIT_INTERRUPT, .timeout_ms = TIMEOUT_MS };
static struct slc_context *ctx;
static struct sluice_channel good;
static struct sluice_channel more[MAX_OFFENDERS]; /* beside the context's own */
static struct allocation video, ram, never;
static uint64_t code;
static uint32_t limit_ms;
static uint32_t offenders = 1;
static bool by_grid;

static void need(const char *what, bool right)
{
	if (right)
		return;
	printf("offend: FAILED: %s (%s)\n", what, slc_error(ctx)->text);
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- the channel that does nothing wrong ------------------------------------------------------- */

static void good_submit(struct sluice_words *w, struct sluice_report done)
{
	need("submit", sluice_words_fit(w) && !sluice_submit(&good, w->word, w->count, TIMEOUT_MS));
	need("a channel that did nothing wrong", !sluice_wait_poll(&good, done.payload, TIMEOUT_MS));
}

static void good_start(void)
{
	uint32_t word[64];
	struct sluice_words w = { word, 0, 64 };
	struct sluice_report done;

	need("channel", !sluice_channel_new(&ctx->vs, &good));
	need("video memory", !slc_buffer_new(ctx, SLUICE_VRAM | PSCNV_GEM_MAPPABLE, COPY_BYTES, &video));
	need("mapping", !sluice_bo_map(&video.bo));
	need("memory", !slc_buffer_new(ctx, SLUICE_SYSRAM, COPY_BYTES, &ram));
	sluice_fill(video.bo.map, COPY_BYTES, SEED);
	done = sluice_next_fence(&good);
	sluice_build_bind(&w);
	sluice_build_release(&w, done.address, done.payload);
	good_submit(&w, done);
}

/* Video memory is what was written there, for the GPU and for us. */
static void good_works(void)
{
	uint32_t word[64];
	struct sluice_words w = { word, 0, 64 };
	struct sluice_report done = sluice_next_fence(&good);

	memset(ram.bo.map, 0, COPY_BYTES);
	sluice_build_m2mf_copy(&w, ram.address, video.address, COPY_BYTES, done);
	good_submit(&w, done);
	need("memory is not what it was", !memcmp(ram.bo.map, video.bo.map, COPY_BYTES));
	sluice_fill(ram.bo.map, COPY_BYTES, SEED);
	need("video memory is not what it was", !memcmp(ram.bo.map, video.bo.map, COPY_BYTES));
}

/* ---- those that do ----------------------------------------------------------------------------- */

static void build_grid(struct sluice_words *w)
{
	struct sluice_grid grid = {
		.grid = { 1, 1, 1 },
		.block = { 32, 1, 1 },
		.registers = 32,
		.barriers = 1,
		.program = code,
		.local_bytes = 0xb40000,
		.local_warp_bytes = 0x4000,
		.stack_bytes = 0x200,
	};

	grid.bank[0] = (struct sluice_bank){ code + 1024, 256 };
	sluice_build_launch(w, &grid);
}

static struct sluice_channel *offender(uint32_t i)
{
	return i == 0 ? &ctx->ch : &more[i - 1];
}

static void offend(uint32_t i)
{
	uint32_t words[1024];
	struct sluice_words w = { .word = words, .capacity = 1024 };

	if (i > 0) {
		need("channel", !sluice_channel_new(&ctx->vs, offender(i)));
		if (by_grid)
			sluice_build_compute(&w, ctx->multiprocessors);
	}
	if (by_grid)
		build_grid(&w);
	else
		sluice_build_acquire(&w, never.address, 1);
	need("offence", sluice_words_fit(&w) &&
				!sluice_submit(offender(i), w.word, w.count, TIMEOUT_MS));
}

static void set_up(void)
{
	static const uint64_t loop[] = { BRA_SELF, EXIT };

	need("context", !slc_context_create(&ctx, &options));
	need("code", !slc_memory_alloc(ctx, 4096, &code) &&
			     !slc_copy_to_device(ctx, code, loop, sizeof(loop)));
	need("semaphore", !slc_buffer_new(ctx, SLUICE_SYSRAM, 4096, &never));
	memset(never.bo.map, 0, 4096);
	need("start", !slc_synchronize(ctx));
	good_start();
	good_works();
}

/* Nobody else uses the GPU: whatever its own channels do, nothing happens. */
static void alone(void)
{
	struct sluice_channel_state state;
	double until = now() + ALONE_S;
	uint32_t i;

	while (now() < until)
		good_works();
	for (i = 0; i < offenders; i++) {
		sluice_channel_query(offender(i), &state);
		need("killed while nobody else used the GPU",
		     state.state == SLUICE_CHANNEL_RUNNING && state.error == 0);
	}
	printf("offend: alone ok\n");
	fflush(stdout);
}

/* What the kernel module says of a channel, where there is one. */
static void check_driver(const struct sluice_channel *ch, const struct sluice_channel_state *state)
{
	struct drm_sluice_chan_wait wait = { .cid = ch->cid };

	if (ctx->dev.transport != &sluice_transport_drm)
		return;
	need("CHAN_WAIT", !sluice_ioctl(&ctx->dev, DRM_IOCTL_SLUICE_CHAN_WAIT, &wait));
	need("CHAN_WAIT tells otherwise", wait.state == state->state && wait.reason == state->error &&
						  wait.info == state->info &&
						  wait.address == state->address);
}

static void killed(struct sluice_channel *ch)
{
	struct sluice_channel_state state;

	do {
		good_works();
		sluice_channel_query(ch, &state);
	} while (state.state != SLUICE_CHANNEL_DEAD);
	need("not killed for its time", state.error == SLUICE_ERROR_TIMEOUT);
	need("killed too soon", state.info >= limit_ms);
	if (by_grid)
		need("not the address of a command",
		     state.address >= ch->push_address &&
			     state.address < ch->push_address + SLUICE_PUSH_BYTES);
	else
		need("not the address of the semaphore", state.address == never.address);
	check_driver(ch, &state);
	printf("offend: killed %u %u %#llx\n", ch->cid, state.info, (unsigned long long)state.address);
	fflush(stdout);
}

/* The compute library's account of the context's channel. */
static void check_library(void)
{
	const struct slc_error *error = slc_error(ctx);
	struct sluice_channel_state state;
	char expected[128];

	need("the library does not notice", slc_synchronize(ctx) == SLC_CHANNEL_ENDED);
	sluice_channel_query(&ctx->ch, &state);
	snprintf(expected, sizeof(expected),
		 "channel %u has ended: killed: its command at %#llx lasted %u ms while others waited",
		 ctx->ch.cid, (unsigned long long)state.address, state.info);
	need("the library tells otherwise", error->channel == ctx->ch.cid &&
						    error->reason == SLUICE_ERROR_TIMEOUT &&
						    error->info == state.info &&
						    error->address == state.address &&
						    !strcmp(error->text, expected));
}

int main(int argc, char **argv)
{
	uint32_t i;

	for (i = 1; i + 3 < (uint32_t)argc; i += 2) {
		if (!strcmp(argv[i], "--device"))
			options.device = argv[i + 1];
		else if (!strcmp(argv[i], "--channels"))
			offenders = (uint32_t)atoi(argv[i + 1]);
		else
			break;
	}
	if ((int)i + 2 != argc || offenders < 1 || offenders > MAX_OFFENDERS ||
	    (strcmp(argv[i], "grid") && strcmp(argv[i], "acquire"))) {
		fprintf(stderr, "usage: offend [--device PATH] [--channels N] grid|acquire LIMIT_MS\n");
		return 64;
	}
	by_grid = !strcmp(argv[i], "grid");
	limit_ms = (uint32_t)atoi(argv[i + 1]);
	set_up();
	for (i = 0; i < offenders; i++)
		offend(i);
	alone();
	for (i = 0; i < offenders; i++)
		killed(offender(i));
	check_library();
	good_works();
	for (i = 0; i + 1 < offenders; i++)
		sluice_channel_free(&more[i]);
	sluice_channel_free(&good);
	slc_buffer_free(ctx, &video);
	slc_buffer_free(ctx, &ram);
	slc_buffer_free(ctx, &never);
	slc_context_destroy(ctx);
	printf("offend: ok\n");
	return 0;
}
