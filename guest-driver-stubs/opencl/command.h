/*
 * Commands of a queue: their wait lists, their events, and what is left to do when they are done.
 */
#ifndef SLUICE_OPENCL_COMMAND_H
#define SLUICE_OPENCL_COMMAND_H

#include "api.h"

#define FEW_WAITS 16
#define MOST_JOINED 64

struct command {
	cl_command_queue queue;
	struct session *session;
	cl_event event; /* NULL: the command makes none */
	uint64_t sequence;
	uint32_t *waits, waits_count;
	uint32_t few[FEW_WAITS];
	cl_event joined[MOST_JOINED]; /* events of markers that stand for parts of a long wait list */
	uint32_t joined_count;
	struct answer answer;
	bool asks; /* its event is asked for its end, as there was no place for an answer */
};

/* Bytes of the application as rows of slices; those of an arena lie without gaps. */
struct layout {
	void *at;
	size_t row_bytes, rows, slices, row_pitch, slice_pitch;
};

struct staging;

/* Checks a queue and a wait list, as all commands do. */
cl_int command_check(cl_command_queue queue, cl_uint count, const cl_event *list);
/*
 * Begins one that was checked: takes the queue's lock, which the end gives back, a sequence number
 * and, if it is wanted, an event.
 */
cl_int command_begin(struct command *c, cl_command_queue queue, cl_command_type type, cl_uint count,
		     const cl_event *list, bool with_event);
/* The same of one that is waited for. */
cl_int command_begin_waited(struct command *c, cl_command_queue queue, cl_command_type type, cl_uint count,
			    const cl_event *list, bool with_event);
/* Where the answer to its call comes; NULL: there is none, as nobody waits or its event is asked. */
static inline struct answer *command_answer(struct command *c)
{
	return c->answer.has_slot ? &c->answer : NULL;
}
/* Ends one that was sent with that status. */
cl_int command_end(struct command *c, cl_int status, bool waited, cl_event *event);

/* The same in two steps: it is in the ring, and what became of it. */
void command_sent(struct command *c);
cl_int command_result(struct command *c, cl_int status, bool waited, cl_event *event);

/* The same of a caller that has the queue's lock and keeps it; c->answer has the place for an answer, if any. */
cl_int command_begin_held(struct command *c, cl_command_queue queue, cl_command_type type, cl_uint count,
			  const cl_event *list, bool with_event);
void command_sent_held(struct command *c);

/* How a call names what the command has. */
#define COMMAND(c)                                                                      \
	.queue = (c)->queue->o.index, .waits = (c)->waits, .waits_count = (c)->waits_count, \
	.event = index_of((c)->event)

uint64_t command_sequence(struct session *s);

static inline bool queue_in_order(cl_command_queue queue)
{
	return !(queue->flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

/* ---- pending.c: memory that commands use, and results that have yet to reach the application ---- */

/* Memory to keep. If there is none, what is borrowed and what commands have is waited for. */
cl_int staging_alloc(struct session *s, uint64_t size, struct range *range);
/* The same for a call or a command: it is given back by the next, or by pending_add. */
cl_int staging_borrow(struct session *s, uint64_t size, struct range *range);
void staging_return(struct session *s, struct range range);
/* Once commands that are under way now are done. */
void staging_return_later(struct session *s, struct range range);
/* Borrows without waiting. */
bool staging_try(struct session *s, uint64_t size, struct range *range);
/*
 * For who got none, with no lock that others may need to give some back: frees what is done with, from the second look
 * on waits a little before. False: it is of no use to try once more.
 */
bool staging_more(struct session *s, uint32_t *looks);
cl_int staging_none(struct session *s);

/*
 * Before command_end, under the queue's lock: when the command is done, TO (if not NULL) is given
 * the memory's bytes, STAGING (if not NULL) loses a user, and the memory, then borrowed, is freed if that is said.
 */
cl_int pending_add(const struct command *c, struct range range, bool frees, const struct layout *to,
		   struct staging *staging);
/* A command of a queue is known to be done, or all up to there are: what they promised happens now. */
void pending_settle(struct session *s, cl_command_queue queue, bool all, uint64_t sequence);
/* The same for an event of which it is known how it ended: one that failed says nothing of those before it. */
void pending_settle_event(cl_event event, cl_int status);

/* Whether what an event's command promised has yet to happen: the application cannot know that it is done. */
bool pending_has(cl_event event);

/* Frees memory that commands which are under way now may use, once they are done. */
void pending_free_later(struct session *s, struct range range);
void pending_know_queue(cl_command_queue queue);
void pending_forget_queue(cl_command_queue queue);
/* The queues with commands that are not known to be done, held, in a list that is the caller's to free. */
size_t pending_queues(struct session *s, cl_command_queue **list);

/* map.c: the copy that a map points to has one user less; it is freed with the last. */
void staging_drop(struct session *s, struct staging *staging);

void layout_to_arena(void *arena, const struct layout *from);
void layout_from_arena(const struct layout *to, const void *arena);
size_t layout_bytes(const struct layout *l);

#endif
