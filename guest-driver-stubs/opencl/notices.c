/*
 * The host's notices. The thread that watches events takes them, and, once a kernel may print, also
 * whoever has an answer: text is out before the application can see that its command is done.
 */
#include "notices.h"
#include "transport.h"

#include <errno.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#define NOTICE_EVENT 1
#define NOTICE_TEXT 2
#define TEXT_BYTES 8 /* in one notice */
#define PIECE_BYTES 4096
#define ROOM_WAIT_NS 50000 /* between looks for more */

struct text {
	char bytes[PIECE_BYTES];
	size_t count;
};

/* Past the application's buffers, as libraries do that run kernels in its process. */
static void text_write(struct text *t)
{
	const char *at = t->bytes;

	while (t->count > 0) {
		ssize_t written = write(STDOUT_FILENO, at, t->count);

		if (written < 0 && errno == EAGAIN) {
			struct pollfd room = { .fd = STDOUT_FILENO, .events = POLLOUT };

			poll(&room, 1, -1);
		} else if (written < 0 && errno != EINTR) {
			t->count = 0; /* nobody reads it */
		} else if (written > 0) {
			at += written;
			t->count -= (size_t)written;
		}
	}
}

static void text_add(struct text *t, const uint32_t notice[4])
{
	uint32_t count = notice[0] >> 16;

	if (count > TEXT_BYTES)
		return;
	if (t->count + count > sizeof(t->bytes))
		text_write(t);
	memcpy(t->bytes + t->count, &notice[1], count);
	t->count += count;
}

/* Takes one of the ring, if there is any, and room for it. */
static bool take(struct session *s, struct text *t)
{
	uint32_t *tail = session_word(s, AT_NOTICE_TAIL);
	uint32_t at = *tail;
	uint32_t notice[4];

	if (at == __atomic_load_n(session_word(s, AT_NOTICE_HEAD), __ATOMIC_ACQUIRE) ||
	    s->told_head - s->told_tail == NOTICE_COUNT)
		return false;
	memcpy(notice, s->memory + AT_NOTICES + (at & (NOTICE_COUNT - 1)) * NOTICE_BYTES, sizeof(notice));
	__atomic_store_n(tail, at + 1, __ATOMIC_RELEASE);
	if ((notice[0] & 0xffff) == NOTICE_TEXT)
		text_add(t, notice);
	else if (notice[0] == NOTICE_EVENT)
		s->told[s->told_head++ & (NOTICE_COUNT - 1)] =
			(struct told){ .index = notice[2], .status = (int32_t)notice[1] };
	return true;
}

void notices_take(struct session *s)
{
	struct text text = { .count = 0 };
	uint32_t told;

	pthread_mutex_lock(&s->notice_lock);
	told = s->told_head;
	while (take(s, &text))
		;
	text_write(&text);
	told = s->told_head - told;
	pthread_mutex_unlock(&s->notice_lock);
	/* The watcher may have looked before this thread took them. */
	if (told && __atomic_exchange_n(session_word(s, AT_NOTICE_SLEEPING), 0, __ATOMIC_SEQ_CST))
		s->transport->wake(session_word(s, AT_NOTICE_SLEEPING));
}

/* Whether there is room for those of events; else the watcher is in a callback, which may wait for this thread. */
static bool has_room(struct session *s)
{
	bool room;

	pthread_mutex_lock(&s->notice_lock);
	room = s->told_head - s->told_tail < NOTICE_COUNT;
	pthread_mutex_unlock(&s->notice_lock);
	return room;
}

void notices_take_all(struct session *s)
{
	const struct timespec pause = { .tv_nsec = ROOM_WAIT_NS };

	for (;;) {
		uint32_t wait = __atomic_load_n(session_word(s, AT_NOTICES_WAIT), __ATOMIC_ACQUIRE);

		notices_take(s);
		if (!wait || !has_room(s) || session_probe(s))
			return;
		nanosleep(&pause, NULL);
	}
}

bool notices_next(struct session *s, uint32_t *index, int32_t *status)
{
	bool any;

	notices_take(s);
	pthread_mutex_lock(&s->notice_lock);
	any = s->told_tail != s->told_head;
	if (any) {
		const struct told *told = &s->told[s->told_tail++ & (NOTICE_COUNT - 1)];

		*index = told->index;
		*status = told->status;
	}
	pthread_mutex_unlock(&s->notice_lock);
	return any;
}

bool notices_wait(struct session *s)
{
	bool any;

	pthread_mutex_lock(&s->notice_lock);
	any = s->told_tail != s->told_head || *session_word(s, AT_NOTICE_TAIL) !=
						      __atomic_load_n(session_word(s, AT_NOTICE_HEAD), __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&s->notice_lock);
	return any;
}
