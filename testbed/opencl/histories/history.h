/*
 * The common part of random histories: see ../programs/histories.c. What is there, what commands have to wait for, and
 * what is known of them.
 */
#ifndef HISTORY_H
#define HISTORY_H

#include "../programs/check.h"

#define WORLDS 2 /* contexts */
#define QUEUES 6
#define MEMORIES 20
#define GATES 4
#define COMMANDS 40
#define ACCESSES 3
#define MOST_WAITS 1600
#define UNITS 128 /* sizes are multiples of it, and so may be where sub-buffers begin */
#define LARGE ((5u << 19) + UNITS)
#define NOT_ALL_OF_HOST (CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)
#define EDGE 24 /* of images */

struct queue {
	cl_command_queue o;
	int world;
	bool ordered;
	unsigned epoch;	    /* barriers for all so far */
	bool has_order;	    /* the latest barrier is one of them */
	unsigned last, all; /* gates that the next command waits for, and that any of its commands does */
};

struct memory {
	cl_mem o;
	int world, number;
	int storage; /* that it shares with its parent */
	size_t origin, size;
	cl_mem_flags flags;
	char *host;
	int format; /* of an image, else -1 */
	int retained;
	bool is_part;
};

struct access {
	int storage;
	size_t from, bytes;
	bool writes;
};

struct command {
	cl_event event;
	const char *what;
	bool used, runs, reads, wants;
	int queue, world, accesses;
	unsigned epoch, gates;
	struct access access[ACCESSES];
	unsigned char *host; /* the application's memory */
	size_t bytes;
};

struct gate {
	cl_event o;
	int world;
	bool pending;
};

extern struct setup s;
extern cl_context worlds[WORLDS];
extern struct queue queues[QUEUES];
extern struct memory memories[MEMORIES];
extern struct command commands[COMMANDS];
extern struct gate gates[GATES];
extern cl_event waits[MOST_WAITS]; /* of the command that is being made */
extern cl_uint wait_count;
extern int now; /* the step */

/* One of those that are there, or NULL. */
#define PICK(array, is) \
	({ \
		size_t begin_ = below(COUNT(array)), left_ = COUNT(array); \
		__typeof__(&(array)[0]) it = &(array)[begin_], found_ = NULL; \
		for (; left_ > 0 && !found_; left_--, it = it + 1 == (array) + COUNT(array) ? (array) : it + 1) \
			if (is) \
				found_ = it; \
		found_; \
	})

/* ---- history.c ---------------------------------------------------------------------------------- */

void begin_chance(uint64_t seed);
unsigned below(unsigned bound);
bool chance(unsigned percent);
/* "17 WHAT": the step and the call. */
const char *at(const char *what);

/* A command to be, in that queue; what it uses; events that it might wait for. */
struct command *begin(const struct queue *q, const char *what);
void use(struct command *c, const struct memory *m, size_t from, size_t bytes, bool writes);
void wait_for_some(struct command *c);
/* The command is complete but for the call; true: it is to be a blocking one. */
bool waits_are_known(struct command *c, bool may_block);
/* It was enqueued with that answer. */
void enqueued(struct command *c, cl_int answer, bool blocking);

#define WAITS wait_count, wait_count ? waits : NULL
#define EVENT(c) ((c)->wants ? &(c)->event : NULL)

bool touches(const struct access *a, const struct access *b);
/* A command has ended. */
void settle(struct command *c);
void open_gates(unsigned which);
void finish(int queue);
void finish_all(void);
void release_event(struct command *c);
struct queue *a_queue(int world);

/* ---- memories.c --------------------------------------------------------------------------------- */

/* Whether the maps there are allow it; whether the memory's flags do. */
bool may(const struct memory *m, size_t from, size_t bytes, bool writes);
bool host_may(const struct memory *m, bool writes);

void make_buffer(void);
void make_part(void);
void make_image(void);
void release_memory(void);
void move_buffer(void);
void move_rectangle(void);
void fill_buffer(void);
void copy_buffer(void);
void copy_rectangle(void);
void migrate(void);
void move_image(void);
void fill_image(void);
void copy_image(void);
void map_buffer(void);
void map_image(void);
void end_some_map(void);
void end_maps(void);
/* What the memory holds, but for what is being written. */
void look_at_all(void);

#endif /* HISTORY_H */
