/*
 * Messages of the ring, as the generated header encodes them: u32 bytes, u16 call, u16 0, u32 slot
 * + 1, u32 0.
 */
#ifndef SLUICE_OPENCL_MESSAGE_H
#define SLUICE_OPENCL_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MESSAGE_HEADER_BYTES 16
#define MESSAGE_MOST_BYTES 16384

struct session;

/* A piece of the session's memory: segment << 48 | offset. */
struct range {
	uint64_t place, size;
};

/* The answer to a call that is waited for. */
struct answer {
	int32_t status;
	bool later; /* set by the caller: message_send returns at once, message_wait waits */
	bool soon;  /* set by the caller: it takes less than to sleep and to be woken */
	bool has_slot; /* set by the caller, who has taken one, as for what may last: message_send waits for none */
	uint32_t slot;
	uint64_t values[15];
};

struct message {
	struct session *session;
	uint8_t *at;
	uint8_t bytes[MESSAGE_MOST_BYTES] __attribute__((aligned(8)));
};

/*
 * Begins a message of that many bytes, header included; an OpenCL error if it is too long or the
 * session has ended.
 */
int32_t message_begin(struct message *m, struct session *s, uint16_t call, size_t bytes);
/* Puts it into the ring. Without an answer that is all; else waits and returns the answer's status. */
int32_t message_send(struct message *m, struct answer *answer);
/* Waits for an answer that was wanted later. */
int32_t message_wait(struct session *s, struct answer *answer);
/* For who waits: rings for what the host has not taken, if it sleeps and did not see it. */
void ring_again(struct session *s);
/* Has threads look longer for answers before they sleep: a GPU is used. */
void looks_lengthen(struct session *s);

static inline void message_u64(struct message *m, uint64_t value)
{
	memcpy(m->at, &value, 8);
	m->at += 8;
}

static inline size_t message_bytes_bytes(size_t count)
{
	return 8 + ((count + 7) & ~(size_t)7);
}

static inline void message_bytes(struct message *m, const void *bytes, size_t count)
{
	size_t padded = (count + 7) & ~(size_t)7;

	message_u64(m, count);
	memset(m->at + padded - (padded != count ? 8 : 0), 0, padded != count ? 8 : 0);
	if (count)
		memcpy(m->at, bytes, count);
	m->at += padded;
}

static inline size_t message_string_bytes(const char *text)
{
	return message_bytes_bytes(text ? strlen(text) : 0);
}

static inline void message_string(struct message *m, const char *text)
{
	message_bytes(m, text, text ? strlen(text) : 0);
}

static inline void message_indices(struct message *m, const uint32_t *list, uint32_t count)
{
	message_u64(m, count);
	for (uint32_t i = 0; i < count; i++)
		message_u64(m, list[i]);
}

static inline void message_longs(struct message *m, const uint64_t *list, uint32_t count)
{
	message_u64(m, count);
	if (count)
		memcpy(m->at, list, 8 * (size_t)count);
	m->at += 8 * (size_t)count;
}

#endif
