/*
 * A bystander of an attack: submits and measures how long that takes until the interrupt has come,
 * copies and multiplies matrices and looks whether the results are right.
 *
 * For every line of input it says how it goes:
 *	bystander: rounds=N wrong=N p99_ns=N
 * After "anew" it begins to count and to measure anew. Prints "bystander: ok" when the input says
 * "end".
 */
#include "check.h"
#include "compute.h"
#include "sluice.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>

#define BYTES (64 * PAGE)
#define SUBMISSIONS 32
#define KEPT 65536
#define WAIT_MS 120000
#define N 32
#define TILE 16
#define MATRIX (N * N * sizeof(float))
#define CUBIN "/usr/share/sluice/mmul.cubin"

static uint64_t took[KEPT];
static uint64_t measured;

static struct sluice_channel ch;
static struct sluice_bo source, video, result;
static uint64_t from, through, to;

static struct slc_context *ctx;
static const struct slc_function *multiply;
static uint64_t device_a, device_b, device_c;
static float a[N * N], b[N * N], c[N * N];

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- work ---------------------------------------------------------------------------------------- */

static void buffer(struct sluice_vspace_id *vs, uint32_t flags, struct sluice_bo *bo,
		   uint64_t *address)
{
	must("buffer", sluice_bo_new(vs->dev, flags, BYTES, bo));
	must("mapping", sluice_bo_map(bo));
	must("address", sluice_vspace_map(vs, bo, address));
}

static void prepare(void)
{
	static struct sluice_dev dev;
	static struct sluice_vspace_id vs;
	struct slc_options options = { .wait = SLC_WAIT_INTERRUPT, .timeout_ms = WAIT_MS };
	struct slc_module *module;
	int i, ret;

	must("open", sluice_open(&dev, NULL));
	must("space", sluice_vspace_new(&dev, &vs));
	must("channel", sluice_channel_new(&vs, &ch));
	buffer(&vs, SLUICE_SYSRAM, &source, &from);
	buffer(&vs, SLUICE_VRAM, &video, &through);
	buffer(&vs, SLUICE_SYSRAM, &result, &to);

	for (i = 0; i < N * N; i++) {
		a[i] = (float)(i % 7);
		b[i] = (float)(i % 5);
	}
	ret = slc_context_create(&ctx, &options);
	if (ret == SLC_OK)
		ret = slc_module_load_file(ctx, CUBIN, &module);
	if (ret == SLC_OK)
		ret = slc_module_function(module, "mmul", &multiply);
	if (ret == SLC_OK)
		ret = slc_memory_alloc(ctx, MATRIX, &device_a);
	if (ret == SLC_OK)
		ret = slc_memory_alloc(ctx, MATRIX, &device_b);
	if (ret == SLC_OK)
		ret = slc_memory_alloc(ctx, MATRIX, &device_c);
	if (ret != SLC_OK) {
		printf("FAILED: %s\n", slc_error(ctx)->text);
		exit(1);
	}
}

static int submit(struct sluice_words *w, uint32_t fence)
{
	int ret;

	sluice_build_interrupt(w);
	ret = sluice_submit(&ch, w->word, w->count, WAIT_MS);
	return ret ? ret : sluice_wait_interrupt(&ch, fence, WAIT_MS);
}

/* A release of the channel's fence and nothing else. */
static int submit_nothing(void)
{
	uint32_t words[32];
	struct sluice_words w = { .word = words, .capacity = 32 };
	struct sluice_report fence = sluice_next_fence(&ch);
	uint64_t begin = now();
	int ret;

	sluice_build_release(&w, fence.address, fence.payload);
	ret = submit(&w, fence.payload);
	took[measured++ % KEPT] = now() - begin;
	return ret;
}

static int copy(uint64_t seed)
{
	uint32_t words[64];
	struct sluice_words w = { .word = words, .capacity = 64 };
	struct sluice_report fence, first = { .address = ch.fence_address, .payload = ch.fence };
	int ret;

	sluice_fill(source.map, BYTES, seed);
	sluice_build_m2mf_copy(&w, through, from, BYTES, first);
	fence = sluice_next_fence(&ch);
	sluice_build_m2mf_copy(&w, to, through, BYTES, fence);
	ret = submit(&w, fence.payload);
	return ret == 0 && memcmp(source.map, result.map, BYTES) ? -EILSEQ : ret;
}

/* Small whole numbers: their sums are exact. */
static bool is_product(void)
{
	int row, column, k;

	for (row = 0; row < N; row++)
		for (column = 0; column < N; column++) {
			float sum = 0;

			for (k = 0; k < N; k++)
				sum += a[row * N + k] * b[k * N + column];
			if (c[row * N + column] != sum)
				return false;
		}
	return true;
}

static int product(void)
{
	uint32_t n = N;
	void *arguments[] = { &device_a, &device_b, &device_c, &n };
	struct slc_shape shape = { .grid = { N / TILE, N / TILE, 1 }, .block = { TILE, TILE, 1 } };
	int ret = slc_copy_to_device(ctx, device_a, a, MATRIX);

	memset(c, 0xff, sizeof(c));
	if (ret == SLC_OK)
		ret = slc_copy_to_device(ctx, device_b, b, MATRIX);
	if (ret == SLC_OK)
		ret = slc_launch(multiply, &shape, arguments, 4);
	if (ret == SLC_OK)
		ret = slc_copy_to_host(ctx, c, device_c, MATRIX);
	if (ret != SLC_OK)
		printf("bystander says: %s\n", slc_error(ctx)->text);
	return ret || !is_product();
}

static bool work(uint64_t number)
{
	int i, ret = 0;

	for (i = 0; ret == 0 && i < SUBMISSIONS; i++)
		ret = submit_nothing();
	if (ret == 0)
		ret = copy(number);
	if (ret)
		printf("bystander says: %s\n", strerror(-ret));
	return product() == 0 && ret == 0;
}

/* ---- what is told --------------------------------------------------------------------------------- */

static int compare(const void *left, const void *right)
{
	uint64_t x = *(const uint64_t *)left, y = *(const uint64_t *)right;

	return x < y ? -1 : x > y;
}

static void tell(uint64_t rounds, uint64_t wrong)
{
	uint64_t count = measured < KEPT ? measured : KEPT;

	qsort(took, count, sizeof(took[0]), compare);
	printf("bystander: rounds=%llu wrong=%llu p99_ns=%llu\n", (unsigned long long)rounds,
	       (unsigned long long)wrong,
	       (unsigned long long)(count ? took[(count - 1) * 99 / 100] : 0));
	fflush(stdout);
}

/* The next line of input that is there; NULL: none. */
static const char *line(void)
{
	static char text[80];
	struct pollfd input = { .fd = 0, .events = POLLIN };
	ssize_t got;

	if (poll(&input, 1, 0) <= 0)
		return NULL;
	got = read(0, text, sizeof(text) - 1);
	if (got <= 0)
		return "end";
	text[got] = 0;
	return text;
}

int main(void)
{
	uint64_t rounds = 0, wrong = 0;
	const char *said = NULL;

	prepare();
	printf("bystander: begins\n");
	fflush(stdout);
	while (!said || strncmp(said, "end", 3)) {
		wrong += !work(rounds);
		rounds++;
		said = line();
		if (said && strncmp(said, "end", 3))
			tell(rounds, wrong);
		if (said && !strncmp(said, "anew", 4))
			rounds = wrong = measured = 0;
	}
	failures = wrong != 0;
	return report("bystander");
}
