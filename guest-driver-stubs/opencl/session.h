/*
 * The session of this process: its connection, the memory it shares with the session host, the
 * indices of its objects, what is under way. There is one; a child of fork makes one of its own.
 */
#ifndef SLUICE_OPENCL_SESSION_H
#define SLUICE_OPENCL_SESSION_H

#include "opencl_calls.h"

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <pthread.h>

/* Segment 0; the counterpart is io.sluice.remoting.session.RingLayout. */
#define AT_MAGIC 0x000
#define AT_VERSION 0x004
#define AT_SUBMIT_HEAD 0x040
#define AT_SUBMIT_TAIL 0x080
#define AT_HOST_SLEEPING 0x0c0
#define AT_NOTICE_HEAD 0x100
#define AT_NOTICE_TAIL 0x140
#define AT_NOTICE_SLEEPING 0x180
#define AT_STATE 0x1c0
#define AT_NOTICES_WAIT 0x200
#define AT_ANSWERS 0x1000
#define AT_CALLERS 0x3000
#define AT_NOTICES 0x4000
#define AT_RING 0x8000
#define AT_ARENA 0x48000
#define ANSWER_SLOTS 64
#define ANSWER_BYTES 128
#define CALLER_BYTES 64
#define NOTICE_COUNT 1024
#define NOTICE_BYTES 16
#define RING_BYTES (256u << 10)

#define SEGMENTS 64
#define KINDS (KIND_EVENT + 1)

/* A free piece of a segment. */
struct extent {
	struct extent *next; /* by offset, never adjacent */
	uint64_t at, size;
};

struct segment {
	uint8_t *memory;
	uint64_t bytes;
	struct extent *free;
};

/* Which indices of a kind are free: those given back, then those from next on. */
struct indices {
	uint32_t *free;
	uint32_t free_count, next, most;
	const void **object; /* by index */
};

/* How far an event has come. */
struct told {
	uint32_t index;
	int32_t status;
};

/* Those that wait for a place for an answer. */
struct slot_waiters {
	pthread_mutex_t lock;
	pthread_cond_t freed;
	uint32_t count; /* atomic */
};

struct pending;
struct limbo;

struct transport;

struct session {
	const struct transport *transport;
	int socket, doorbell; /* a device file of a machine has no doorbell */
	uint8_t *memory; /* segment 0 */
	int ended;       /* the errno it ended with */
	uint64_t number, most_bytes;

	pthread_mutex_t ring_lock;
	uint32_t head; /* under ring_lock */

	uint64_t free_slots; /* a bit each; atomic */
	uint32_t long_looks, looking; /* threads that may look for long, and that do; atomic */
	struct slot_waiters slot_waiters[2]; /* for an answer at once, for one that may last */

	pthread_mutex_t arena_lock; /* also orders the messages of the link */
	struct segment segment[SEGMENTS];
	uint32_t segment_count; /* atomic: those below are there and stay */
	uint64_t segment_bytes;
	uint32_t borrowed; /* pieces that calls give back, or hand to a command that does; atomic */

	pthread_mutex_t index_lock;
	struct indices indices[KINDS];

	pthread_mutex_t pending_lock;
	struct pending *pending, **pending_end;
	uint32_t pending_count; /* atomic */
	uint64_t sequence;      /* of commands; atomic */
	bool failures;          /* an event has failed: others may, that nobody asks for; atomic */
	cl_command_queue queues; /* that have commands which may not be done; under pending_lock, with limbo */
	struct limbo *limbo;

	pthread_mutex_t notice_lock; /* also of the ring's tail */
	struct told told[NOTICE_COUNT]; /* taken, not yet called */
	uint32_t told_head, told_tail;
	bool prints; /* atomic: a kernel may print */

	pthread_mutex_t watch_lock; /* of events' callbacks and of the thread that calls them */
	pthread_t watcher;
	bool watching, watcher_ends;
	cl_event *watched; /* by index: those with callbacks */
};

/* The session of this process, made at first use; NULL if it cannot be had. */
struct session *session_get(void);
/* The same if it is there. */
struct session *session_current(void);
/* Connects. NULL: why is in errno. */
struct session *session_connect(void);
/* Closes what a process has of a connection; its memory stays mapped. */
void session_abandon(struct session *s);

/* Whether it has ended; the second asks the connection as well. */
bool session_has_ended(struct session *s);
bool session_probe(struct session *s);

/* Registers a segment; under arena_lock. 0 or an errno. */
int link_add_segment(struct session *s, uint32_t index, uint64_t bytes);

static inline uint32_t *session_word(const struct session *s, uint32_t at)
{
	return (uint32_t *)(s->memory + at);
}


/* ---- arena.c: memory for bulk data -------------------------------------------------------------- */

/* False: the limit is reached. */
bool arena_alloc(struct session *s, uint64_t size, struct range *range);
void arena_free(struct session *s, struct range range);
/* Where the application's bytes are in registered memory, if they are. */
bool arena_find(struct session *s, const void *at, uint64_t size, struct range *range);

static inline void *arena_at(const struct session *s, struct range range)
{
	return s->segment[range.place >> 48].memory + (range.place & 0xffffffffffffull);
}

/* ---- indices of objects ------------------------------------------------------------------------- */

/* 0: there are too many. */
uint32_t index_take(struct session *s, uint32_t kind);
/* Tells the host to release the object, then frees the index. */
void index_release(struct session *s, uint32_t kind, uint32_t index);

/* The platforms and devices of a session that was just connected; false if they are not those known. */
bool topology_read(struct session *s);

#endif
