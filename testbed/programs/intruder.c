/*
 * An unprivileged program that attacks the host by its machine's device, one way or another, as it is
 * told by lines of input:
 *	NAME SEED	attacks so, with these random numbers, until the next line
 *	rest		has nothing any more; says "intruder: rests rounds=N"
 *	end		prints "intruder: ok" and ends
 *
 * Started as root; what attacks is nobody of whom the machine knows more than a number. Nothing is
 * expected of the answers.
 */
#include "check.h"
#include "sluice.h"

#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#define DEVICE "/dev/dri/card0" /* of a machine without a display */
#define USER 1003
#define FILES 16
#define EACH 256u		/* of what one file asks for at once */
#define VIDEO_BYTES (1u << 20)
#define WORDS 256
#define WAIT_MS 100
#define BRANCH_TO_ITSELF 0x4003ffffe0001de7ull
#define EXIT 0x8000000000001de7ull
#define LARGEST_STACK (1u << 20)

/* Counted by the attack, read by who told it to begin. */
static volatile uint64_t *rounds;

static void pause_ms(long ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

/* Keeps what it has. */
static void hold(void)
{
	for (;;)
		pause_ms(1000);
}

/* ---- attacks: each is one process, or more of its group, and is killed ------------------------- */

/* Calls right and wrong of some threads at once; by a program that is there already. */
static void calls(uint32_t seed)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", seed);
	execlp("fuzz", "fuzz", "1000000", number, (char *)NULL);
}

/* Random words, in one channel after the other. */
static void words(uint32_t seed)
{
	static struct sluice_dev dev;
	static struct sluice_vspace_id vs;
	static struct sluice_channel ch;
	uint32_t word[WORDS];
	int i, submissions;

	srandom(seed);
	must("open", sluice_open(&dev, DEVICE));
	for (;; (*rounds)++) {
		if (sluice_vspace_new(&dev, &vs))
			continue;
		for (submissions = sluice_channel_new(&vs, &ch) ? 64 : 0; submissions < 64;
		     submissions++) {
			for (i = 0; i < WORDS; i++)
				word[i] = random() & 1 ? 0x20000000u | ((uint32_t)random() & 0x7ffff) :
							 (uint32_t)random() << 1;
			if (sluice_submit(&ch, word, WORDS, WAIT_MS))
				break;
		}
		sluice_channel_free(&ch);
		sluice_vspace_free(&vs);
	}
}

static void launch(struct sluice_words *w, uint64_t program, uint32_t stack)
{
	static const struct {
		uint32_t method, count, value[5];
	} settings[] = {
		{ 0x790, 5, { 0 } },	    { 0x77c, 1, { 0x02000000 } },
		{ 0x214, 1, { 0x01000000 } }, { 0x24c, 1, { 0 } },
		{ 0x3b4, 1, { 0 } },	    { 0x238, 2, { 1 << 16 | 256, 1 } },
		{ 0x3ac, 2, { 1 << 16 | 1024, 1 } }, { 0x250, 1, { 1024 } },
		{ 0x2c0, 1, { 16 } },	    { 0x254, 1, { 0 } },
		{ 0x780, 1, { 0 } },	    { 0x368, 1, { 0x1000 } },
	};
	uint32_t i, k;

	sluice_method(w, SLUICE_SUBCHANNEL_COMPUTE, 0, 1);
	sluice_word(w, SLUICE_CLASS_COMPUTE);
	sluice_method(w, SLUICE_SUBCHANNEL_COMPUTE, 0x204, 3);
	sluice_word(w, 0);
	sluice_word(w, 0);
	sluice_word(w, stack);
	sluice_method(w, SLUICE_SUBCHANNEL_COMPUTE, 0x1608, 2);
	sluice_word64(w, program);
	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		sluice_method(w, SLUICE_SUBCHANNEL_COMPUTE, settings[i].method, settings[i].count);
		for (k = 0; k < settings[i].count; k++)
			sluice_word(w, settings[i].value[k]);
	}
}

/* Grids that do not end, with large call stacks or none, in as many channels as there may be. */
static void grids(uint32_t seed)
{
	static struct sluice_channel ch[EACH];
	static struct sluice_vspace_id vs;
	static struct sluice_dev dev;
	static struct sluice_bo code;
	uint32_t word[128], i;
	uint64_t program;

	must("open", sluice_open(&dev, DEVICE));
	must("space", sluice_vspace_new(&dev, &vs));
	must("code", sluice_bo_new(&dev, SLUICE_VRAM, PAGE, &code));
	must("code", sluice_bo_map(&code));
	must("code", sluice_vspace_map(&vs, &code, &program));
	((uint64_t *)code.map)[0] = BRANCH_TO_ITSELF;
	((uint64_t *)code.map)[1] = EXIT;
	for (i = 0; i < EACH && sluice_channel_new(&vs, &ch[i]) == 0; i++, (*rounds)++) {
		struct sluice_words w = { .word = word, .capacity = 128 };

		launch(&w, program, (seed + i) & 1 ? LARGEST_STACK : 0);
		if (sluice_submit(&ch[i], word, w.count, WAIT_MS))
			break;
	}
	hold();
}

/* As many files, spaces, buffers and mappings as there may be, and one more again and again. */
static void budgets(uint32_t seed)
{
	static struct sluice_dev dev[FILES];
	static struct sluice_vspace_id vs;
	static struct sluice_bo bo;
	uint64_t address;
	uint32_t i, k;

	for (i = 0; i < FILES; i++)
		if (sluice_open(&dev[i], DEVICE))
			break;
	for (k = seed % 2; i > 0; k++, (*rounds)++) {
		struct sluice_dev *file = &dev[k % i];
		uint32_t n;

		memset(&vs, 0, sizeof(vs));
		if (sluice_vspace_new(file, &vs)) /* all are there: a buffer is lost with its space */
			vs = (struct sluice_vspace_id){ .dev = file, .vid = 1 + k % EACH };
		for (n = 0; n < EACH; n++) {
			memset(&bo, 0, sizeof(bo));
			if (sluice_bo_new(file, SLUICE_VRAM, PAGE, &bo) ||
			    sluice_vspace_map(&vs, &bo, &address))
				break;
		}
		if (n < EACH)
			pause_ms(1);
	}
	hold();
}

/* Video memory that is touched page by page, and freed. */
static void touching(uint32_t seed)
{
	static struct sluice_dev dev;
	uint64_t at;

	must("open", sluice_open(&dev, DEVICE));
	for (;; (*rounds)++) {
		struct sluice_bo bo = { 0 };

		if (sluice_bo_new(&dev, SLUICE_VRAM, VIDEO_BYTES * (1 + (seed + *rounds) % 16), &bo) ||
		    sluice_bo_map(&bo)) {
			sluice_bo_free(&bo);
			pause_ms(1);
			continue;
		}
		for (at = 0; at < bo.size; at += PAGE)
			*(volatile uint32_t *)((char *)bo.map + at) = 1;
		sluice_bo_free(&bo);
	}
}

/* Programs that are killed while they make things, and work. */
static void deaths(uint32_t seed)
{
	srandom(seed);
	for (;; (*rounds)++) {
		pid_t child = fork();

		if (child == 0) {
			if (random() & 1)
				grids((uint32_t)random());
			else
				words((uint32_t)random());
			_exit(0);
		}
		if (child < 0)
			continue;
		pause_ms(random() % 50);
		kill(child, SIGKILL);
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
		random();
	}
}

static const struct attack {
	const char *name;
	void (*run)(uint32_t seed);
} attacks[] = {
	{ "calls", calls },	{ "words", words },	  { "grids", grids },
	{ "budgets", budgets }, { "touching", touching }, { "deaths", deaths },
};

/* ---- who tells it ------------------------------------------------------------------------------- */

static void become_nobody(void)
{
	if (setgroups(0, NULL) || setgid(USER) || setuid(USER)) {
		perror("intruder: setuid");
		_exit(1);
	}
}

static pid_t begin(const struct attack *attack, uint32_t seed)
{
	pid_t child;

	*rounds = 0;
	child = fork();
	if (child == 0) {
		setpgid(0, 0);
		become_nobody();
		/* What it says of failures is in the way of who reads ours. */
		if (!freopen("/dev/null", "w", stdout))
			_exit(1);
		attack->run(seed);
		_exit(0);
	}
	must("fork", child < 0 ? -errno : 0);
	setpgid(child, child); /* whoever is first */
	return child;
}

static void end(pid_t child)
{
	if (child <= 0)
		return;
	kill(-child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

static const struct attack *of(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(attacks) / sizeof(attacks[0]); i++)
		if (!strcmp(attacks[i].name, name))
			return &attacks[i];
	return NULL;
}

int main(void)
{
	char line[80], name[32];
	unsigned int seed;
	pid_t child = 0;

	rounds = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must("memory", rounds == MAP_FAILED ? -errno : 0);
	must("chmod", chmod(DEVICE, 0666) ? -errno : 0);
	printf("intruder: begins\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) && strncmp(line, "end", 3)) {
		const struct attack *attack;

		end(child);
		child = 0;
		if (!strncmp(line, "rest", 4)) {
			printf("intruder: rests rounds=%llu\n", (unsigned long long)*rounds);
		} else if (sscanf(line, "%31s %u", name, &seed) == 2 && (attack = of(name))) {
			child = begin(attack, seed);
			printf("intruder: attacks by %s\n", name);
		} else {
			printf("intruder: knows no such attack\n");
		}
		fflush(stdout);
	}
	end(child);
	return report("intruder");
}
