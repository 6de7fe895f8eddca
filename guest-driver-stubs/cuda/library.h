/*
 * The parts of the library. It makes its own system calls by syscall(), so that it never comes to
 * its own open, close and so on, and allocates no memory.
 *
 * A function whose name ends in _locked is called between relay_enter and relay_leave. What returns
 * an int or a long returns a negative errno on failure, as in the kernel, unless it is one of the
 * C library's.
 */
#ifndef SLUICE_CUDA_LIBRARY_H
#define SLUICE_CUDA_LIBRARY_H

#include "relay.h"

#include <stdbool.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

/* ---- lock.c ---- */

/* What a thread had when it came in. */
struct relay_section {
	uint64_t signals;
	int error;
};

/* Whether SLUICE_CUDA_SOCKET names a relay, and its path. */
bool relay_active(void);
const char *relay_path(void);
/* Takes the lock of all state, signals held back but for those that a fault raises. */
void relay_enter(struct relay_section *s);
/* Gives it back; errno is as it was. */
void relay_leave(const struct relay_section *s);
/* Whether the state is this process's, which it is not in the child of a vfork. */
bool relay_is_here(void);
/* The state belongs to this process from now on, and nobody holds the lock. */
void relay_is_here_now(void);
/* A result of the C library's: -1 with errno, or as it is. */
long relay_result(long result);
/* The same of one of syscall(), as a negative errno. */
long relay_errno(long result);

/* ---- link.c ---- */

/* The one message: a request first, its reply then. */
struct relay_message {
	union {
		struct relay_request request;
		struct relay_reply reply;
	};
	uint8_t body[RELAY_MOST_BYTES - sizeof(struct relay_request)];
};

/* One without a body. */
union relay_head {
	struct relay_request request;
	struct relay_reply reply;
};

_Static_assert(sizeof(struct relay_message) == RELAY_MOST_BYTES, "a message has no end of its own");

/* Connects at first use. 0, or EIO when there is no relay. */
int link_ready_locked(void);
/* Begins a request. */
struct relay_message *link_begin_locked(enum relay_op op, uint32_t file);
/*
 * Sends it with so many bytes of body, a multiple of 8, and a descriptor unless that is -1, and has
 * the reply in its place. The descriptor that came with it is in *received, unless that is NULL.
 */
int link_call_locked(uint32_t body_bytes, int fd, int *received);
/* Sends a message of one's own: what link_begin_locked began stays as it is. */
int link_ask_locked(union relay_head *head);
/* The connection is of no use any more: says why, once. */
void link_end_locked(const char *why);
/* The program has closed it, or is about to. */
void link_lost_locked(void);
/* The child of a fork has no connection. */
void link_drop_locked(void);
/* Moves a descriptor out of the way of those the program counts on, and knows it as the library's. */
int link_move_locked(int fd, int what);

/* The device of a link that is a session; -1 of one that is not, or has ended. */
int session_file_locked(void);

/* ---- session.c ---- */

/* The link is this session. */
void session_begin_locked(int fd);
/* What mappings of the session have as their file's name; "" before there is one. */
const char *session_name_locked(void);
/* A descriptor for an event. */
int session_event_locked(uint32_t number, uint32_t seen);
/* Maps what a reply says; the address, or a negative errno. */
long session_map_locked(void *address, size_t length, int protection, int flags, uint32_t segment, uint64_t offset);

/* ---- shapes.c ---- */

/* Takes over what the relay says in HELLO's reply. */
int shapes_read_locked(const uint8_t *body, uint32_t bytes);
/* The next shape of a kind and key after one, or the first after NULL; NULL if there is none. */
const struct relay_shape *shape_next_locked(const struct relay_shape *after, uint32_t kind, uint32_t key);
/* The part of a path that is the name of a node of the driver's, or NULL. */
const char *node_name(const char *path);
/* The node's number, or -ENOENT. */
int node_find_locked(const char *name);
const struct relay_node *node_at_locked(unsigned node);

/* ---- files.c ---- */

#define FILES_MOST 65536

/* What a descriptor of this process is. */
enum file_what {
	FILE_NOT_OURS = 0,
	FILE_OF_RELAY, /* the program's */
	FILE_LINK, /* the connection */
	FILE_MEMORY, /* memory that RM pins */
	FILE_WATCH, /* where another doorbell comes from */
};

struct file {
	uint32_t number; /* the relay's */
	uint16_t node;
	uint8_t what; /* read without the lock */
	uint8_t is_driver; /* the driver's own descriptor took the placeholder's place */
};

/* Whether the descriptor is one of ours; without the lock. */
bool file_is_known(int fd);
/* The program's file, or NULL. */
const struct file *file_locked(int fd);
void file_set_locked(int fd, enum file_what what, uint32_t number, unsigned node);
/* The program has the file under another number too. */
void file_share_locked(int from, int to);
/* The number is not ours any more. Its last one closes the relay's file. */
void file_forget_locked(int fd);
/* A descriptor takes the place of all placeholders of a file. */
void file_replace_locked(uint32_t number, int by);
/* What stands for a file of the relay's. */
int file_placeholder(int flags);
/* The child of a fork has none of its parent's files. */
void files_drop_locked(void);

/* ---- maps.c ---- */

struct vma {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	int protection;
	bool shared;
	const char *name;
};

#define MAPS_ROOM 16384

/* Shows all mappings of this process, in order; the text is read piece by piece into the caller's room. */
int maps_walk(char *text, size_t room, void (*visit)(void *context, const struct vma *vma), void *context);
/* The same, in a room of its own. */
int maps_walk_locked(void (*visit)(void *context, const struct vma *vma), void *context);

/* ---- doorbell.c ---- */

/* The program has mapped the doorbell of a file: another may come for it. */
void doorbell_mapped_locked(uint32_t number, void *address, size_t length, int protection);
/* The program closed where they come from. */
void doorbell_lost_locked(void);
/* The child of a fork has nobody who waits for one. */
void doorbell_drop_locked(void);

/* ---- pinned.c ---- */

/* Where both the relay and the program have pages. */
struct pinned_place {
	int fd; /* a memory file, or -1 */
	uint32_t segment; /* of the session, or 0 */
	uint64_t offset;
};

/* The place of pages; they move there if they are elsewhere. */
int pinned_place_locked(uint64_t address, uint64_t bytes, struct pinned_place *place);
/* The program closed it. */
void pinned_lost_locked(int fd);

/* ---- pinned_fork.c ---- */

/* A fork may run on a stack that is pinned: called in the parent. */
void pinned_before_fork_locked(void);
void pinned_after_fork_locked(void);
/* The child of a fork has the memory for itself. */
void pinned_drop_locked(void);

/* ---- call.c ---- */

long call_locked(int fd, const struct file *file, uint32_t request, void *argument);

/* ---- fork.c ---- */

void fork_watch_locked(void);

#endif
