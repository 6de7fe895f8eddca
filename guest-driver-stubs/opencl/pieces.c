/*
 * Large reads and writes of buffers, which pass in pieces: this side copies one while the host moves
 * another. Small pieces are those of the host's processors: the host copies them itself while their
 * queue has nothing else to do. In a queue in order nothing comes between two pieces: it would find, or
 * leave, half of the bytes.
 */
#include "slots.h"
#include "transfer.h"

#define PIECES 8 /* at once */
#define PIECE_BYTES (1u << 20)
#define SMALL_PIECE_BYTES (128u << 10)
#define STREAMED_BYTES (4u << 20) /* no cache has it when all of it is there */

struct piece {
	struct command command;
	struct range range;
	size_t at;
	cl_int status;
};

/* A transfer under way. */
struct stream {
	struct transfer t;
	struct session *s;
	struct range range; /* of the pieces at once */
	size_t offset, piece_bytes, count, sent, done;
	bool held; /* the queue's lock: its queue has nothing else to do, and nothing else comes between */
	struct piece piece[PIECES];
};

/* The host's processors, and a buffer in a queue in order. */
static bool in_small_pieces(const struct transfer *t)
{
	return queue_in_order(t->queue) && !t->mem->parent &&
	       device_number(t->queue->device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU;
}

static size_t least_of(size_t one, size_t other)
{
	return one < other ? one : other;
}

/* Whether nothing is known to be under way in a queue. */
static bool is_quiet(cl_command_queue queue)
{
	return __atomic_load_n(&queue->settled, __ATOMIC_RELAXED) >= __atomic_load_n(&queue->last, __ATOMIC_RELAXED);
}

/* Reads that nobody waits for are copied when they are known to be done. */
bool pieces_suit(const struct transfer *t)
{
	size_t bytes = layout_bytes(&t->layout);

	return bytes > 2 * SMALL_PIECE_BYTES && t->box_count == 0 &&
	       (t->blocking || (t->write && queue_in_order(t->queue))) &&
	       (bytes > 2 * PIECE_BYTES || in_small_pieces(t));
}

/* ---- one piece ---------------------------------------------------------------------------------- */

/* The lock of the queue, unless the stream has it anyway. */
static bool take_queue(struct stream *st, bool waits)
{
	return st->held || (waits ? pthread_mutex_lock : pthread_mutex_trylock)(&st->t.queue->lock) == 0;
}

static void give_queue(struct stream *st)
{
	if (!st->held)
		pthread_mutex_unlock(&st->t.queue->lock);
}

/* Under the queue's lock, which it gives back. */
static cl_int send_piece(struct stream *st, struct piece *p)
{
	struct transfer *t = &st->t;
	bool with_event = (t->event && st->sent == st->count - 1) || !p->command.answer.has_slot;
	cl_int status = command_begin_held(&p->command, t->queue, t->type, t->wait_count, t->waits, with_event);

	if (status != CL_SUCCESS) {
		give_queue(st);
		return status;
	}
	t->offset = st->offset + p->at;
	status = transfer_send(t, &p->command, p->range, command_answer(&p->command));
	command_sent_held(&p->command);
	give_queue(st);
	if (status != CL_SUCCESS)
		command_result(&p->command, status, false, NULL);
	return status;
}

/* Fills the next piece and sends it, unless it would have to wait for the queue. */
static bool fill_and_send(struct stream *st, struct piece *p, bool waits)
{
	p->at = st->sent * st->piece_bytes;
	p->range.place = st->range.place + st->sent % PIECES * st->piece_bytes;
	p->range.size = least_of(st->t.layout.row_bytes - p->at, st->piece_bytes);
	if (st->t.write)
		memcpy(arena_at(st->s, p->range), (const uint8_t *)st->t.layout.at + p->at, p->range.size);
	if (!take_queue(st, waits)) {
		slot_give(st->s, p->command.answer.slot);
		return false;
	}
	p->status = send_piece(st, p);
	st->sent++;
	return true;
}

static struct answer answer_wanted(const struct stream *st)
{
	bool soon = st->held && st->piece_bytes == SMALL_PIECE_BYTES;

	return (struct answer){ .later = true, .soon = soon };
}

/* Sends one while none is under way. With the queue's lock it does not last: nothing is before it. */
static void send_first(struct stream *st)
{
	struct piece *p = &st->piece[st->sent % PIECES];
	struct answer *answer = &p->command.answer;

	*answer = answer_wanted(st);
	answer->has_slot = st->held ? slot_take(st->s, &answer->slot) == CL_SUCCESS :
				      slot_try(st->s, 0, &answer->slot);
	fill_and_send(st, p, true);
}

/*
 * Sends one more, if it need not wait: those under way have places for answers, which whoever has the
 * queue may wait for.
 */
static bool send_another(struct stream *st)
{
	struct piece *p = &st->piece[st->sent % PIECES];

	p->command.answer = answer_wanted(st);
	p->command.answer.has_slot = slot_try(st->s, 0, &p->command.answer.slot);
	return p->command.answer.has_slot && fill_and_send(st, p, false);
}

static void let_go(struct stream *st)
{
	if (st->held)
		pthread_mutex_unlock(&st->t.queue->lock);
	st->held = false;
}

/* A small piece is in a cache, since a processor has just copied it. */
static void copy_out(struct stream *st, const struct piece *p)
{
	bool streamed = st->t.layout.row_bytes >= STREAMED_BYTES && st->piece_bytes == PIECE_BYTES;
	void *to = (uint8_t *)st->t.layout.at + p->at;

	if (streamed)
		stream_copy(to, arena_at(st->s, p->range), p->range.size);
	else
		memcpy(to, arena_at(st->s, p->range), p->range.size);
}

/* What the last one settles calls others: not with the queue's lock. */
static cl_int wait_next(struct stream *st)
{
	struct transfer *t = &st->t;
	struct piece *p = &st->piece[st->done % PIECES];
	bool last = ++st->done == st->count;

	if (last)
		let_go(st);
	if (p->status == CL_SUCCESS && st->held)
		p->status = message_wait(st->s, &p->command.answer);
	else if (p->status == CL_SUCCESS)
		p->status = command_result(&p->command, CL_SUCCESS, true, last ? t->event : NULL);
	if (p->status == CL_SUCCESS && !t->write)
		copy_out(st, p);
	return p->status;
}

/* ---- all of them -------------------------------------------------------------------------------- */

static bool hold_if_quiet(struct stream *st)
{
	pthread_mutex_lock(&st->t.queue->lock);
	st->held = queue_in_order(st->t.queue) && is_quiet(st->t.queue);
	if (!st->held)
		pthread_mutex_unlock(&st->t.queue->lock);
	return st->held;
}

/* One alone, where there is something to wait for: then those behind it need not, and none runs if it fails. */
static cl_int run_first(struct stream *st)
{
	cl_int status;

	send_first(st);
	status = wait_next(st);
	st->t.wait_count = 0;
	st->t.waits = NULL;
	return status;
}

/* Waits for what is before it and takes the queue then, unless others have given it more. */
static cl_int hold_later(struct stream *st)
{
	struct transfer before = st->t;
	cl_int status;

	before.event = NULL;
	status = transfer_empty(&before);
	st->t.wait_count = 0;
	st->t.waits = NULL;
	if (status == CL_SUCCESS)
		hold_if_quiet(st);
	return status;
}

static void send_some(struct stream *st)
{
	if (st->sent == st->done)
		send_first(st);
	while (st->sent < st->count && st->sent < st->done + PIECES && send_another(st))
		;
}

static cl_int run_all(struct stream *st)
{
	cl_int status = CL_SUCCESS;

	if (st->t.wait_count)
		status = run_first(st);
	while (st->done < st->count && (status == CL_SUCCESS || st->done < st->sent)) {
		cl_int result;

		if (status == CL_SUCCESS)
			send_some(st);
		result = wait_next(st);
		if (status == CL_SUCCESS)
			status = result;
	}
	let_go(st);
	return status;
}

/* A write that nobody waits for, of a queue that has other things to do: its last piece is done when all are. */
static cl_int write_later(const struct transfer *whole, struct session *s)
{
	struct transfer t = *whole;
	size_t total = t.layout.row_bytes, at, bytes;
	struct range range;
	cl_int status = staging_borrow(s, total, &range);

	if (status != CL_SUCCESS)
		return status;
	pthread_mutex_lock(&t.queue->lock);
	for (at = 0; status == CL_SUCCESS && at < total; at += bytes) {
		bytes = least_of(total - at, PIECE_BYTES);

		struct range piece = { range.place + at, bytes };
		bool last = at + bytes == total;
		struct command c;

		memcpy(arena_at(s, piece), (const uint8_t *)t.layout.at + at, bytes);
		t.offset = whole->offset + at;
		c.answer = (struct answer){ .later = true };
		status = command_begin_held(&c, t.queue, t.type, t.wait_count, t.waits, last);
		if (status != CL_SUCCESS)
			break;
		status = transfer_send(&t, &c, piece, NULL);
		if (status == CL_SUCCESS && last)
			status = pending_add(&c, range, true, NULL, NULL);
		command_sent_held(&c);
		status = command_result(&c, status, false, last ? t.event : NULL);
	}
	pthread_mutex_unlock(&t.queue->lock);
	if (status != CL_SUCCESS)
		staging_return_later(s, range);
	return status;
}

cl_int pieces_run(const struct transfer *t)
{
	struct stream st = { .t = *t, .s = session_of(t->queue), .offset = t->offset };
	struct range whole;
	bool in_turn;
	cl_int status;

	/* One that nobody waits for takes no longer than its bytes do, if nothing is before it. */
	if (!t->blocking && (t->wait_count || !in_small_pieces(t) || !is_quiet(t->queue)))
		return write_later(t, st.s);
	st.piece_bytes = in_small_pieces(t) ? SMALL_PIECE_BYTES : PIECE_BYTES;
	st.count = (t->layout.row_bytes + st.piece_bytes - 1) / st.piece_bytes;
	status = staging_borrow(st.s, PIECES * st.piece_bytes, &st.range);
	if (status != CL_SUCCESS)
		return status;
	if (!t->wait_count && !hold_if_quiet(&st) && !t->blocking) {
		staging_return(st.s, st.range);
		return write_later(t, st.s);
	}
	in_turn = st.held || !queue_in_order(t->queue);
	if (!in_turn)
		status = hold_later(&st);
	if (status == CL_SUCCESS && !in_turn && !st.held && staging_try(st.s, t->layout.row_bytes, &whole))
		status = transfer_whole(&st.t, st.s, whole); /* in pieces only where there is no room for it */
	else if (status == CL_SUCCESS)
		status = run_all(&st);
	staging_return(st.s, st.range);
	return status;
}
