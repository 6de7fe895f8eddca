/*
 * The ways to a session's host: the socket of a guest on the same host (link.c), or the device file
 * of a machine (machine.c). What a session holds of either: session.socket is its descriptor.
 */
#ifndef SLUICE_OPENCL_TRANSPORT_H
#define SLUICE_OPENCL_TRANSPORT_H

#include "session.h"

struct transport {
	/* Opens the session with segment 0 of so many bytes, mapped at s->memory. 0 or an errno. */
	int (*open)(struct session *s, const char *path, uint64_t bytes);
	/* Adds a segment, mapped at *memory; under arena_lock. 0 or an errno. */
	int (*add)(struct session *s, uint32_t index, uint64_t bytes, uint8_t **memory);
	/* Rings the host, which sleeps. */
	void (*ring)(struct session *s);
	/* Waits while a word of segment 0 has a value, at most so long; woken by the host. */
	void (*wait)(struct session *s, uint32_t *word, uint32_t value, uint32_t timeout_ms);
	/* Wakes whoever waits in this process, at once or when it looks again. */
	void (*wake)(uint32_t *word);
	/* Whether the connection has ended. */
	bool (*has_ended)(struct session *s);
};

extern const struct transport link_transport, machine_transport;

#endif
