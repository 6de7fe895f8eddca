/*
 * Connecting: by the socket that SLUICE_API_SOCKET names, or by the device file of a machine.
 */
#include "transport.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define FIRST_BYTES (16ull << 20)
#define DEVICE "/dev/sluice-api0"

static struct session *session_new(void)
{
	static const uint32_t most[KINDS] = {
		0, KIND_PLATFORM_MOST, KIND_DEVICE_MOST, KIND_CONTEXT_MOST, KIND_QUEUE_MOST, KIND_MEM_MOST,
		KIND_SAMPLER_MOST, KIND_PROGRAM_MOST, KIND_KERNEL_MOST, KIND_EVENT_MOST,
	};
	struct session *s = calloc(1, sizeof(*s));
	uint32_t kind;

	if (!s)
		return NULL;
	s->socket = s->doorbell = -1;
	s->free_slots = ~0ull;
	s->pending_end = &s->pending;
	for (int i = 0; i < 2; i++) {
		pthread_mutex_init(&s->slot_waiters[i].lock, NULL);
		pthread_cond_init(&s->slot_waiters[i].freed, NULL);
	}
	pthread_mutex_init(&s->ring_lock, NULL);
	pthread_mutex_init(&s->arena_lock, NULL);
	pthread_mutex_init(&s->index_lock, NULL);
	pthread_mutex_init(&s->pending_lock, NULL);
	pthread_mutex_init(&s->notice_lock, NULL);
	pthread_mutex_init(&s->watch_lock, NULL);
	for (kind = 1; kind < KINDS; kind++) {
		s->indices[kind].next = 1;
		s->indices[kind].most = most[kind];
	}
	return s;
}

static void segment_there(struct session *s, uint32_t index, uint8_t *memory, uint64_t bytes,
			  uint64_t used)
{
	struct extent *rest = malloc(sizeof(*rest));

	if (rest)
		*rest = (struct extent){ NULL, used, bytes - used };
	s->segment[index] = (struct segment){ memory, bytes, rest };
	s->segment_bytes += bytes;
	__atomic_store_n(&s->segment_count, index + 1, __ATOMIC_RELEASE);
}

struct session *session_connect(void)
{
	const char *path = getenv("SLUICE_API_SOCKET");
	bool by_socket = path && *path;
	struct session *s;
	int error;

	if (!by_socket && access(DEVICE, F_OK) != 0) {
		errno = ENODEV;
		return NULL;
	}
	s = session_new();
	if (!s)
		return NULL;
	s->transport = by_socket ? &link_transport : &machine_transport;
	error = s->transport->open(s, by_socket ? path : DEVICE, FIRST_BYTES);
	if (error == 0) {
		segment_there(s, 0, s->memory, FIRST_BYTES, AT_ARENA);
		return s;
	}
	session_abandon(s);
	free(s);
	errno = error;
	return NULL;
}

void session_abandon(struct session *s)
{
	if (s->socket >= 0)
		close(s->socket);
	if (s->doorbell >= 0)
		close(s->doorbell);
	s->socket = s->doorbell = -1;
	__atomic_store_n(&s->ended, ENOTCONN, __ATOMIC_RELEASE);
}

bool session_has_ended(struct session *s)
{
	return __atomic_load_n(&s->ended, __ATOMIC_ACQUIRE) ||
	       __atomic_load_n(session_word(s, AT_STATE), __ATOMIC_ACQUIRE);
}

bool session_probe(struct session *s)
{
	if (session_has_ended(s))
		return true;
	if (!s->transport->has_ended(s))
		return false;
	__atomic_store_n(&s->ended, EPIPE, __ATOMIC_RELEASE);
	return true;
}

int link_add_segment(struct session *s, uint32_t index, uint64_t bytes)
{
	uint8_t *memory;
	int error = s->transport->add(s, index, bytes, &memory);

	if (error == 0)
		segment_there(s, index, memory, bytes, 0);
	return error;
}
