/*
 * Users of one machine who do not trust each other: a victim that copies, verifies and measures its
 * submissions, and beside it programs of another user that try what is the victim's by its numbers,
 * all calls right and wrong, and words that no program would submit. Nothing of the victim may change.
 * Then one who takes all he can get, and calls all the time, beside another who wants a little; and the
 * same one with a user namespace, which has many ids.
 *
 *	strangers [SECONDS [SEED]]
 *
 * Started as root, as nobody of whom each part runs; it opens the device's node to everybody.
 */
#define _GNU_SOURCE
#include "check.h"
#include "sluice.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#define DEVICE "/dev/dri/card0" /* of a machine without a display */
#define VICTIM_USER 1001
#define OTHER_USER 1002
#define GREEDY_USER 1003
#define MODEST_USER 1004
#define MOST 512
#define FIRST_SUBORDINATE 200000
#define IDS 4 /* of the namespace that are used */
#define OUTSIDE 8 /* spaces that its owner has before */
#define GREEDY_BYTES (8u << 20)
#define MOST_BUFFERS (1u << 16) /* that the host has handles for, or a few more */
#define MOST_MAPPINGS (1u << 17)
#define CALLERS 40 /* processes */
#define COPY_BYTES (1u << 20)
#define TIMEOUT_MS 120000
#define NUMBERS 130u /* of handles, channels, spaces and names that are tried */
#define SAMPLES 65536
#define GARBAGE_WORDS 256

static int seconds = 5;
static uint32_t seed = 1;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static void become(uid_t user)
{
	if (setgroups(0, NULL) || setgid(user) || setuid(user)) {
		perror("strangers: setuid");
		_exit(1);
	}
}

/* ---- the victim -------------------------------------------------------------------------------- */

struct victim {
	struct sluice_dev dev;
	struct sluice_vspace_id vs;
	struct sluice_channel ch;
	struct sluice_bo from, video, to;
	uint64_t from_at, video_at, to_at;
};

static void victim_open(struct victim *v)
{
	must("open", sluice_open(&v->dev, DEVICE));
	must("space", sluice_vspace_new(&v->dev, &v->vs));
	must("channel", sluice_channel_new(&v->vs, &v->ch));
	must("memory", sluice_bo_new(&v->dev, SLUICE_SYSRAM, COPY_BYTES, &v->from));
	must("memory", sluice_bo_new(&v->dev, SLUICE_SYSRAM, COPY_BYTES, &v->to));
	must("memory", sluice_bo_new(&v->dev, SLUICE_VRAM, COPY_BYTES, &v->video));
	must("map", sluice_bo_map(&v->from));
	must("map", sluice_bo_map(&v->to));
	must("map", sluice_vspace_map(&v->vs, &v->from, &v->from_at));
	must("map", sluice_vspace_map(&v->vs, &v->to, &v->to_at));
	must("map", sluice_vspace_map(&v->vs, &v->video, &v->video_at));
}

/* There and back, and whether it is what went there. */
static void victim_round(struct victim *v, uint64_t number)
{
	uint32_t words[256];
	struct sluice_words w = { .word = words, .capacity = 256 };
	struct sluice_report fence;
	uint64_t sum;

	sluice_fill(v->from.map, COPY_BYTES, number);
	sum = sluice_checksum(v->from.map, COPY_BYTES);
	fence = sluice_next_fence(&v->ch);
	sluice_build_m2mf_copy(&w, v->video_at, v->from_at, COPY_BYTES,
			       (struct sluice_report){ v->ch.fence_address + 16, 1 });
	sluice_build_m2mf_copy(&w, v->to_at, v->video_at, COPY_BYTES,
			       (struct sluice_report){ v->ch.fence_address + 16, 1 });
	sluice_build_release(&w, fence.address, fence.payload);
	sluice_build_interrupt(&w);
	must("submit", sluice_submit(&v->ch, words, w.count, TIMEOUT_MS));
	must("wait", sluice_wait_interrupt(&v->ch, fence.payload, TIMEOUT_MS));
	expect_true("the victim's bytes", sluice_checksum(v->to.map, COPY_BYTES) == sum);
}

static int by_duration(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Works until the pipe ends. */
static int victim(int stop)
{
	static uint64_t sample[SAMPLES];
	static struct victim v;
	uint32_t words[16];
	uint64_t rounds = 0;
	size_t samples = 0;
	char end;

	become(VICTIM_USER);
	victim_open(&v);
	printf("strangers: victim ready\n");
	fflush(stdout);
	fcntl(stop, F_SETFL, O_NONBLOCK);
	while (failures == 0 && read(stop, &end, 1) < 0 && errno == EAGAIN) {
		struct sluice_words w = { .word = words, .capacity = 16 };
		struct sluice_report fence = sluice_next_fence(&v.ch);
		uint64_t start = now_ns();

		sluice_build_release(&w, fence.address, fence.payload);
		must("submit", sluice_submit(&v.ch, words, w.count, TIMEOUT_MS));
		must("wait", sluice_wait_poll(&v.ch, fence.payload, TIMEOUT_MS));
		sample[samples++ % SAMPLES] = now_ns() - start;
		if (samples % 16 == 0)
			victim_round(&v, rounds++);
	}
	if (samples > SAMPLES)
		samples = SAMPLES;
	qsort(sample, samples, sizeof(sample[0]), by_duration);
	printf("strangers: victim %llu rounds, p99 of its submissions %llu us\n",
	       (unsigned long long)rounds,
	       samples ? (unsigned long long)sample[(samples - 1) * 99 / 100] / 1000 : 0);
	expect_true("the victim worked", rounds > 0);
	return failures != 0;
}

/* ---- the others -------------------------------------------------------------------------------- */

/* None of these numbers is ours: whoever has one, we do not. */
static void number(struct sluice_dev *dev, uint32_t n)
{
	struct drm_pscnv_chan_free chan = { .cid = n };
	struct drm_pscnv_vspace_req space = { .vid = n };
	struct drm_pscnv_gem_info info = { .handle = n };
	struct drm_pscnv_vspace_map map = { .vid = n, .handle = n, .end = SLUICE_VA_END };
	struct drm_pscnv_vspace_unmap unmap = { .vid = n, .offset = SLUICE_VA_START };
	struct drm_pscnv_chan_new fresh = { .vid = n };
	struct drm_pscnv_fifo_init_ib ring = { .cid = n, .slimask = 1, .ib_order = 9,
					       .ib_start = SLUICE_VA_START };
	struct drm_sluice_chan_wait wait = { .cid = n };
	struct drm_pscnv_obj_eng_new engine = { .cid = n, .oclass = 0x9039 };
	struct drm_gem_close close = { .handle = n };
	void *page;

	failures += !sluice_ioctl(dev, DRM_IOCTL_PSCNV_CHAN_FREE, &chan);
	failures += !sluice_ioctl(dev, DRM_IOCTL_PSCNV_VSPACE_FREE, &space);
	failures += !sluice_ioctl(dev, DRM_IOCTL_PSCNV_GEM_INFO, &info);
	failures += !sluice_ioctl(dev, DRM_IOCTL_PSCNV_VSPACE_MAP, &map);
	failures += !sluice_ioctl(dev, DRM_IOCTL_PSCNV_VSPACE_UNMAP, &unmap);
	failures += !sluice_ioctl(dev, DRM_IOCTL_PSCNV_CHAN_NEW, &fresh);
	failures += !sluice_ioctl(dev, DRM_IOCTL_PSCNV_FIFO_INIT_IB, &ring);
	failures += !sluice_ioctl(dev, DRM_IOCTL_SLUICE_CHAN_WAIT, &wait);
	failures += !sluice_ioctl(dev, DRM_IOCTL_PSCNV_OBJ_ENG_NEW, &engine);
	failures += !sluice_ioctl(dev, DRM_IOCTL_GEM_CLOSE, &close);
	failures += !sluice_map(dev, (uint64_t)n << PSCNV_MAP_BUFFER_SHIFT, PAGE, &page);
	failures += !sluice_map(dev, PSCNV_MAP_CHANNEL | (uint64_t)n << PSCNV_MAP_CHANNEL_SHIFT, PAGE,
				&page);
}

static int guess(void)
{
	struct sluice_dev dev;
	uint64_t end = now_ns() + (uint64_t)seconds * 1000000000ull;
	uint32_t n;

	become(OTHER_USER);
	must("open", sluice_open(&dev, DEVICE));
	do
		for (n = 1; n < NUMBERS; n++)
			number(&dev, n);
	while (failures == 0 && now_ns() < end);
	sluice_close(&dev);
	expect_true("another user's numbers name nothing", failures == 0);
	return failures != 0;
}

/* Channels with random words, one after the other; the next begins when one has ended. */
static int garbage(void)
{
	uint64_t end = now_ns() + (uint64_t)seconds * 1000000000ull;
	uint32_t words[GARBAGE_WORDS];
	struct sluice_vspace_id vs;
	struct sluice_channel ch;
	struct sluice_dev dev;
	int i, submissions;

	become(OTHER_USER);
	srandom(seed);
	must("open", sluice_open(&dev, DEVICE));
	while (now_ns() < end) {
		/* The other programs of this user may have all there are. */
		if (sluice_vspace_new(&dev, &vs))
			continue;
		if (sluice_channel_new(&vs, &ch)) {
			sluice_vspace_free(&vs);
			continue;
		}
		for (submissions = 0; submissions < 64; submissions++) {
			for (i = 0; i < GARBAGE_WORDS; i++)
				words[i] = random() & 1 ? 0x20000000u | ((uint32_t)random() & 0x7ffff) :
							  (uint32_t)random() << 1;
			if (sluice_submit(&ch, words, GARBAGE_WORDS, 100))
				break;
		}
		sluice_channel_free(&ch);
		sluice_vspace_free(&vs);
	}
	sluice_close(&dev);
	return 0;
}

static int fuzz(void)
{
	char duration[16], number[16];

	become(OTHER_USER);
	snprintf(duration, sizeof(duration), "%d", seconds);
	snprintf(number, sizeof(number), "%u", seed);
	execlp("fuzz", "fuzz", duration, number, (char *)NULL);
	perror("strangers: fuzz");
	return 1;
}

/* ---- both -------------------------------------------------------------------------------------- */

static pid_t start(int (*part)(void))
{
	pid_t child = fork();

	if (child == 0)
		exit(part());
	must("fork", child < 0 ? -errno : 0);
	return child;
}

static void ends_well(const char *who, pid_t child)
{
	int status;

	expect_true(who, waitpid(child, &status, 0) == child && status == 0);
}

/* ---- one who takes all there is, and one who wants a little ------------------------------------- */

/* Whether it is the share that ends it, before the host has no more for anybody. */
static void takes_share(const char *what, unsigned int got, unsigned int most)
{
	printf("strangers: greedy has %u %s\n", got, what);
	fflush(stdout);
	expect_true(what, got > most / 2 && got <= most - most / 4);
}

/* Handles are those of all memory: who has his share of video memory's has no more of system memory's. */
static struct sluice_bo greedy_buffers(struct sluice_dev *dev)
{
	struct sluice_bo first = { 0 }, more;
	unsigned int count = 0;

	must("memory", sluice_bo_new(dev, SLUICE_VRAM, PAGE, &first));
	while (count < MOST_BUFFERS && sluice_bo_new(dev, SLUICE_VRAM, PAGE, &more) == 0)
		count++;
	takes_share("buffers", count, MOST_BUFFERS);
	expect("another buffer, of system memory", ENOMEM, sluice_bo_new(dev, SLUICE_SYSRAM, PAGE, &more));
	return first;
}

/* A space has half of them at most. */
static void greedy_mappings(struct sluice_vspace_id *vs, int spaces, struct sluice_bo *bo)
{
	unsigned int count = 0;
	uint64_t address;
	int i;

	for (i = 0; i < spaces; i++)
		while (count < MOST_MAPPINGS && sluice_vspace_map(&vs[i], bo, &address) == 0)
			count++;
	takes_share("mappings", count, MOST_MAPPINGS);
}

/* Has what he can get until the pipe ends, and says so when he has it. */
static int greedy(int ready, int stop)
{
	static struct sluice_bo bo[MOST];
	static struct sluice_vspace_id vs[MOST];
	static struct sluice_channel ch[MOST];
	struct sluice_dev dev;
	struct sluice_bo small;
	uint64_t value;
	char end;
	int spaces = 0, channels = 0, buffers = 0;
	int i;

	become(GREEDY_USER);
	must("open", sluice_open(&dev, DEVICE));
	while (spaces < MOST && sluice_vspace_new(&dev, &vs[spaces]) == 0)
		spaces++;
	while (spaces > 0 && channels < MOST && sluice_channel_new(&vs[0], &ch[channels]) == 0)
		channels++;
	while (buffers < MOST && sluice_bo_new(&dev, SLUICE_SYSRAM, GREEDY_BYTES, &bo[buffers]) == 0)
		buffers++;
	printf("strangers: greedy has %d spaces, %d channels, %d buffers\n", spaces, channels, buffers);
	fflush(stdout);
	expect_true("there is an end to what he gets", spaces < MOST && channels < MOST && buffers < MOST);
	small = greedy_buffers(&dev);
	greedy_mappings(vs, spaces, &small);
	for (i = 0; i < CALLERS; i++)
		if (fork() == 0) {
			/* Ends with its parent: it has his end of the pipe. */
			fcntl(stop, F_SETFL, O_NONBLOCK);
			while (read(stop, &end, 1) < 0 && errno == EAGAIN)
				if (sluice_getparam(&dev, PSCNV_PARAM_CHIPSET_ID, &value))
					_exit(1);
			_exit(0);
		}
	must("say", write(ready, "", 1) == 1 ? 0 : -errno);
	while (read(stop, &end, 1) < 0 && (errno == EINTR || errno == EAGAIN))
		usleep(10000);
	while (wait(NULL) > 0)
		;
	return failures != 0;
}

static int modest(void)
{
	struct victim v;

	become(MODEST_USER);
	victim_open(&v);
	victim_round(&v, 1);
	return failures != 0;
}

static void greed(void)
{
	int ready[2], stop[2];
	pid_t taker, other;
	char word;

	must("pipe", pipe(ready) || pipe(stop) ? -errno : 0);
	taker = fork();
	if (taker == 0) {
		close(stop[1]);
		exit(greedy(ready[1], stop[0]));
	}
	must("fork", taker < 0 ? -errno : 0);
	close(ready[1]);
	close(stop[0]);
	must("wait", read(ready[0], &word, 1) == 1 ? 0 : -EPIPE);
	other = start(modest);
	ends_well("who wants a little", other);
	close(stop[1]);
	ends_well("who takes all he gets", taker);
}

/* ---- one who has many ids ------------------------------------------------------------------------ */

static unsigned int parameter(const char *path)
{
	FILE *file = fopen(path, "r");
	unsigned int value = 0;

	if (!file || fscanf(file, "%u", &value) != 1)
		value = 0;
	if (file)
		fclose(file);
	return value;
}

/* Maps the owner to root of his namespace, and as many others as he likes; as newuidmap does. */
static void map_ids(pid_t pid, const char *which)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, which);
	file = fopen(path, "w");
	must(path, file ? 0 : -errno);
	fprintf(file, "0 %u 1\n1 %u 1000\n", GREEDY_USER, FIRST_SUBORDINATE);
	must(path, fclose(file) ? -errno : 0);
}

static void become_id(unsigned int id)
{
	must("an id of the namespace", setgid(id) || setuid(id) ? -errno : 0);
}

/* Has what one id gets until the pipe ends; tells how much that is. */
static void id_takes(unsigned int id, int counts, int stop)
{
	static struct sluice_vspace_id vs[MOST];
	struct sluice_dev dev;
	uint32_t spaces = 0;
	char end;

	become_id(id);
	must("open", sluice_open(&dev, DEVICE));
	while (spaces < MOST && sluice_vspace_new(&dev, &vs[spaces]) == 0)
		spaces++;
	must("tell", write(counts, &spaces, sizeof(spaces)) == sizeof(spaces) ? 0 : -errno);
	while (read(stop, &end, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

static void id_works(void)
{
	struct victim v;

	become_id(IDS + 1);
	victim_open(&v);
	victim_round(&v, 1);
	_exit(failures != 0);
}

/* The owner: what he has outside, one of his ids that works, and all of them taking what they get. */
static int namespace_owner(int ready, int mapped, int counts, int stop)
{
	static struct sluice_vspace_id vs[OUTSIDE];
	struct sluice_dev dev;
	char word = 0;
	uint32_t id;
	pid_t child;

	become(GREEDY_USER);
	must("open", sluice_open(&dev, DEVICE));
	for (id = 0; id < OUTSIDE; id++)
		must("space", sluice_vspace_new(&dev, &vs[id]));
	if (unshare(CLONE_NEWUSER)) {
		printf("strangers: no user namespaces here: %s\n", strerror(errno));
		return 0;
	}
	must("say", write(ready, &word, 1) == 1 ? 0 : -errno);
	must("maps", read(mapped, &word, 1) == 1 ? 0 : -EPIPE);
	child = fork();
	if (child == 0)
		id_works();
	ends_well("an id of a namespace works", child);
	for (id = 0; id < IDS; id++)
		if (fork() == 0)
			id_takes(id, counts, stop);
	while (wait(NULL) > 0)
		;
	return failures != 0;
}

static void namespaces(void)
{
	uint32_t share = parameter("/sys/module/sluice/parameters/user_channels");
	uint32_t all = OUTSIDE, count;
	int ready[2], mapped[2], counts[2], stop[2], i;
	pid_t owner, other;
	char word = 0;

	must("pipe", pipe(ready) || pipe(mapped) || pipe(counts) || pipe(stop) ? -errno : 0);
	owner = fork();
	if (owner == 0) {
		close(mapped[1]);
		close(stop[1]);
		exit(namespace_owner(ready[1], mapped[0], counts[1], stop[0]));
	}
	must("fork", owner < 0 ? -errno : 0);
	close(ready[1]);
	close(counts[1]);
	close(stop[0]);
	if (read(ready[0], &word, 1) == 1) {
		map_ids(owner, "uid_map");
		map_ids(owner, "gid_map");
		must("say", write(mapped[1], &word, 1) == 1 ? 0 : -errno);
		for (i = 0; i < IDS && read(counts[0], &count, sizeof(count)) == sizeof(count); i++)
			all += count;
		printf("strangers: a namespace of many ids and its owner have %u spaces of %u\n", all, share);
		expect_true("all ids have something, or their owner has it", i == IDS && all > OUTSIDE);
		expect_true("ids of a namespace have their owner's share", all <= share);
		other = start(modest);
		ends_well("who wants a little beside them", other);
	}
	close(mapped[1]);
	close(stop[1]);
	ends_well("who has many ids", owner);
}

int main(int argc, char **argv)
{
	pid_t worker, others[3];
	int stop[2];

	if (argc > 1)
		seconds = atoi(argv[1]);
	if (argc > 2)
		seed = (uint32_t)strtoul(argv[2], NULL, 0);
	if (argc > 3 || seconds < 1) {
		fprintf(stderr, "usage: strangers [SECONDS [SEED]]\n");
		return 64;
	}
	printf("strangers: seed %u\n", seed);
	fflush(stdout);
	must("chmod", chmod(DEVICE, 0666) ? -errno : 0);
	must("pipe", pipe(stop) ? -errno : 0);
	worker = fork();
	if (worker == 0) {
		close(stop[1]);
		exit(victim(stop[0]));
	}
	must("fork", worker < 0 ? -errno : 0);
	close(stop[0]);
	others[0] = start(guess);
	others[1] = start(garbage);
	others[2] = start(fuzz);
	ends_well("another user's guesses", others[0]);
	ends_well("another user's garbage", others[1]);
	ends_well("another user's calls", others[2]);
	close(stop[1]);
	ends_well("the victim", worker);
	greed();
	namespaces();
	return report("strangers");
}
