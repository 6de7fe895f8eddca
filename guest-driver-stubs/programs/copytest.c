/*
 * Two processes, each with a channel of its own, pass data through the GPU. Outside a machine, where a
 * process is a guest by itself and cannot share its buffers, they are two threads of one:
 *
 *	a: guest RAM --CPU, M2MF--> video memory (v) --M2MF, interrupt--> video memory (shared)
 *	b: (waiting on the GPU for a)   shared --PCOPY, polled--> guest RAM, checked
 *	a: (waiting on the GPU for b)   shared --M2MF, polled---> guest RAM, checked
 *
 * Neither tells the other when to go on: the channels do, by semaphores in a buffer both opened.
 *
 *	copytest [--pause] [--device PATH] [BYTES]
 *
 * Prints a line "step: WHO: WHAT ok" for each step and "copytest: ok" at the end. With --pause it
 * prints "phase: ready" after set-up and "phase: done" before tear-down, and waits for a line from
 * its standard input after each, so that somebody outside can count what happens between.
 */
#include "sluice.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_BYTES (64ull << 20)
#define MAX_BYTES (1ull << 30)
#define SEED 0x53eed
#define TIMEOUT_MS 60000
#define MAX_WORDS 512

/* Semaphores in the shared buffer, and what they are released with. */
#define SEMAPHORE_COPIED 0   /* by a: shared is filled */
#define SEMAPHORE_CONSUMED 16 /* by b: it has its copy */
#define SIGNAL 1

struct options {
	const char *device;
	uint64_t bytes;
	bool pause;
};

struct buffer {
	struct sluice_bo bo;
	uint64_t address;
};

/* What b must know of a: names of buffers, or in the same process the buffers. */
struct shared_names {
	uint32_t semaphores;
	uint32_t data;
	uint64_t checksum;
	struct sluice_dev *dev; /* NULL: another process */
	const struct sluice_bo *semaphores_bo, *data_bo;
};

struct side {
	const char *who;
	struct sluice_dev own; /* closed at the end; none if the other side's is used */
	struct sluice_dev *dev;
	struct sluice_vspace_id vs;
	struct sluice_channel ch;
	struct buffer semaphores;
	struct buffer shared;
	struct buffer ram;
};

static void die(const char *who, const char *what, int error)
{
	printf("step: %s: %s FAILED: %s\n", who, what, strerror(-error));
	fflush(stdout);
	_exit(1);
}

static void need(const char *who, const char *what, int error)
{
	if (error)
		die(who, what, error);
}

__attribute__((format(printf, 2, 3))) static void step(const char *who, const char *format, ...)
{
	char line[200];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	printf("step: %s: %s ok\n", who, line);
	fflush(stdout);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* ---- the two pipes --------------------------------------------------------------------------- */

static void send_all(const char *who, int fd, const void *data, size_t size)
{
	if (write(fd, data, size) != (ssize_t)size)
		die(who, "pipe", -EPIPE);
}

static void receive_all(const char *who, int fd, void *data, size_t size)
{
	if (read(fd, data, size) != (ssize_t)size)
		die(who, "the other process has ended", -EPIPE);
}

/* ---- set-up ---------------------------------------------------------------------------------- */

static bool is_guest_itself(const struct sluice_dev *dev)
{
	return dev->transport == &sluice_transport_vfio_user;
}

/* Opens the device, or uses the one that is given. */
static void side_open(struct side *s, const struct options *options, struct sluice_dev *dev)
{
	uint64_t chipset, vram;

	s->dev = dev ? dev : &s->own;
	if (!dev)
		need(s->who, "open", sluice_open(s->dev, options->device));
	need(s->who, "chipset", sluice_getparam(s->dev, PSCNV_PARAM_CHIPSET_ID, &chipset));
	need(s->who, "video memory", sluice_getparam(s->dev, PSCNV_PARAM_FB_SIZE, &vram));
	step(s->who, "device chipset %#llx, %llu MiB of video memory", (unsigned long long)chipset,
	     (unsigned long long)vram >> 20);
	need(s->who, "address space", sluice_vspace_new(s->dev, &s->vs));
	need(s->who, "channel", sluice_channel_new(&s->vs, &s->ch));
	step(s->who, "channel %u in address space %u", s->ch.cid, s->vs.vid);
}

static void buffer_new(struct side *s, const char *what, uint32_t flags, uint64_t bytes,
		       struct buffer *b)
{
	need(s->who, what, sluice_bo_new(s->dev, flags, bytes, &b->bo));
	need(s->who, what, sluice_vspace_map(&s->vs, &b->bo, &b->address));
	if (flags == SLUICE_SYSRAM)
		need(s->who, what, sluice_bo_map(&b->bo));
	step(s->who, "%s %llu bytes at %#llx", what, (unsigned long long)b->bo.size,
	     (unsigned long long)b->address);
}

/* Opens a buffer by its name, or maps that of the same process. */
static void buffer_open(struct side *s, const char *what, uint32_t name, const struct sluice_bo *bo,
			struct buffer *b)
{
	if (bo)
		b->bo = *bo;
	else
		need(s->who, what, sluice_bo_open(s->dev, name, &b->bo));
	need(s->who, what, sluice_vspace_map(&s->vs, &b->bo, &b->address));
	if (bo) /* the other side frees it */
		b->bo = (struct sluice_bo){ 0 };
	step(s->who, "%s opened by name %u at %#llx", what, name, (unsigned long long)b->address);
}

static void buffer_free(struct side *s, struct buffer *b)
{
	need(s->who, "unmap", sluice_vspace_unmap(&s->vs, b->address));
	if (b->bo.handle)
		sluice_bo_free(&b->bo);
}

static void side_close(struct side *s)
{
	sluice_channel_free(&s->ch);
	buffer_free(s, &s->ram);
	buffer_free(s, &s->shared);
	buffer_free(s, &s->semaphores);
	sluice_vspace_free(&s->vs);
	if (s->dev == &s->own)
		sluice_close(s->dev);
	step(s->who, "freed");
}

/* ---- work ------------------------------------------------------------------------------------ */

static void submit(struct side *s, struct sluice_words *w)
{
	need(s->who, "words", sluice_words_fit(w) ? 0 : -E2BIG);
	need(s->who, "submit", sluice_submit(&s->ch, w->word, w->count, TIMEOUT_MS));
}

static void finish(struct side *s, uint32_t fence, bool interrupt)
{
	struct sluice_channel_state state;
	int ret;

	ret = interrupt ? sluice_wait_interrupt(&s->ch, fence, TIMEOUT_MS) :
			  sluice_wait_poll(&s->ch, fence, TIMEOUT_MS);
	if (ret == 0)
		return;
	sluice_channel_query(&s->ch, &state);
	printf("step: %s: channel state %u, error %u, info %#x, address %#llx\n", s->who, state.state,
	       state.error, state.info, (unsigned long long)state.address);
	die(s->who, "wait", ret);
}

static void verify(struct side *s, const char *what, const void *memory, uint64_t bytes,
		   uint64_t checksum)
{
	uint64_t found = sluice_checksum(memory, bytes);

	if (found != checksum) {
		printf("step: %s: checksum %016llx, not %016llx\n", s->who,
		       (unsigned long long)found, (unsigned long long)checksum);
		die(s->who, what, -EILSEQ);
	}
	step(s->who, "%s, checksum %016llx of %llu bytes", what, (unsigned long long)checksum,
	     (unsigned long long)bytes);
}

/* The first half by the processor through the aperture, if there is one, the rest by the GPU. */
static void a_upload(struct side *a, struct buffer *v, uint64_t bytes)
{
	uint32_t words[MAX_WORDS];
	struct sluice_words w = { .word = words, .capacity = MAX_WORDS };
	uint64_t half = sluice_bo_map(&v->bo) ? 0 : bytes / 2 & ~7ull;
	struct sluice_report fence;
	double start = now();

	if (half) {
		memcpy(v->bo.map, a->ram.bo.map, half);
		step(a->who, "upload of %llu bytes by the processor, %.1f ms",
		     (unsigned long long)half, now() - start);
	}
	start = now();
	fence = sluice_next_fence(&a->ch);
	sluice_build_m2mf_copy(&w, v->address + half, a->ram.address + half, bytes - half, fence);
	submit(a, &w);
	finish(a, fence.payload, false);
	step(a->who, "upload of %llu bytes by M2MF from guest RAM, %.1f ms",
	     (unsigned long long)(bytes - half), now() - start);
	/* From here on the pattern is the GPU's alone. */
	memset(a->ram.bo.map, 0, bytes);
}

static void a_copy(struct side *a, struct buffer *v, uint64_t bytes)
{
	uint32_t words[MAX_WORDS];
	struct sluice_words w = { .word = words, .capacity = MAX_WORDS };
	struct sluice_report fence = sluice_next_fence(&a->ch);
	double start = now();

	/* The copy reports to a scratch word; the releases after it wait until it is done. */
	sluice_build_m2mf_copy(&w, a->shared.address, v->address, bytes,
			       (struct sluice_report){ a->ch.fence_address + 16, fence.payload });
	sluice_build_release(&w, a->semaphores.address + SEMAPHORE_COPIED, SIGNAL);
	sluice_build_release(&w, fence.address, fence.payload);
	sluice_build_interrupt(&w);
	submit(a, &w);
	finish(a, fence.payload, true);
	step(a->who, "M2MF video memory to video memory, woken by interrupt %u, %.1f ms",
	     a->ch.interrupts, now() - start);
}

static void a_read_back(struct side *a, uint64_t bytes, uint64_t checksum)
{
	uint32_t words[MAX_WORDS];
	struct sluice_words w = { .word = words, .capacity = MAX_WORDS };
	struct sluice_report fence = sluice_next_fence(&a->ch);
	double start = now();

	sluice_build_acquire(&w, a->semaphores.address + SEMAPHORE_CONSUMED, SIGNAL);
	sluice_build_m2mf_copy(&w, a->ram.address, a->shared.address, bytes, fence);
	submit(a, &w);
	finish(a, fence.payload, false);
	step(a->who, "M2MF video memory to guest RAM after b's semaphore, polled, %.1f ms",
	     now() - start);
	verify(a, "read back", a->ram.bo.map, bytes, checksum);
}

/* Submits a copy that must wait, on the GPU, for a's semaphore. */
static uint32_t b_copy_submit(struct side *b, uint64_t bytes)
{
	struct timespec while_it_could_run = { .tv_nsec = 50000000 };
	uint32_t words[MAX_WORDS];
	struct sluice_words w = { .word = words, .capacity = MAX_WORDS };
	struct sluice_report fence = sluice_next_fence(&b->ch);

	sluice_build_acquire(&w, b->semaphores.address + SEMAPHORE_COPIED, SIGNAL);
	sluice_build_pcopy_copy(&w, b->ram.address, b->shared.address, bytes, fence);
	sluice_build_release(&w, b->semaphores.address + SEMAPHORE_CONSUMED, SIGNAL);
	submit(b, &w);
	nanosleep(&while_it_could_run, NULL);
	if (sluice_fence_done(&b->ch, fence.payload))
		die(b->who, "its copy did not wait for a's semaphore", -EBUSY);
	step(b->who, "copy submitted, waits for a's semaphore");
	return fence.payload;
}

static void b_copy_finish(struct side *b, uint32_t fence, uint64_t bytes, uint64_t checksum)
{
	double start = now();

	finish(b, fence, false);
	step(b->who, "PCOPY video memory to guest RAM, polled, %.1f ms", now() - start);
	verify(b, "received", b->ram.bo.map, bytes, checksum);
}

/* ---- processes ------------------------------------------------------------------------------- */

static void run_b(const struct options *options, int from_a, int to_a)
{
	struct side b = { .who = "b" };
	struct shared_names names;
	char go = 0;
	uint32_t fence;

	receive_all(b.who, from_a, &names, sizeof(names));
	side_open(&b, options, names.dev);
	buffer_open(&b, "semaphores", names.semaphores, names.semaphores_bo, &b.semaphores);
	buffer_open(&b, "shared video memory", names.data, names.data_bo, &b.shared);
	buffer_new(&b, "guest RAM", SLUICE_SYSRAM, options->bytes, &b.ram);
	memset(b.ram.bo.map, 0xff, options->bytes);
	send_all(b.who, to_a, &go, 1); /* set up */
	receive_all(b.who, from_a, &go, 1);
	fence = b_copy_submit(&b, options->bytes);
	send_all(b.who, to_a, &go, 1); /* submitted */
	b_copy_finish(&b, fence, options->bytes, names.checksum);
	send_all(b.who, to_a, &go, 1); /* done */
	receive_all(b.who, from_a, &go, 1);
	side_close(&b);
	send_all(b.who, to_a, &go, 1); /* freed */
}

struct thread_b {
	const struct options *options;
	int from_a, to_a;
};

static void *thread_b(void *arg)
{
	struct thread_b *b = arg;

	run_b(b->options, b->from_a, b->to_a);
	return NULL;
}

/* In front of a phase: with --pause somebody outside says when to go on. */
static void phase(const struct options *options, const char *name)
{
	char line[80];

	if (!options->pause)
		return;
	printf("phase: %s\n", name);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		die("a", "standard input has ended", -EPIPE);
}

static void run_a(struct sluice_dev *dev, const struct options *options, int from_b, int to_b)
{
	struct side side = { .who = "a" }, *a = &side;
	struct shared_names names = { 0 };
	struct buffer v = { 0 };
	char go = 0;

	side_open(a, options, dev);
	buffer_new(a, "semaphores", SLUICE_SYSRAM, 4096, &a->semaphores);
	buffer_new(a, "guest RAM", SLUICE_SYSRAM, options->bytes, &a->ram);
	buffer_new(a, "video memory", SLUICE_VRAM, options->bytes, &v);
	buffer_new(a, "shared video memory", SLUICE_VRAM, options->bytes, &a->shared);
	sluice_fill(a->ram.bo.map, options->bytes, SEED);
	names.checksum = sluice_checksum(a->ram.bo.map, options->bytes);
	step(a->who, "pattern, checksum %016llx", (unsigned long long)names.checksum);
	if (is_guest_itself(dev)) {
		names.dev = dev;
		names.semaphores_bo = &a->semaphores.bo;
		names.data_bo = &a->shared.bo;
	} else {
		need(a->who, "name", sluice_bo_name(&a->semaphores.bo, &names.semaphores));
		need(a->who, "name", sluice_bo_name(&a->shared.bo, &names.data));
	}
	send_all(a->who, to_b, &names, sizeof(names));
	receive_all(a->who, from_b, &go, 1); /* b is set up */

	phase(options, "ready");
	send_all(a->who, to_b, &go, 1);
	receive_all(a->who, from_b, &go, 1); /* b has submitted */
	a_upload(a, &v, options->bytes);
	a_copy(a, &v, options->bytes);
	a_read_back(a, options->bytes, names.checksum);
	receive_all(a->who, from_b, &go, 1); /* b is done */
	phase(options, "done");

	send_all(a->who, to_b, &go, 1);
	receive_all(a->who, from_b, &go, 1); /* b has freed what it had */
	buffer_free(a, &v);
	side_close(a);
}

static int parse(int argc, char **argv, struct options *options)
{
	char *end;
	int i;

	for (i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--pause") == 0) {
			options->pause = true;
		} else if (strcmp(argv[i], "--device") == 0 && i + 1 < argc) {
			options->device = argv[++i];
		} else {
			options->bytes = strtoull(argv[i], &end, 0);
			if (*end || options->bytes == 0 || options->bytes % 8 ||
			    options->bytes > MAX_BYTES)
				return -1;
		}
	}
	return 0;
}

static int run_process(struct sluice_dev *dev, const struct options *options, int a_to_b[2],
		       int b_to_a[2])
{
	pid_t child = fork();
	int status;

	if (child < 0)
		die("a", "fork", -errno);
	if (child == 0) {
		sluice_close(dev);
		close(a_to_b[1]);
		close(b_to_a[0]);
		run_b(options, a_to_b[0], b_to_a[1]);
		exit(0);
	}
	close(a_to_b[0]);
	close(b_to_a[1]);
	run_a(dev, options, b_to_a[0], a_to_b[1]);
	if (waitpid(child, &status, 0) != child || status != 0) {
		printf("copytest: b ended with status %#x\n", status);
		return 1;
	}
	return 0;
}

static int run_thread(struct sluice_dev *dev, const struct options *options, int a_to_b[2],
		      int b_to_a[2])
{
	struct thread_b b = { .options = options, .from_a = a_to_b[0], .to_a = b_to_a[1] };
	pthread_t thread;

	need("a", "thread", -pthread_create(&thread, NULL, thread_b, &b));
	run_a(dev, options, b_to_a[0], a_to_b[1]);
	need("a", "thread", -pthread_join(thread, NULL));
	return 0;
}

int main(int argc, char **argv)
{
	struct options options = { .bytes = DEFAULT_BYTES };
	int a_to_b[2], b_to_a[2], ret;
	struct sluice_dev dev;

	if (parse(argc, argv, &options)) {
		fprintf(stderr, "usage: copytest [--pause] [--device PATH] [BYTES], "
				"BYTES a multiple of 8 up to 1 GiB\n");
		return 64;
	}
	if (pipe(a_to_b) || pipe(b_to_a)) {
		perror("copytest");
		return 1;
	}
	need("a", "open", sluice_open(&dev, options.device));
	ret = is_guest_itself(&dev) ? run_thread(&dev, &options, a_to_b, b_to_a) :
				      run_process(&dev, &options, a_to_b, b_to_a);
	sluice_close(&dev);
	if (ret == 0)
		printf("copytest: ok\n");
	return ret;
}
