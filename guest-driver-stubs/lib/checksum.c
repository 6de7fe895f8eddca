/* Patterns and checksums for programs that verify what the GPU copied. */
#include "sluice.h"

#define ODD 0x9e3779b97f4a7c15ull /* 2^64 / golden ratio */

static uint64_t mix(uint64_t value)
{
	value = (value ^ (value >> 32)) * ODD;
	return value ^ (value >> 29);
}

void sluice_fill(void *memory, uint64_t bytes, uint64_t seed)
{
	uint64_t *word = memory;
	uint64_t i;

	for (i = 0; i < bytes / 8; i++)
		word[i] = mix(seed + i * ODD);
}

uint64_t sluice_checksum(const void *memory, uint64_t bytes)
{
	const uint64_t *word = memory;
	uint64_t sum = bytes;
	uint64_t i;

	for (i = 0; i < bytes / 8; i++)
		sum = mix(sum ^ word[i]);
	return sum;
}
