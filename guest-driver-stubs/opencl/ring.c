/*
 * The submission ring and its answers. This side writes messages, then the head; the host takes
 * them and writes the tail. A message does not wrap: the rest of the ring is skipped by call 0.
 */
#include "notices.h"
#include "slots.h"
#include "transport.h"

#include <errno.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#define SPINS 400          /* looks at an answer before sleeping, some microseconds */
#define SPINS_SOON 6000    /* the same for one that is known to come soon, some tens of microseconds */
#define LONG_LOOK_NS 1000000 /* how long those look that may look for longer */
#define LOOKS_A_TIME 64
#define LOOK_MS 50         /* how long a sleep lasts before the connection is looked at */
#define ROOM_WAIT_NS 50000 /* between looks for room */
#define ROOM_LOOKS 200     /* before the connection is looked at */

static void pause_ns(long ns)
{
	struct timespec t = { 0, ns };

	nanosleep(&t, NULL);
}

/* ---- answers ------------------------------------------------------------------------------------ */

static void ring_doorbell(struct session *s)
{
	uint32_t *sleeping = session_word(s, AT_HOST_SLEEPING);

	if (__atomic_load_n(sleeping, __ATOMIC_SEQ_CST) &&
	    __atomic_exchange_n(sleeping, 0, __ATOMIC_SEQ_CST))
		s->transport->ring(s);
}

void ring_again(struct session *s)
{
	if (__atomic_load_n(session_word(s, AT_SUBMIT_HEAD), __ATOMIC_ACQUIRE) !=
	    __atomic_load_n(session_word(s, AT_SUBMIT_TAIL), __ATOMIC_ACQUIRE))
		ring_doorbell(s);
}

/* A GPU has work while processors have nothing to do: its library would look natively, too. */
void looks_lengthen(struct session *s)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	__atomic_store_n(&s->long_looks, processors > 0 ? (uint32_t)processors / 4 : 0, __ATOMIC_RELAXED);
}

static bool look(const uint32_t *word, int times)
{
	for (; times; times--) {
		if (__atomic_load_n(word, __ATOMIC_ACQUIRE) == ANSWERED)
			return true;
		__builtin_ia32_pause();
	}
	return false;
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void look_long(struct session *s, const uint32_t *word)
{
	uint32_t most = __atomic_load_n(&s->long_looks, __ATOMIC_RELAXED);
	int64_t end;

	if (!most)
		return;
	end = now_ns() + LONG_LOOK_NS;
	if (__atomic_fetch_add(&s->looking, 1, __ATOMIC_RELAXED) < most)
		while (!look(word, LOOKS_A_TIME) && now_ns() < end)
			;
	__atomic_fetch_sub(&s->looking, 1, __ATOMIC_RELAXED);
}

int32_t message_wait(struct session *s, struct answer *answer)
{
	uint32_t *word = slot_word(s, answer->slot);

	if (!look(word, answer->soon ? SPINS_SOON : SPINS))
		look_long(s, word);
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != ANSWERED) {
		__atomic_store_n(slot_caller(s, answer->slot), 1, __ATOMIC_SEQ_CST);
		s->transport->wait(s, word, WAITING, LOOK_MS); /* looks at it once more */
		ring_again(s);
		/* An answer that came before the end counts. A slot of an ended session is not used again. */
		if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != ANSWERED && session_probe(s)) {
			answer->status = CL_DEVICE_NOT_AVAILABLE;
			return answer->status;
		}
	}
	if (__atomic_load_n(&s->prints, __ATOMIC_RELAXED))
		notices_take_all(s);
	slot_read(s, answer);
	slot_give(s, answer->slot);
	return answer->status;
}

/* ---- messages ----------------------------------------------------------------------------------- */

int32_t message_begin(struct message *m, struct session *s, uint16_t call, size_t bytes)
{
	uint32_t header[4] = { (uint32_t)bytes, call, 0, 0 };

	if (bytes > MESSAGE_MOST_BYTES)
		return CL_OUT_OF_RESOURCES;
	if (session_has_ended(s))
		return CL_DEVICE_NOT_AVAILABLE;
	m->session = s;
	memcpy(m->bytes, header, sizeof(header));
	m->at = m->bytes + sizeof(header);
	return 0;
}

/* Waits until so many bytes of the ring are free; under ring_lock. */
static int32_t wait_for_room(struct session *s, uint32_t bytes)
{
	uint32_t looks = 0;

	while (s->head - __atomic_load_n(session_word(s, AT_SUBMIT_TAIL), __ATOMIC_ACQUIRE) >
	       RING_BYTES - bytes) {
		if (++looks % ROOM_LOOKS == 0 && session_probe(s))
			return CL_DEVICE_NOT_AVAILABLE;
		if (session_has_ended(s))
			return CL_DEVICE_NOT_AVAILABLE;
		pause_ns(ROOM_WAIT_NS);
	}
	return 0;
}

static void publish(struct session *s, uint32_t bytes)
{
	s->head += bytes;
	__atomic_store_n(session_word(s, AT_SUBMIT_HEAD), s->head, __ATOMIC_SEQ_CST);
}

/* Copies a message into the ring, after what is left at its end if it does not fit there; under ring_lock. */
static int32_t submit(struct session *s, const uint8_t *bytes, uint32_t count)
{
	uint32_t rest = RING_BYTES - (s->head & (RING_BYTES - 1));
	int32_t status;

	/* Nor may a rest be too short for the header of a message that skips it. */
	if (count > rest || rest - count == 8) {
		uint32_t skip[4] = { rest, 0, 0, 0 };

		status = wait_for_room(s, rest);
		if (status)
			return status;
		memcpy(s->memory + AT_RING + (RING_BYTES - rest), skip, sizeof(skip));
		publish(s, rest);
	}
	status = wait_for_room(s, count);
	if (status)
		return status;
	memcpy(s->memory + AT_RING + (s->head & (RING_BYTES - 1)), bytes, count);
	publish(s, count);
	return 0;
}

int32_t message_send(struct message *m, struct answer *answer)
{
	struct session *s = m->session;
	int32_t status;

	if (answer) {
		uint32_t slot;

		status = answer->has_slot ? 0 : slot_take(s, &answer->slot);
		if (status)
			return status;
		answer->has_slot = false;
		slot = answer->slot + 1;
		memcpy(m->bytes + 8, &slot, 4);
	}
	pthread_mutex_lock(&s->ring_lock);
	status = submit(s, m->bytes, (uint32_t)(m->at - m->bytes));
	pthread_mutex_unlock(&s->ring_lock);
	if (status) {
		if (answer)
			slot_give(s, answer->slot);
		return status;
	}
	ring_doorbell(s);
	return answer && !answer->later ? message_wait(s, answer) : 0;
}
