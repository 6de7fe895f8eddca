/*
 * The work that is left when commands are done: results of reads that wait in registered memory are
 * given to the application before it can see that their command, or one that came after it, is
 * done; memory is freed.
 *
 * A queue in order tells by one command that those before it are done; of others each is asked.
 */
#include "command.h"
#include "event.h"

#include <stdlib.h>
#include <time.h>

#define MANY 256
#define ROOM_PAUSE_NS 200000
#define ROOM_LOOKS 150000 /* 30 s */

struct pending {
	struct pending *next;
	cl_event event;
	struct range range;
	bool frees;
	struct layout to; /* at NULL: nobody wants the bytes */
	struct staging *staging; /* that the command uses */
};

/* Memory that was an object's storage when commands with numbers up to this were under way. */
struct limbo {
	struct limbo *next;
	struct range range;
	uint64_t sequence;
};

/* ---- layouts ------------------------------------------------------------------------------------ */

size_t layout_bytes(const struct layout *l)
{
	return l->row_bytes * l->rows * l->slices;
}

static void layout_copy(const struct layout *l, uint8_t *arena, bool to_arena)
{
	size_t row, slice;

	for (slice = 0; slice < l->slices; slice++)
		for (row = 0; row < l->rows; row++) {
			uint8_t *at = (uint8_t *)l->at + slice * l->slice_pitch + row * l->row_pitch;

			memcpy(to_arena ? arena : at, to_arena ? at : arena, l->row_bytes);
			arena += l->row_bytes;
		}
}

void layout_to_arena(void *arena, const struct layout *from)
{
	layout_copy(from, arena, true);
}

void layout_from_arena(const struct layout *to, const void *arena)
{
	layout_copy(to, (void *)arena, false);
}

/* ---- what is pending ---------------------------------------------------------------------------- */

/* The end of an event, as the host says it; positive: not yet. */
static cl_int ask(cl_event event)
{
	struct call_event_status call = { .event = event->o.index };
	struct answer answer = { 0 };
	cl_int known = event_known(event);
	cl_int status;

	if (known <= CL_COMPLETE)
		return known;
	status = call_event_status(session_of(event), &call, &answer);
	return status == CL_SUCCESS ? (cl_int)answer.values[0] : status;
}

/* Takes the entry at LINK out of the list and does what copies there are; under pending_lock. */
static struct pending *take(struct session *s, struct pending **link, cl_int status)
{
	struct pending *p = *link;

	*link = p->next;
	if (!p->next)
		s->pending_end = link;
	if (p->to.at && status == CL_COMPLETE)
		layout_from_arena(&p->to, arena_at(s, p->range));
	return p;
}

/* Gives back what entries held; without locks, as callbacks may be called. */
static void let_go(struct session *s, struct pending *p)
{
	while (p) {
		struct pending *next = p->next;

		if (p->frees)
			arena_free(s, p->range);
		staging_drop(s, p->staging);
		/* Who sees that nothing is pending, without the lock, may use what was copied, and what was held. */
		__atomic_fetch_sub(&s->pending_count, 1, __ATOMIC_RELEASE);
		object_drop(p->event);
		free(p);
		p = next;
	}
}

/* Those from the oldest on that are done, up to the first that is not, or all. */
static void reclaim(struct session *s, bool all)
{
	struct pending *done = NULL;
	struct pending **link;

	pthread_mutex_lock(&s->pending_lock);
	link = &s->pending;
	while (*link) {
		cl_int status = ask((*link)->event);

		if (status <= CL_COMPLETE) {
			struct pending *p = take(s, link, status);

			p->next = done;
			done = p;
		} else if (all) {
			link = &(*link)->next;
		} else {
			break;
		}
	}
	pthread_mutex_unlock(&s->pending_lock);
	let_go(s, done);
}

cl_int pending_add(const struct command *c, struct range range, bool frees, const struct layout *to,
		   struct staging *staging)
{
	struct session *s = c->session;
	struct pending *p = calloc(1, sizeof(*p));

	if (!p)
		return CL_OUT_OF_HOST_MEMORY;
	p->event = c->event;
	object_hold(c->event);
	p->range = range;
	p->frees = frees;
	p->staging = staging;
	if (to)
		p->to = *to;
	pthread_mutex_lock(&s->pending_lock);
	*s->pending_end = p;
	s->pending_end = &p->next;
	__atomic_fetch_add(&s->pending_count, 1, __ATOMIC_RELEASE);
	if (frees)
		__atomic_fetch_sub(&s->borrowed, 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&s->pending_lock);
	return CL_SUCCESS;
}

/* The end of a command: its queue, and its event if that is what is known; of all in order before it as well. */
struct end {
	cl_command_queue queue;
	uint64_t sequence;
	cl_event event;
	cl_int status;
	bool ordered;
};

/* Whether the entry's command is done, given what is known; positive: it is not, or nobody needs to know. */
static cl_int status_of(const struct pending *p, const struct end *end)
{
	bool may_have_failed = __atomic_load_n(&session_of(p->event)->failures, __ATOMIC_RELAXED);

	if (p->event == end->event)
		return end->status;
	if (event_known(p->event) <= CL_COMPLETE)
		return event_known(p->event);
	if (p->event->queue->number == end->queue->number && end->ordered)
		return p->to.at && may_have_failed ? ask(p->event) : CL_COMPLETE;
	return p->to.at && p->event->sequence < end->sequence ? ask(p->event) : CL_QUEUED;
}

static void limbo_check(struct session *s);

static void settle(struct session *s, const struct end *end)
{
	struct pending *done = NULL;
	struct pending **link;

	if (__atomic_load_n(&s->pending_count, __ATOMIC_ACQUIRE) == 0 &&
	    !__atomic_load_n(&s->limbo, __ATOMIC_RELAXED) && !end->ordered)
		return;
	pthread_mutex_lock(&s->pending_lock);
	if (end->ordered && end->sequence > end->queue->settled)
		__atomic_store_n(&end->queue->settled, end->sequence, __ATOMIC_RELAXED); /* others have a look */
	link = &s->pending;
	while (*link) {
		cl_int status = CL_QUEUED;

		if ((*link)->event->sequence <= end->sequence)
			status = status_of(*link, end);
		if (status <= CL_COMPLETE) {
			struct pending *p = take(s, link, status);

			p->next = done;
			done = p;
		} else {
			link = &(*link)->next;
		}
	}
	if (s->limbo)
		limbo_check(s);
	pthread_mutex_unlock(&s->pending_lock);
	let_go(s, done);
}

void pending_settle(struct session *s, cl_command_queue queue, bool all, uint64_t sequence)
{
	struct end end = { .queue = queue, .sequence = sequence, .ordered = all || queue_in_order(queue) };

	settle(s, &end);
}

void pending_settle_event(cl_event event, cl_int status)
{
	struct end end = { .queue = event->queue, .sequence = event->sequence, .event = event, .status = status };

	if (!event->queue)
		return;
	end.ordered = status == CL_COMPLETE && queue_in_order(event->queue);
	settle(session_of(event), &end);
}

bool pending_has(cl_event event)
{
	struct session *s = session_of(event);
	const struct pending *p;

	pthread_mutex_lock(&s->pending_lock);
	for (p = s->pending; p && p->event != event; p = p->next)
		;
	pthread_mutex_unlock(&s->pending_lock);
	return p != NULL;
}

/*
 * Commands under way and calls of other threads give back what they hold, and a program may have any number of them
 * natively. Not for ever: they may wait for a user event that this thread is to set.
 */
bool staging_more(struct session *s, uint32_t *looks)
{
	const struct timespec pause = { .tv_nsec = ROOM_PAUSE_NS };

	if (*looks > ROOM_LOOKS)
		return false;
	if ((*looks)++ > 0)
		nanosleep(&pause, NULL);
	/* In this order, as a call hands what it has to a command. Then the last look: what came back meanwhile is there. */
	if ((__atomic_load_n(&s->borrowed, __ATOMIC_ACQUIRE) == 0 &&
	     __atomic_load_n(&s->pending_count, __ATOMIC_ACQUIRE) == 0) || session_has_ended(s))
		*looks = ROOM_LOOKS + 1;
	reclaim(s, true);
	return true;
}

cl_int staging_none(struct session *s)
{
	return session_has_ended(s) ? CL_DEVICE_NOT_AVAILABLE : CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

static cl_int staging_take(struct session *s, uint64_t size, struct range *range,
			   bool (*take_from)(struct session *, uint64_t, struct range *))
{
	uint32_t looks = 0;

	if (__atomic_load_n(&s->pending_count, __ATOMIC_RELAXED) > MANY)
		reclaim(s, false);
	while (!take_from(s, size, range))
		if (!staging_more(s, &looks))
			return staging_none(s);
	return CL_SUCCESS;
}

cl_int staging_alloc(struct session *s, uint64_t size, struct range *range)
{
	return staging_take(s, size, range, arena_alloc);
}

bool staging_try(struct session *s, uint64_t size, struct range *range)
{
	/* Before it is taken: who finds none by then sees that it comes back. */
	__atomic_fetch_add(&s->borrowed, 1, __ATOMIC_ACQ_REL);
	if (arena_alloc(s, size, range))
		return true;
	__atomic_fetch_sub(&s->borrowed, 1, __ATOMIC_RELEASE);
	return false;
}

cl_int staging_borrow(struct session *s, uint64_t size, struct range *range)
{
	return staging_take(s, size, range, staging_try);
}

void staging_return(struct session *s, struct range range)
{
	arena_free(s, range);
	__atomic_fetch_sub(&s->borrowed, 1, __ATOMIC_RELEASE);
}

/* ---- storage of objects that are gone ----------------------------------------------------------- */

static bool may_be_used(struct session *s, uint64_t sequence)
{
	cl_command_queue q;

	for (q = s->queues; q; q = q->next) {
		uint64_t last = __atomic_load_n(&q->last, __ATOMIC_ACQUIRE);

		if (q->settled < (last < sequence ? last : sequence))
			return true;
	}
	return false;
}

/* Frees what no queue uses any more; under pending_lock. */
static void limbo_check(struct session *s)
{
	struct limbo **link = &s->limbo;

	while (*link) {
		struct limbo *l = *link;

		if (may_be_used(s, l->sequence)) {
			link = &l->next;
			continue;
		}
		*link = l->next;
		arena_free(s, l->range);
		free(l);
	}
}

void pending_free_later(struct session *s, struct range range)
{
	struct limbo *l = malloc(sizeof(*l));

	/* Without memory for this note the piece is lost to the session, no more. */
	if (!l)
		return;
	l->range = range;
	pthread_mutex_lock(&s->pending_lock);
	l->sequence = __atomic_load_n(&s->sequence, __ATOMIC_RELAXED);
	l->next = s->limbo;
	s->limbo = l;
	limbo_check(s);
	pthread_mutex_unlock(&s->pending_lock);
}

void staging_return_later(struct session *s, struct range range)
{
	pending_free_later(s, range);
	__atomic_fetch_sub(&s->borrowed, 1, __ATOMIC_RELEASE);
}

void pending_know_queue(cl_command_queue queue)
{
	struct session *s = session_of(queue);

	pthread_mutex_lock(&s->pending_lock);
	queue->next = s->queues;
	s->queues = queue;
	pthread_mutex_unlock(&s->pending_lock);
}

size_t pending_queues(struct session *s, cl_command_queue **list)
{
	cl_command_queue q;
	size_t count = 0;

	pthread_mutex_lock(&s->pending_lock);
	for (q = s->queues; q; q = q->next)
		count++;
	*list = calloc(count, sizeof(**list));
	count = 0;
	for (q = *list ? s->queues : NULL; q; q = q->next)
		if (q->settled < __atomic_load_n(&q->last, __ATOMIC_ACQUIRE) && object_hold_live(q))
			(*list)[count++] = q;
	pthread_mutex_unlock(&s->pending_lock);
	return count;
}

/* What a queue that goes may still run keeps its storage for good: nobody can be asked any more. */
void pending_forget_queue(cl_command_queue queue)
{
	struct session *s = session_of(queue);
	cl_command_queue *link;
	struct limbo *l;

	if (s != session_current())
		return;
	pthread_mutex_lock(&s->pending_lock);
	if (queue->settled < queue->last)
		while ((l = s->limbo)) {
			s->limbo = l->next;
			free(l);
		}
	for (link = &s->queues; *link != queue; link = &(*link)->next)
		;
	*link = queue->next;
	pthread_mutex_unlock(&s->pending_lock);
}
