/*
 * Copies and kernels on an NVIDIA GPU of the Hopper family, submitted without a call.
 *
 *	hopper [BYTES]
 *	hopper --launch [CUBIN]
 *	hopper --until FILE [CUBIN]
 *
 * Copies BYTES of guest RAM to video memory and back, compares, and prints "hopper: ok" and what the
 * copies took. With --launch it multiplies matrices by a kernel of CUBIN, compares each bit with what
 * the processor gives, and says what a launch takes.
 *
 * With --until it submits until FILE appears, whatever happens to the machine meanwhile, to two
 * channels by turns. Every copy adds 1 to a counter and takes a record of its own to video memory and
 * back, whose input is overwritten once it is done; every launch takes words of video memory a step
 * further. So a copy that ran twice is in the counter, one that did not run in its record, and a launch
 * that ran twice or never in every word. Says "hopper: busy" when it has begun, and at the end
 * "hopper: all once, N copies, M launches" if that was so.
 */
#include "gh100/kernel.h"
#include "gh100/queue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CUBIN "/usr/share/sluice/hopper.cubin"
#define COPIES 100
#define LAUNCHES 100
#define BATCH 8u /* submissions to a channel that are under way at once */
#define RECORD 4096u
#define COUNTER 64u /* behind the fence */
#define CODE_SLACK 4096u /* instructions are fetched ahead */
#define THREADS 128u
#define ROWS 128u
#define WORDS 4096u
#define FACTOR 1664525u

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static uint32_t low(uint64_t value)
{
	return (uint32_t)value;
}

static uint32_t high(uint64_t value)
{
	return (uint32_t)(value >> 32);
}

/* ---- copies ------------------------------------------------------------------------------------ */

static void copy(struct hopper_queue *q, uint64_t from, uint64_t to, uint32_t bytes)
{
	struct hopper_commands c = { .count = 0 };

	hopper_add_copy(&c, from, to, bytes);
	hopper_submit(q, &c);
	hopper_await(q);
}

/* There and back, compared, and what copies take. */
static void check_copies(struct hopper_gpu *gpu, uint64_t bytes)
{
	struct hopper_mapped ram, video;
	struct hopper_queue q;
	double start;

	hopper_buffer(gpu, SLUICE_SYSRAM, 2 * bytes, &ram);
	hopper_buffer(gpu, SLUICE_VRAM, bytes, &video);
	hopper_queue_open(gpu, false, &q);
	for (uint64_t i = 0; i < bytes / 4; i++)
		((uint32_t *)ram.bo.map)[i] = (uint32_t)i * 2654435761u;
	copy(&q, ram.address, video.address, (uint32_t)bytes);
	copy(&q, video.address, ram.address + bytes, (uint32_t)bytes);
	hopper_need("bytes",
		    memcmp(ram.bo.map, (char *)ram.bo.map + bytes, bytes) != 0 ? EILSEQ : 0);
	start = now();
	for (int i = 0; i < COPIES; i++)
		copy(&q, ram.address, video.address, 64);
	printf("hopper: a small copy, submit to seen: %.1f us\n", (now() - start) / COPIES * 1e6);
	start = now();
	for (int i = 0; i < COPIES; i++)
		copy(&q, ram.address, video.address, (uint32_t)bytes);
	printf("hopper: %llu bytes to video memory: %.1f GB/s\n", (unsigned long long)bytes,
	       COPIES * (double)bytes / (now() - start) / 1e9);
	printf("hopper: ok\n");
}

/* ---- kernels ----------------------------------------------------------------------------------- */

struct program {
	struct hopper_kernel kernel;
	struct hopper_mapped code;
	struct hopper_mapped launches; /* HOPPER_LAUNCH_BYTES each, BATCH of them */
};

static void load(struct hopper_gpu *gpu, const char *path, const char *name, struct program *p)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	void *file;

	hopper_need(path, fd < 0 || fstat(fd, &status) ? errno : 0);
	hopper_need(path, status.st_size == 0 ? EINVAL : 0);
	file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	hopper_need(path, file == MAP_FAILED ? errno : 0);
	hopper_need(name, hopper_kernel_find(file, (size_t)status.st_size, name, &p->kernel));
	hopper_buffer(gpu, SLUICE_SYSRAM, p->kernel.code_bytes + CODE_SLACK, &p->code);
	memcpy(p->code.bo.map, p->kernel.code, p->kernel.code_bytes);
	hopper_buffer(gpu, SLUICE_SYSRAM, BATCH * HOPPER_LAUNCH_BYTES, &p->launches);
	munmap(file, (size_t)status.st_size);
	close(fd);
}

/* Submits a launch of so many threads, whose place among the program's is the GPU's until it is done. */
static void launch(struct hopper_queue *q, struct program *p, uint32_t place, uint32_t threads,
		   const uint32_t *parameters, uint32_t count)
{
	struct hopper_grid grid = {
		.kernel = &p->kernel, .code = p->code.address,
		.blocks = (threads + THREADS - 1) / THREADS, .threads = THREADS,
	};
	struct hopper_commands c = { .count = 0 };
	uint64_t at = p->launches.address + place * HOPPER_LAUNCH_BYTES;

	hopper_launch_store(&grid, parameters, count,
			    (char *)p->launches.bo.map + place * HOPPER_LAUNCH_BYTES, at);
	hopper_add_launch(&c, at);
	hopper_submit(q, &c);
}

static void fill(float *matrix, uint32_t seed)
{
	for (uint32_t i = 0; i < ROWS * ROWS; i++) {
		seed = seed * 1664525u + 1013904223u;
		matrix[i] = (float)(seed >> 16) / 65536.0f - 0.5f;
	}
}

static void multiply(const float *a, const float *b, float *c)
{
	for (uint32_t row = 0; row < ROWS; row++)
		for (uint32_t column = 0; column < ROWS; column++) {
			float sum = 0;

			for (uint32_t k = 0; k < ROWS; k++)
				sum += a[row * ROWS + k] * b[k * ROWS + column];
			c[row * ROWS + column] = sum;
		}
}

static void check_launches(struct hopper_gpu *gpu, const char *cubin)
{
	static float expected[ROWS * ROWS];
	const uint32_t bytes = sizeof(expected);
	struct hopper_mapped ram, video;
	struct program mmul;
	struct hopper_queue q;
	float *a, *b, *c;
	double start;

	hopper_buffer(gpu, SLUICE_SYSRAM, 3 * bytes, &ram);
	hopper_buffer(gpu, SLUICE_VRAM, 3 * bytes, &video);
	hopper_queue_open(gpu, true, &q);
	load(gpu, cubin, "mmul", &mmul);
	a = ram.bo.map;
	b = a + ROWS * ROWS;
	c = b + ROWS * ROWS;
	for (uint32_t round = 0; round < 2; round++) {
		uint64_t at = video.address;
		const uint32_t parameters[] = {
			low(at), high(at), low(at + bytes), high(at + bytes),
			low(at + 2 * bytes), high(at + 2 * bytes), ROWS,
		};

		fill(a, 2 * round + 1);
		fill(b, 2 * round + 2);
		memset(c, 0xff, bytes);
		multiply(a, b, expected);
		copy(&q, ram.address, video.address, 3 * bytes);
		launch(&q, &mmul, 0, ROWS * ROWS, parameters, 7);
		copy(&q, video.address + 2 * bytes, ram.address + 2 * bytes, bytes);
		hopper_need("the product", memcmp(c, expected, bytes) != 0 ? EILSEQ : 0);
		start = now();
		for (int i = 0; i < LAUNCHES; i++) {
			launch(&q, &mmul, 0, ROWS * ROWS, parameters, 7);
			hopper_await(&q);
		}
	}
	printf("hopper: mmul of %u rows, submit to seen: %.1f us\n", ROWS,
	       (now() - start) / LAUNCHES * 1e6);
	printf("hopper: launched\n");
}

/* ---- until a file appears ---------------------------------------------------------------------- */

struct copies {
	struct hopper_queue q;
	struct hopper_mapped ram, video;
};

struct steps {
	struct hopper_queue q;
	struct hopper_mapped ram, video;
	struct program program;
};

static uint64_t word_of(uint64_t id, uint32_t index)
{
	return (id * (RECORD / 8) + index + 1) * 0x9e3779b97f4a7c15ull;
}

/* One submission per record of a batch. In ram: inputs, then results. */
static void batch_of_copies(struct copies *s)
{
	uint64_t *input = s->ram.bo.map;
	uint64_t first = s->q.done;

	for (uint32_t slot = 0; slot < BATCH; slot++) {
		struct hopper_commands c = { .count = 0 };
		uint64_t from = s->ram.address + slot * RECORD;
		uint64_t place = s->video.address + slot * RECORD;

		for (uint32_t i = 0; i < RECORD / 8; i++)
			input[slot * RECORD / 8 + i] = word_of(first + slot, i);
		hopper_add_copy(&c, from, place, RECORD);
		hopper_add_copy(&c, place, from + BATCH * RECORD, RECORD);
		hopper_add_increment(&c, s->q.fence.address + COUNTER);
		hopper_submit(&s->q, &c);
	}
	hopper_await(&s->q);
	for (uint32_t slot = 0; slot < BATCH; slot++)
		for (uint32_t i = 0; i < RECORD / 8; i++)
			if (input[(BATCH + slot) * RECORD / 8 + i] != word_of(first + slot, i))
				hopper_need("a record", EILSEQ);
	memset(input, 0xff, BATCH * RECORD);
}

static void begin_batch_of_steps(struct steps *s)
{
	const uint32_t parameters[] = {
		low(s->video.address), high(s->video.address), WORDS, FACTOR
	};

	for (uint32_t slot = 0; slot < BATCH; slot++)
		launch(&s->q, &s->program, slot, WORDS, parameters, 4);
}

static void open_steps(struct hopper_gpu *gpu, const char *cubin, struct steps *s)
{
	hopper_buffer(gpu, SLUICE_SYSRAM, WORDS * 4, &s->ram);
	hopper_buffer(gpu, SLUICE_VRAM, WORDS * 4, &s->video);
	hopper_queue_open(gpu, true, &s->q);
	load(gpu, cubin, "step", &s->program);
	for (uint32_t i = 0; i < WORDS; i++)
		((uint32_t *)s->ram.bo.map)[i] = ~i;
	copy(&s->q, s->ram.address, s->video.address, WORDS * 4);
}

/* What so many steps make of word i: x becomes x * factor + i each time. */
static uint32_t stepped(uint32_t i, uint64_t steps)
{
	uint32_t factor = 1, sum = 0;              /* of the steps so far: x * factor + i * sum */
	uint32_t more_factor = FACTOR, more_sum = 1; /* of 1, 2, 4, ... steps */

	for (; steps; steps >>= 1) {
		if (steps & 1) {
			sum = sum * more_factor + more_sum;
			factor *= more_factor;
		}
		more_sum += more_sum * more_factor;
		more_factor *= more_factor;
	}
	return ~i * factor + i * sum;
}

static void check_steps(struct steps *s, uint64_t steps)
{
	uint32_t *words = s->ram.bo.map;

	memset(words, 0, WORDS * 4);
	copy(&s->q, s->video.address, s->ram.address, WORDS * 4);
	for (uint32_t i = 0; i < WORDS; i++)
		hopper_need("a word", words[i] != stepped(i, steps) ? EILSEQ : 0);
}

static void work(struct hopper_gpu *gpu, const char *until, const char *cubin)
{
	struct copies copies;
	struct steps steps;
	volatile uint32_t *counter;
	uint64_t before, launched;

	hopper_buffer(gpu, SLUICE_SYSRAM, 2 * BATCH * RECORD, &copies.ram);
	hopper_buffer(gpu, SLUICE_VRAM, BATCH * RECORD, &copies.video);
	hopper_queue_open(gpu, false, &copies.q);
	open_steps(gpu, cubin, &steps);
	counter = (volatile uint32_t *)((char *)copies.q.fence.bo.map + COUNTER);
	*counter = 0;
	before = copies.q.done;
	launched = steps.q.done;
	for (bool first = true; first || access(until, F_OK) != 0; first = false) {
		begin_batch_of_steps(&steps);
		batch_of_copies(&copies);
		hopper_await(&steps.q);
		if (first) {
			check_steps(&steps, BATCH);
			launched++; /* that copy was none */
			printf("hopper: busy\n");
			fflush(stdout);
		}
	}
	launched = steps.q.done - launched;
	check_steps(&steps, launched);
	hopper_need("the counter", *counter != (uint32_t)(copies.q.done - before) ? EILSEQ : 0);
	printf("hopper: all once, %llu copies, %llu launches\n",
	       (unsigned long long)(copies.q.done - before), (unsigned long long)launched);
}

int main(int argc, char **argv)
{
	const char *option = argc > 1 && argv[1][0] == '-' ? argv[1] : "";
	struct hopper_gpu gpu = { 0 };

	hopper_open(&gpu);
	if (strcmp(option, "--until") == 0 && argc > 2)
		work(&gpu, argv[2], argc > 3 ? argv[3] : CUBIN);
	else if (strcmp(option, "--launch") == 0)
		check_launches(&gpu, argc > 2 ? argv[2] : CUBIN);
	else
		check_copies(&gpu, argc > 1 ? strtoull(argv[1], NULL, 0) : 4 << 20);
	return 0;
}
