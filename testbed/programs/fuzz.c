/*
 * Throws calls at the driver: right ones, wrong ones, of several threads at once on the same files,
 * with buffers unmapped while they are used and files closed while they are asked.
 *
 *	fuzz [SECONDS [SEED]]
 *
 * Expects nothing of the answers, only that the kernel lives and that a plain channel works afterwards:
 * look at the kernel's log too. Prints "fuzz: ok" at the end.
 */
#include "sluice.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4
#define FILES 3
#define MAPS 8
#define HUGE_BYTES (1ull << 39)
#define DEFAULT_SECONDS 5

struct worker {
	pthread_t thread;
	uint64_t random;
	uint64_t calls, accepted;
	char *map[MAPS];
	size_t map_size[MAPS];
};

static struct sluice_dev files[FILES]; /* shared by the threads on purpose; closed by them too */
static int stop;
static __thread sigjmp_buf fault;
static __thread volatile sig_atomic_t guarded;

static void on_fault(int signal_number)
{
	if (!guarded) { /* not where one was expected */
		signal(signal_number, SIG_DFL);
		return;
	}
	siglongjmp(fault, 1);
}

/* xorshift64*: the same seed gives each thread the same calls, though not the same interleaving. */
static uint64_t next(struct worker *w)
{
	w->random ^= w->random >> 12;
	w->random ^= w->random << 25;
	w->random ^= w->random >> 27;
	return w->random * 0x2545f4914f6cdd1dull;
}

static uint32_t below(struct worker *w, uint32_t bound)
{
	return (uint32_t)(next(w) >> 33) % bound;
}

/* An id that is likely to exist, sometimes any number. */
static uint32_t some_id(struct worker *w)
{
	return below(w, 8) ? below(w, 12) : (uint32_t)next(w);
}

static uint64_t some_address(struct worker *w)
{
	if (below(w, 8) == 0)
		return next(w);
	return SLUICE_VA_START + (uint64_t)below(w, 256) * 4096;
}

static uint32_t some_flags(struct worker *w)
{
	return below(w, 8) ? below(w, 16) & ~PSCNV_GEM_VRAM_LARGE : (uint32_t)next(w);
}

/* Small, or more than there can be: what lies between would only make the machine run out of memory. */
static uint64_t some_size(struct worker *w)
{
	return below(w, 8) ? below(w, 64) * 2048 : next(w) | HUGE_BYTES;
}

/* ---- one call -------------------------------------------------------------------------------- */

static void gem_new(struct worker *w, void *arg)
{
	*(struct drm_pscnv_gem_info *)arg = (struct drm_pscnv_gem_info){
		.flags = some_flags(w),
		.tile_flags = below(w, 4) ? 0 : (uint32_t)next(w),
		.size = some_size(w),
	};
}

static void gem_info(struct worker *w, void *arg)
{
	((struct drm_pscnv_gem_info *)arg)->handle = some_id(w);
}

static void one_id(struct worker *w, void *arg)
{
	memset(arg, 0, 16);
	*(uint32_t *)arg = some_id(w);
}

static void vspace_map(struct worker *w, void *arg)
{
	*(struct drm_pscnv_vspace_map *)arg = (struct drm_pscnv_vspace_map){
		.vid = some_id(w),
		.handle = some_id(w),
		.start = some_address(w),
		.end = below(w, 4) ? SLUICE_VA_END : some_address(w),
		.back = below(w, 2),
	};
}

static void vspace_unmap(struct worker *w, void *arg)
{
	*(struct drm_pscnv_vspace_unmap *)arg = (struct drm_pscnv_vspace_unmap){
		.vid = some_id(w), .offset = some_address(w)
	};
}

static void fifo_init_ib(struct worker *w, void *arg)
{
	*(struct drm_pscnv_fifo_init_ib *)arg = (struct drm_pscnv_fifo_init_ib){
		.cid = some_id(w),
		.slimask = below(w, 3),
		.ib_start = some_address(w),
		.ib_order = below(w, 32),
	};
}

static void obj_eng_new(struct worker *w, void *arg)
{
	*(struct drm_pscnv_obj_eng_new *)arg = (struct drm_pscnv_obj_eng_new){
		.cid = some_id(w), .oclass = below(w, 2) ? 0x9039 : (uint32_t)next(w)
	};
}

static char scratch[4 * 4096]; /* written by the kernel, read by nobody */

static void vm_rw32(struct worker *w, void *arg)
{
	*(struct drm_pscnv_vm_rw32 *)arg = (struct drm_pscnv_vm_rw32){
		.vid = some_id(w), .handle = some_id(w), .addr = some_address(w) + below(w, 4096)
	};
}

static void vm_rw(struct worker *w, void *arg)
{
	*(struct drm_pscnv_vm_rw *)arg = (struct drm_pscnv_vm_rw){
		.vid = some_id(w),
		.handle = some_id(w),
		.addr = some_address(w) + below(w, 4096),
		.size = below(w, 8) ? below(w, sizeof(scratch)) : (uint32_t)next(w),
		.buf_rd = below(w, 8) ? (uintptr_t)scratch : next(w),
		.buf_wr = below(w, 8) ? (uintptr_t)scratch : next(w),
	};
	/* More than there is behind scratch must not be written where something else is. */
	if (((struct drm_pscnv_vm_rw *)arg)->size > sizeof(scratch))
		((struct drm_pscnv_vm_rw *)arg)->buf_rd = 8;
	else if (((struct drm_pscnv_vm_rw *)arg)->buf_rd != (uintptr_t)scratch)
		((struct drm_pscnv_vm_rw *)arg)->buf_rd |= 1ull << 63;
}

static void vm_map(struct worker *w, void *arg)
{
	*(struct drm_pscnv_vm_map *)arg = (struct drm_pscnv_vm_map){
		.vid = some_id(w), .handle = some_id(w)
	};
}

static void phys_getaddr(struct worker *w, void *arg)
{
	*(struct drm_pscnv_phys_getaddr *)arg = (struct drm_pscnv_phys_getaddr){
		.vid = some_id(w), .handle = some_id(w), .offset = (uint32_t)next(w) >> below(w, 32)
	};
}

static void chan_wait(struct worker *w, void *arg)
{
	*(struct drm_sluice_chan_wait *)arg = (struct drm_sluice_chan_wait){
		.cid = some_id(w), .timeout_ms = below(w, 30), .seen = below(w, 3)
	};
}

static void anything(struct worker *w, void *arg)
{
	uint64_t *word = arg;
	int i;

	for (i = 0; i < 16; i++)
		word[i] = next(w) >> below(w, 64);
}

static const struct call {
	unsigned long request;
	void (*fill)(struct worker *w, void *arg);
} calls[] = {
	{ DRM_IOCTL_PSCNV_GEM_NEW, gem_new },
	{ DRM_IOCTL_PSCNV_GEM_NEW, gem_new },
	{ DRM_IOCTL_PSCNV_GEM_INFO, gem_info },
	{ DRM_IOCTL_GEM_CLOSE, one_id },
	{ DRM_IOCTL_GEM_FLINK, one_id },
	{ DRM_IOCTL_GEM_OPEN, one_id },
	{ DRM_IOCTL_PSCNV_VSPACE_NEW, one_id },
	{ DRM_IOCTL_PSCNV_VSPACE_FREE, one_id },
	{ DRM_IOCTL_PSCNV_VSPACE_MAP, vspace_map },
	{ DRM_IOCTL_PSCNV_VSPACE_MAP, vspace_map },
	{ DRM_IOCTL_PSCNV_VSPACE_UNMAP, vspace_unmap },
	{ DRM_IOCTL_PSCNV_CHAN_NEW, one_id },
	{ DRM_IOCTL_PSCNV_CHAN_FREE, one_id },
	{ DRM_IOCTL_PSCNV_FIFO_INIT_IB, fifo_init_ib },
	{ DRM_IOCTL_PSCNV_OBJ_ENG_NEW, obj_eng_new },
	{ DRM_IOCTL_PSCNV_VM_READ32, vm_rw32 },
	{ DRM_IOCTL_PSCNV_VM_WRITE32, vm_rw32 },
	{ DRM_IOCTL_PSCNV_VM_READ, vm_rw },
	{ DRM_IOCTL_PSCNV_VM_WRITE, vm_rw },
	{ DRM_IOCTL_PSCNV_VM_MAP, vm_map },
	{ DRM_IOCTL_PSCNV_VM_UNMAP, vm_map },
	{ DRM_IOCTL_PSCNV_PHYS_GETADDR, phys_getaddr },
	{ DRM_IOCTL_SLUICE_CHAN_WAIT, chan_wait },
};

#define CALLS (sizeof(calls) / sizeof(calls[0]))

static struct sluice_dev *some_file(struct worker *w)
{
	return &files[below(w, FILES)];
}

static void do_call(struct worker *w)
{
	uint64_t arg[64] = { 0 };
	const struct call *call = &calls[below(w, CALLS)];
	unsigned long request = call->request;

	call->fill(w, arg);
	if (below(w, 32) == 0) { /* any number, size and content */
		anything(w, arg);
		request = _IOC(below(w, 4), 'd', below(w, 256), below(w, sizeof(arg)));
		if (_IOC_NR(request) < DRM_COMMAND_BASE || _IOC_NR(request) >= DRM_COMMAND_END)
			return; /* the core's own are not what is tested */
	}
	w->calls++;
	w->accepted += ioctl(__atomic_load_n(&some_file(w)->fd, __ATOMIC_RELAXED), request,
			     below(w, 64) ? (void *)arg : (void *)(uintptr_t)next(w)) == 0;
}

/* ---- mappings -------------------------------------------------------------------------------- */

static void do_map(struct worker *w)
{
	uint32_t i = below(w, MAPS);
	uint64_t offset = (uint64_t)some_id(w) << PSCNV_MAP_BUFFER_SHIFT;
	void *map;

	if (w->map[i])
		munmap(w->map[i], w->map_size[i]);
	w->map[i] = NULL;
	if (below(w, 3) == 0)
		offset = PSCNV_MAP_CHANNEL | (uint64_t)below(w, 130) << PSCNV_MAP_CHANNEL_SHIFT;
	w->map_size[i] = (size_t)(1 + below(w, 8)) * 4096;
	map = mmap(NULL, w->map_size[i], PROT_READ | PROT_WRITE,
		   below(w, 16) ? MAP_SHARED : MAP_PRIVATE, some_file(w)->fd, (off_t)offset);
	if (map != MAP_FAILED)
		w->map[i] = map;
}

/* Reads anywhere, writes anywhere but to a ring's put and the like: those are the GPU's test. */
static void do_touch(struct worker *w)
{
	uint32_t i = below(w, MAPS);
	volatile char *at;

	if (!w->map[i])
		return;
	at = w->map[i] + below(w, (uint32_t)w->map_size[i]);
	if (sigsetjmp(fault, 1) == 0) {
		guarded = 1;
		if (below(w, 2))
			(void)*at;
		else
			*at = 0;
	}
	guarded = 0;
}

static void do_reopen(struct worker *w)
{
	struct sluice_dev fresh;
	int old;

	if (below(w, 64) || sluice_open(&fresh, NULL))
		return;
	old = __atomic_exchange_n(&some_file(w)->fd, fresh.fd, __ATOMIC_RELAXED);
	close(old);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	int i;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		uint32_t what = below(w, 16);

		if (what < 12)
			do_call(w);
		else if (what == 12)
			do_map(w);
		else if (what == 13)
			do_reopen(w);
		else
			do_touch(w);
	}
	for (i = 0; i < MAPS; i++)
		if (w->map[i])
			munmap(w->map[i], w->map_size[i]);
	return NULL;
}

/* ---- afterwards ------------------------------------------------------------------------------ */

static int channel_works(void)
{
	struct sluice_dev dev;
	struct sluice_vspace_id vs = { 0 };
	struct sluice_channel ch = { 0 };
	struct sluice_report fence;
	uint32_t words[16];
	struct sluice_words w = { .word = words, .capacity = 16 };
	int ret;

	if ((ret = sluice_open(&dev, NULL)) || (ret = sluice_vspace_new(&dev, &vs)) ||
	    (ret = sluice_channel_new(&vs, &ch)))
		return ret;
	fence = sluice_next_fence(&ch);
	sluice_build_release(&w, fence.address, fence.payload);
	sluice_build_interrupt(&w);
	ret = sluice_submit(&ch, words, w.count, 1000);
	if (ret == 0)
		ret = sluice_wait_interrupt(&ch, fence.payload, 5000);
	sluice_channel_free(&ch);
	sluice_vspace_free(&vs);
	sluice_close(&dev);
	return ret;
}

int main(int argc, char **argv)
{
	static struct worker workers[THREADS];
	unsigned int seconds = argc > 1 ? (unsigned int)atoi(argv[1]) : DEFAULT_SECONDS;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)time(NULL);
	struct sigaction action = { .sa_handler = on_fault };
	uint64_t made = 0, accepted = 0;
	int i, ret;

	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
	printf("fuzz: seed %llu\n", (unsigned long long)seed);
	fflush(stdout);
	for (i = 0; i < FILES; i++) {
		ret = sluice_open(&files[i], NULL);
		if (ret) {
			printf("fuzz: open: %s\n", strerror(-ret));
			return 1;
		}
	}
	for (i = 0; i < THREADS; i++) {
		workers[i].random = (seed + 1) * 0x9e3779b97f4a7c15ull + (uint64_t)i;
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			return 1;
	}
	sleep(seconds);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		made += workers[i].calls;
		accepted += workers[i].accepted;
	}
	for (i = 0; i < FILES; i++)
		sluice_close(&files[i]);
	printf("fuzz: %llu calls, %llu accepted\n", (unsigned long long)made,
	       (unsigned long long)accepted);
	ret = channel_works();
	if (ret) {
		printf("fuzz: a channel does not work afterwards: %s\n", strerror(-ret));
		return 1;
	}
	printf("fuzz: ok\n");
	return 0;
}
