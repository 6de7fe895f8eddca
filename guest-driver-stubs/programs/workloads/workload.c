/* See workload.h. */
#include "workload.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CUBIN_DIRECTORY "/usr/share/sluice/"
#define MAX_RUNS 1000
#define MAX_ITERATIONS 1000
#define PROGRESS_STEPS 50 /* at most so many lines */
#define TELL_MS 500
#define EVENT_START 0
#define EVENT_END 1
#define EX_USAGE 64

enum part { INIT, ALLOC, UPLOAD, EXEC, DOWNLOAD, CLOSE, PARTS };

static const char *const part_names[PARTS] = { "init", "alloc", "upload", "exec", "download", "close" };

/* ---- help -------------------------------------------------------------------------------------- */

void *need_memory(uint64_t bytes)
{
	void *memory = malloc(bytes ? bytes : 1);

	if (!memory) {
		printf("no memory for %" PRIu64 " bytes\n", bytes);
		exit(1);
	}
	return memory;
}

void random_floats(float *to, uint64_t count, float least, float most, uint64_t seed)
{
	uint64_t state = seed * 0x9e3779b97f4a7c15ull + 0x1234567;
	uint64_t i;

	for (i = 0; i < count; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		to[i] = least + (most - least) * ((float)(state >> 40) / (float)(1 << 24));
	}
}

/* Bits of floats as numbers in the same order. */
static int64_t ordered(float value)
{
	int32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits >= 0 ? bits : (int64_t)INT32_MIN - bits;
}

int64_t float_distance(float a, float b)
{
	int64_t distance = ordered(a) - ordered(b);

	return distance < 0 ? -distance : distance;
}

bool floats_agree(const char *what, const float *found, const float *expected, uint64_t count,
		  int64_t ulps)
{
	uint64_t i;

	for (i = 0; i < count; i++) {
		if (isnan(found[i]) || float_distance(found[i], expected[i]) > ulps) {
			printf("%s[%" PRIu64 "] is %.9g, not %.9g\n", what, i, found[i], expected[i]);
			return false;
		}
	}
	return true;
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int workload_progress(struct run *run, uint32_t done, uint32_t total)
{
	uint32_t steps = total < PROGRESS_STEPS ? total : PROGRESS_STEPS;
	int ret;

	if (!run->options->progress || (uint64_t)done * steps % total >= steps)
		return SLC_OK;
	ret = slc_synchronize(run->ctx);
	if (ret == SLC_OK) {
		printf("progress: %s %u %u\n", run->workload->name, done, total);
		fflush(stdout);
	}
	return ret;
}

/* ---- options ----------------------------------------------------------------------------------- */

static void usage(const struct workload *w)
{
	printf("usage: %s [OPTION]...\n"
	       "  --size N            %s (%u)\n"
	       "  --runs N            so many runs, each with a context of its own (1)\n"
	       "  --iterations N      upload and kernels so often in each run (1)\n"
	       "  --until FILE        upload and kernels again and again until FILE appears, in each run;\n"
	       "                      lines \"iteration: %s N\" now and then\n"
	       "  --wait HOW          interrupt or poll (interrupt)\n"
	       "  --timeout MS        longest wait for the GPU, 0 no end (0)\n"
	       "  --progress          lines \"progress: %s DONE TOTAL\"\n"
	       "  --pause             in the first run: \"phase: ready\" after set-up and \"phase: done\"\n"
	       "                      after the download, and wait for a line of input after each\n"
	       "  --device PATH       the device (the first there is)\n"
	       "  --cubin FILE        the kernels (%s%s.cubin)\n",
	       w->name, w->size_is, w->size, w->name, w->name, CUBIN_DIRECTORY, w->name);
}

static bool number(const char *text, uint32_t least, uint32_t most, uint32_t *value)
{
	char *end;
	unsigned long parsed;

	errno = 0;
	parsed = strtoul(text, &end, 10);
	if (errno || end == text || *end || parsed < least || parsed > most)
		return false;
	*value = (uint32_t)parsed;
	return true;
}

/* One option with a value. */
static bool parse_value(const struct workload *w, const char *name, const char *value,
			struct options *o)
{
	if (strcmp(name, "--size") == 0)
		return number(value, w->unit, w->max_size, &o->size) && o->size % w->unit == 0;
	if (strcmp(name, "--runs") == 0)
		return number(value, 1, MAX_RUNS, &o->runs);
	if (strcmp(name, "--iterations") == 0)
		return number(value, 1, MAX_ITERATIONS, &o->iterations);
	if (strcmp(name, "--timeout") == 0)
		return number(value, 0, 1u << 30, &o->timeout_ms);
	if (strcmp(name, "--device") == 0)
		o->device = value;
	else if (strcmp(name, "--until") == 0)
		o->until = value;
	else if (strcmp(name, "--cubin") == 0)
		o->cubin = value;
	else if (strcmp(name, "--wait") == 0 && strcmp(value, "poll") == 0)
		o->wait = SLC_WAIT_POLL;
	else if (strcmp(name, "--wait") == 0 && strcmp(value, "interrupt") == 0)
		o->wait = SLC_WAIT_INTERRUPT;
	else
		return false;
	return true;
}

static bool parse(const struct workload *w, int argc, char **argv, struct options *o)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--progress") == 0)
			o->progress = true;
		else if (strcmp(argv[i], "--pause") == 0)
			o->pause = true;
		else if (i + 1 < argc && parse_value(w, argv[i], argv[i + 1], o))
			i++;
		else
			return false;
	}
	return true;
}

/* ---- runs -------------------------------------------------------------------------------------- */

/* Where somebody outside says when to go on. Returns how long that took. */
static double phase(const struct run *run, const char *name, bool pause)
{
	double start = now_ms();
	char line[80];

	(void)run;
	if (!pause)
		return 0;
	printf("phase: %s\n", name);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		printf("standard input has ended\n");
	return now_ms() - start;
}

static int run_init(struct run *run)
{
	const struct options *o = run->options;
	struct slc_options options = {
		.device = o->device,
		.wait = o->wait,
		.timeout_ms = o->timeout_ms,
	};
	int ret = slc_context_create(&run->ctx, &options);

	return ret ? ret : slc_module_load_file(run->ctx, o->cubin, &run->module);
}

/* Whether there is another iteration; tells of those that were. */
static bool go_on(const struct run *run, uint32_t done)
{
	static double told;

	if (!run->options->until)
		return done < run->options->iterations;
	if (done && now_ms() - told > TELL_MS) {
		told = now_ms();
		printf("iteration: %s %u\n", run->workload->name, done);
		fflush(stdout);
	}
	return !done || access(run->options->until, F_OK) != 0;
}

static int run_execute(struct run *run, double *gpu_ms)
{
	uint64_t start, end;
	uint32_t i;
	int ret = slc_event_record(run->ctx, EVENT_START);

	for (i = 0; ret == SLC_OK && go_on(run, i); i++) {
		/* Kernels may have changed their input. */
		ret = i ? run->workload->upload(run) : SLC_OK;
		if (ret == SLC_OK)
			ret = run->workload->execute(run);
	}
	if (ret == SLC_OK)
		ret = slc_event_record(run->ctx, EVENT_END);
	if (ret == SLC_OK)
		ret = slc_synchronize(run->ctx);
	if (ret == SLC_OK)
		ret = slc_event_time(run->ctx, EVENT_START, &start);
	if (ret == SLC_OK)
		ret = slc_event_time(run->ctx, EVENT_END, &end);
	if (ret == SLC_OK)
		*gpu_ms = (double)(end - start) / 1e6;
	return ret;
}

static void report(const struct workload *w, uint32_t index, const double ms[PARTS], double gpu_ms)
{
	double total = 0;
	int i;

	printf("run: %s %u", w->name, index);
	for (i = 0; i < PARTS; i++) {
		printf(" %s_ms=%.3f", part_names[i], ms[i]);
		total += ms[i];
	}
	printf(" total_ms=%.3f gpu_ms=%.3f\n", total, gpu_ms);
	fflush(stdout);
}

/* One run; the parts in order, each with its time. */
static bool run_once(const struct workload *w, const struct options *o, uint32_t index)
{
	struct run run = { .options = o, .workload = w };
	bool pause = o->pause && index == 0;
	double ms[PARTS] = { 0 };
	double gpu_ms = 0, mark = now_ms();
	int part, ret = SLC_OK;

	for (part = INIT; ret == SLC_OK && part < CLOSE; part++) {
		if (part == UPLOAD)
			mark += phase(&run, "ready", pause);
		ret = part == INIT   ? run_init(&run) :
		      part == ALLOC  ? w->allocate(&run) :
		      part == UPLOAD ? w->upload(&run) :
		      part == EXEC   ? run_execute(&run, &gpu_ms) :
				       w->download(&run);
		ms[part] = now_ms() - mark;
		mark = now_ms();
	}
	if (ret) {
		printf("%s: FAILED: %s: %s: %s\n", w->name, part_names[part - 1],
		       slc_status_name((enum slc_status)ret), slc_error(run.ctx)->text);
	} else {
		mark += phase(&run, "done", pause);
	}
	slc_context_destroy(run.ctx);
	ms[CLOSE] = now_ms() - mark;
	if (ret == SLC_OK)
		report(w, index, ms, gpu_ms);
	return ret == SLC_OK;
}

int workload_main(const struct workload *w, int argc, char **argv)
{
	struct options o = {
		.size = w->size,
		.runs = 1,
		.iterations = 1,
		.wait = SLC_WAIT_INTERRUPT,
	};
	char cubin[80];
	uint32_t i;

	snprintf(cubin, sizeof(cubin), "%s%s.cubin", CUBIN_DIRECTORY, w->name);
	o.cubin = cubin;
	if (!parse(w, argc, argv, &o)) {
		usage(w);
		return EX_USAGE;
	}
	if (!w->prepare(o.size)) {
		printf("%s: FAILED: no memory for size %u\n", w->name, o.size);
		return 1;
	}
	for (i = 0; i < o.runs; i++) {
		if (!run_once(w, &o, i))
			return 1;
		if (!w->verify()) {
			printf("%s: FAILED: wrong result\n", w->name);
			return 1;
		}
	}
	printf("%s: ok\n", w->name);
	return 0;
}
