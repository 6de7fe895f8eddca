/*
 * The guest driver's device, by which a program in a machine reaches the relay, as far as the library
 * knows it: docs/relay-protocol.md, "In a machine". This folder is built without the driver's headers;
 * test/parity.c compares.
 */
#ifndef SLUICE_CUDA_SESSION_H
#define SLUICE_CUDA_SESSION_H

#include <linux/ioctl.h>
#include <stdint.h>

#define SESSION_API 2
#define SESSION_BYTES 0x49000ull /* of segment 0 */
#define SESSION_SEGMENTS 64
#define SESSION_MAP_SHIFT 48
#define SESSION_MAP_MASK ((1ull << SESSION_MAP_SHIFT) - 1)
#define SESSION_MAP_INHERIT (0x4000ull << SESSION_MAP_SHIFT)
#define SESSION_MAP_DOORBELL (0x7fffull << SESSION_MAP_SHIFT)

/* Segment 0. */
#define SESSION_REQUESTS 0x40
#define SESSION_REPLIES 0x80
#define SESSION_WANTED 0x84
#define SESSION_WANTED_BYTES 0x88
#define SESSION_STATE 0x1c0
#define SESSION_EVENTS 0x200
#define SESSION_MOST_EVENTS 64
#define SESSION_MESSAGE 0x1000

struct session_open {
	uint32_t api;
	uint32_t pad;
	uint64_t bytes;
};

struct session_segment {
	uint32_t index;
	uint32_t pad;
	uint64_t bytes;
};

struct session_wait {
	uint64_t offset;
	uint32_t expected;
	uint32_t timeout_ms;
};

struct session_event {
	uint64_t offset;
	uint32_t seen;
	uint32_t pad;
};

#define SESSION_DEV_OPEN _IOW(0xF7, 0, struct session_open)
#define SESSION_DEV_SEGMENT _IOW(0xF7, 1, struct session_segment)
#define SESSION_DEV_WAIT _IOW(0xF7, 2, struct session_wait)
#define SESSION_DEV_DOORBELL _IO(0xF7, 3)
#define SESSION_DEV_EVENT _IOW(0xF7, 4, struct session_event)

_Static_assert(sizeof(struct session_open) == 16, "session_open");
_Static_assert(sizeof(struct session_segment) == 16, "session_segment");
_Static_assert(sizeof(struct session_wait) == 16, "session_wait");
_Static_assert(sizeof(struct session_event) == 16, "session_event");
_Static_assert(SESSION_BYTES % 4096 == 0, "whole pages");
_Static_assert(SESSION_MESSAGE + 65536 <= SESSION_BYTES, "a message fits");

#endif
