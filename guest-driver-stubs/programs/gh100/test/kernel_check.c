/*
 * What the reader of sm_90 cubins makes of a file; run by a test of testbed/workloads.
 *
 *	kernel_check FILE NAME                     prints the kernel, or the error
 *	kernel_check --fuzz SEED ROUNDS FILE NAME  reads damaged copies, each where nothing is behind it
 */
#include "../kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FILE_BYTES (1u << 20)
#define HEAD_BYTES 64u /* what an ELF file begins with */

static uint8_t file[MAX_FILE_BYTES];

/* What a launch calls is not tried here. */
void hopper_need(const char *what, int error)
{
	(void)what;
	(void)error;
	abort();
}

void hopper_add(struct hopper_commands *c, uint32_t subchannel, uint32_t first, uint32_t count, ...)
{
	(void)c;
	(void)subchannel;
	(void)first;
	(void)count;
	abort();
}

static size_t load(const char *path)
{
	FILE *from = fopen(path, "rb");
	size_t size = from ? fread(file, 1, sizeof(file), from) : 0;

	if (size == 0) {
		printf("cannot read %s\n", path);
		exit(2);
	}
	fclose(from);
	return size;
}

static int show(size_t size, const char *name)
{
	struct hopper_kernel kernel;
	int ret = hopper_kernel_find(file, size, name, &kernel);

	if (ret) {
		printf("error %d\n", -ret);
		return 1;
	}
	printf("code %u registers %u parameters 0x%x+%u\n", kernel.code_bytes, kernel.registers,
	       kernel.parameter_base, kernel.parameter_bytes);
	return 0;
}

static uint32_t next(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*state >> 33);
}

/* A copy of the file with some bits turned, words overwritten, or its end missing. */
static uint8_t *damaged(uint64_t *state, size_t size, size_t *left)
{
	uint8_t *copy;

	*left = next(state) % 4 == 0 ? next(state) % size : size;
	copy = malloc(*left ? *left : 1);
	memcpy(copy, file, *left);
	for (uint32_t i = next(state) % 6; i > 0 && *left; i--) {
		size_t range = next(state) % 2 && *left > HEAD_BYTES ? HEAD_BYTES : *left;

		if (next(state) % 2)
			copy[next(state) % range] ^= (uint8_t)(1u << next(state) % 8);
		else
			copy[next(state) % range] = (uint8_t)next(state);
	}
	return copy;
}

static int fuzz(uint64_t seed, int rounds, size_t size, const char *name)
{
	uint64_t sum = 0;
	int found = 0;

	for (int i = 0; i < rounds; i++) {
		struct hopper_kernel kernel;
		size_t left;
		uint8_t *copy = damaged(&seed, size, &left);

		if (hopper_kernel_find(copy, left, name, &kernel) == 0) {
			found++;
			for (uint32_t at = 0; at < kernel.code_bytes; at += 64)
				sum += kernel.code[at];
			sum += kernel.code[kernel.code_bytes - 1];
		}
		free(copy);
	}
	printf("found %d of %d, sum %llu\n", found, rounds, (unsigned long long)sum);
	return found == 0 || found == rounds;
}

int main(int argc, char **argv)
{
	if (argc == 6 && strcmp(argv[1], "--fuzz") == 0)
		return fuzz(strtoull(argv[2], NULL, 0), atoi(argv[3]), load(argv[4]), argv[5]);
	if (argc != 3)
		return 2;
	return show(load(argv[1]), argv[2]);
}
