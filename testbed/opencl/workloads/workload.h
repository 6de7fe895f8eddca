/*
 * The common part of the workloads: programs of two arguments, a size and a count of rounds, that check their results
 * against the processor's and print a checksum, the same natively and remoted, and the seconds that the rounds took.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include "../programs/check.h"
#include <math.h>
#include <time.h>

#define WARM_UP -1 /* the round before the first, in which kernels are compiled for their groups */

struct workload {
	struct setup s;
	size_t size;
	int rounds;
	double began;
};

static inline double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Sizes and rounds of the command line, or these. */
static inline struct workload workload(int argc, char **argv, size_t size, int rounds)
{
	struct workload w = { .s = set_up(), .size = size, .rounds = rounds };

	if (argc > 1)
		w.size = strtoull(argv[1], NULL, 0);
	if (argc > 2)
		w.rounds = atoi(argv[2]);
	return w;
}

static inline void begin(struct workload *w)
{
	MUST(clFinish(w->s.queue));
	w->began = seconds();
}

/* After the rounds: what they took, what came out, and whether it is right. */
static inline int end(struct workload *w, const void *result, size_t bytes, bool right)
{
	MUST(clFinish(w->s.queue));
	printf("seconds: %.6f\n", seconds() - w->began);
	say_checksum("result", result, bytes);
	say_text("verified", right ? "right" : "WRONG");
	return !right;
}

static inline cl_mem memory(const struct workload *w, const void *contents, size_t bytes)
{
	return NEED(clCreateBuffer(w->s.context, contents ? CL_MEM_COPY_HOST_PTR : 0, bytes, (void *)(uintptr_t)contents, &error));
}

static inline void fetch(const struct workload *w, cl_mem from, void *to, size_t bytes)
{
	MUST(clEnqueueReadBuffer(w->s.queue, from, CL_TRUE, 0, bytes, to, 0, NULL, NULL));
}

#define ARGUMENT(kernel, index, value) MUST(clSetKernelArg(kernel, index, sizeof(value), &(value)))

static inline void launch(const struct workload *w, cl_kernel kernel, size_t global, size_t local)
{
	MUST(clEnqueueNDRangeKernel(w->s.queue, kernel, 1, NULL, &global, local ? &local : NULL, 0, NULL, NULL));
}

static inline void launch_plane(const struct workload *w, cl_kernel kernel, size_t width, size_t height, size_t local)
{
	const size_t global[2] = { width, height }, group[2] = { local, local };

	MUST(clEnqueueNDRangeKernel(w->s.queue, kernel, 2, NULL, global, local ? group : NULL, 0, NULL, NULL));
}

/* Numbers in [0, 1). */
static inline float *random_floats(size_t count, uint32_t seed)
{
	float *at = malloc(count * sizeof(*at));

	for (size_t i = 0; i < count; i++) {
		seed = seed * 1664525u + 1013904223u;
		at[i] = (float)(seed >> 8) / 16777216.0f;
	}
	return at;
}

#endif /* WORKLOAD_H */
