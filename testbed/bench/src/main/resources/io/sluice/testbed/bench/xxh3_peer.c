/*
 * The peer of ./sluice bench P8: XXH3 of pages of 4 KiB, by the libxxhash of this machine, over the
 * same 1 MiB again and again. Prints what a core hashes in GB/s, by the thread's own time: with 64
 * bits, and with 128.
 *
 *	xxh3_peer SAMPLES
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PAGE 4096u
#define BYTES (1u << 20)
#define ROUNDS 200

/* xxhash.h, which need not be installed; the library's interface is stable. */
typedef struct {
	uint64_t low64;
	uint64_t high64;
} hash128;

uint64_t XXH3_64bits(const void *data, size_t length);
hash128 XXH3_128bits(const void *data, size_t length);

static volatile uint64_t sink;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double rate(const unsigned char *pages, int wide, int samples, double *taken)
{
	int i, round;
	uint32_t at;

	for (i = 0; i < samples; i++) {
		double start = now();

		for (round = 0; round < ROUNDS; round++)
			for (at = 0; at < BYTES; at += PAGE)
				sink += wide ? XXH3_128bits(pages + at, PAGE).low64 :
					       XXH3_64bits(pages + at, PAGE);
		taken[i] = now() - start;
	}
	qsort(taken, (size_t)samples, sizeof(*taken), by_size);
	return (double)BYTES * ROUNDS / taken[samples / 2] / 1e9;
}

int main(int argc, char **argv)
{
	int samples = argc > 1 ? atoi(argv[1]) : 5;
	unsigned char *pages = aligned_alloc(PAGE, BYTES);
	double *taken = calloc((size_t)(samples > 0 ? samples : 1), sizeof(*taken));
	uint32_t i;

	if (samples < 1 || !pages || !taken)
		return 1;
	for (i = 0; i < BYTES; i++)
		pages[i] = (unsigned char)(i * 2654435761u >> 13);
	printf("%.3f", rate(pages, 0, samples, taken));
	printf(" %.3f\n", rate(pages, 1, samples, taken));
	return 0;
}
