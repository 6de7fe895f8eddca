/*
 * What the workload programs share: options, the course of a run, times, progress, comparison.
 *
 * A run is what the thesis measures, from the first call to the compute library to the last: a context
 * is made, memory allocated, input uploaded, kernels run, results downloaded, everything freed. Making
 * up the input and checking the results lie outside.
 */
#ifndef SLUICE_WORKLOAD_H
#define SLUICE_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../lib/compute.h"

struct options {
	const char *device;
	const char *cubin;
	const char *until; /* a file; NULL: iterations say when to end */
	enum slc_wait wait;
	uint32_t size;
	uint32_t runs;
	uint32_t iterations; /* of upload and kernels, in each run */
	uint32_t timeout_ms;
	bool progress;
	bool pause;
};

struct run {
	const struct options *options;
	const struct workload *workload;
	struct slc_context *ctx;
	struct slc_module *module;
};

struct workload {
	const char *name;
	const char *size_is; /* what --size means */
	uint32_t size;       /* unless said otherwise */
	uint32_t unit;       /* sizes are multiples of this */
	uint32_t max_size;
	/* Makes up the input; the same in each process. false: no memory. */
	bool (*prepare)(uint32_t size);
	/* The parts of a run. Each returns a slc_status. */
	int (*allocate)(struct run *run);
	int (*upload)(struct run *run);
	int (*execute)(struct run *run);
	int (*download)(struct run *run);
	/* Compares the results of a run with what the processor computes; prints what is wrong. */
	bool (*verify)(void);
};

/* The whole program; returns its exit status. */
int workload_main(const struct workload *workload, int argc, char **argv);

/* Tells how far execute is, if the user wants to know; waits for the GPU then. total is the same in
 * all calls. */
int workload_progress(struct run *run, uint32_t done, uint32_t total);

/* ---- help for workloads ------------------------------------------------------------------------ */

/* size bytes, or the end of the program. */
void *need_memory(uint64_t bytes);
/* Numbers between two bounds, the same for the same seed. */
void random_floats(float *to, uint64_t count, float least, float most, uint64_t seed);
/* Steps between two floats, by their bits; both zeros are the same. */
int64_t float_distance(float a, float b);
/* Compares floats, of which each may be so far from what it should be; prints the first that is not. */
bool floats_agree(const char *what, const float *found, const float *expected, uint64_t count,
		  int64_t ulps);

#endif /* SLUICE_WORKLOAD_H */
