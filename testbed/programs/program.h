/*
 * A CUDA program as the host sees it, by the words and messages of its session, without the library: each can be
 * said wrong.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "lies.h"

#include "../cuda/relay.h"
#include "../cuda/session.h"

#define NAME_BYTES 56

/* What becomes of a request, beside an answer. */
#define WANTS 1
#define ENDED ESHUTDOWN

struct program {
	struct session session;
	uint32_t replies; /* that were taken */
	struct relay_reply reply;
};

static inline void pause_ms(uint32_t ms)
{
	const struct timespec wait = { ms / 1000, (long)(ms % 1000) * 1000000 };

	nanosleep(&wait, NULL);
}

static inline uint32_t look(const struct program *s, uint32_t at)
{
	return __atomic_load_n(word(&s->session, at), __ATOMIC_ACQUIRE);
}

static inline int open_once(struct program *s)
{
	int ret;

	memset(s, 0, sizeof(*s));
	s->session.fd = device();
	ret = api_open(s->session.fd, SESSION_API, SESSION_BYTES, 0);
	if (ret) {
		close(s->session.fd);
		return ret;
	}
	s->session.memory = mmap(NULL, SESSION_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, s->session.fd, 0);
	must("a session's memory", s->session.memory == MAP_FAILED ? -errno : 0);
	return 0;
}

/* Tried again while there are too many, or they come too fast. */
static inline struct program program_raw(void)
{
	struct program s;
	int ret = -EAGAIN, looks;

	for (looks = 0; looks < LOOKS && (ret == -EAGAIN || ret == -EDQUOT); looks++) {
		if (looks)
			pause_ms(LOOK_MS);
		ret = open_once(&s);
	}
	must("a session", ret);
	return s;
}

static inline void program_close(struct program *s)
{
	munmap(s->session.memory, SESSION_BYTES);
	close(s->session.fd);
}

static inline void ring(const struct program *s)
{
	__atomic_add_fetch(word(&s->session, SESSION_REQUESTS), 1, __ATOMIC_SEQ_CST);
	api_ring(s->session.fd);
}

/* Waits for what comes of a request: 0, an errno of the answer, WANTS, or ENDED. */
static inline int await(struct program *s, int looks)
{
	while (looks-- > 0 && look(s, SESSION_REPLIES) == s->replies) {
		if (look(s, SESSION_STATE))
			return -ENDED;
		api_wait(s->session.fd, SESSION_REPLIES, s->replies, LOOK_MS);
	}
	if (look(s, SESSION_REPLIES) == s->replies)
		return -ETIMEDOUT;
	s->replies = look(s, SESSION_REPLIES);
	if (look(s, SESSION_WANTED))
		return WANTS;
	memcpy(&s->reply, s->session.memory + SESSION_MESSAGE, sizeof(s->reply));
	return -(int)s->reply.error;
}

static inline void put(const struct program *s, struct relay_request request, const void *body, uint32_t bytes)
{
	request.bytes = sizeof(request) + bytes;
	memcpy(s->session.memory + SESSION_MESSAGE, &request, sizeof(request));
	if (bytes)
		memcpy(s->session.memory + SESSION_MESSAGE + sizeof(request), body, bytes);
}

static inline int ask(struct program *s, struct relay_request request, const void *body, uint32_t bytes)
{
	put(s, request, body, bytes);
	ring(s);
	return await(s, LOOKS);
}

static inline int greet(struct program *s, uint32_t version)
{
	return ask(s, (struct relay_request){ .op = RELAY_HELLO, .argument = version }, NULL, 0);
}

static inline struct program program_open(void)
{
	struct program s = program_raw();

	must("a greeting", greet(&s, RELAY_VERSION));
	return s;
}

static inline int open_node(struct program *s, const char *name)
{
	char body[NAME_BYTES] = "";

	strncpy(body, name, sizeof(body) - 1);
	return ask(s, (struct relay_request){ .op = RELAY_OPEN }, body, sizeof(body));
}

static inline int close_file(struct program *s, uint32_t file)
{
	return ask(s, (struct relay_request){ .op = RELAY_CLOSE, .file = file }, NULL, 0);
}

static inline int reserve(struct program *s, uint64_t bytes)
{
	return ask(s, (struct relay_request){ .op = RELAY_RESERVE, .length = bytes }, NULL, 0);
}

static inline int release(struct program *s, uint32_t segment, uint64_t offset)
{
	return ask(s, (struct relay_request){ .op = RELAY_RELEASE, .file = segment, .address = offset }, NULL, 0);
}

/* What the program says of memory that was wanted. */
static inline int says(struct program *s, int error)
{
	return ask(s, (struct relay_request){ .op = RELAY_MEMORY, .argument = (uint32_t)error }, NULL, 0);
}

static inline int segment(const struct program *s, uint32_t index, uint64_t bytes)
{
	return api_segment(s->session.fd, index, bytes, 0);
}

static inline uint64_t wanted_bytes(const struct program *s)
{
	uint64_t bytes;

	memcpy(&bytes, s->session.memory + SESSION_WANTED_BYTES, sizeof(bytes));
	return bytes;
}

static inline bool wants(const struct program *s, uint32_t index, uint64_t bytes)
{
	return look(s, SESSION_WANTED) == index && wanted_bytes(s) == bytes;
}

/* One block, the argument of an escape or a command. */
static inline int call(struct program *s, uint32_t file, uint32_t request, void *argument, uint32_t bytes)
{
	uint8_t body[8 + 4096] = { 0 };
	uint32_t padded = (bytes + 7) & ~7u;
	int ret;

	memcpy(body, &bytes, sizeof(bytes));
	memcpy(body + 8, argument, bytes);
	ret = ask(s, (struct relay_request){ .op = RELAY_IOCTL, .file = file, .argument = request, .length = 1 }, body,
		  8 + padded);
	if (ret == 0 && s->reply.bytes >= sizeof(s->reply) + 8 + padded)
		memcpy(argument, s->session.memory + SESSION_MESSAGE + sizeof(s->reply) + 8, bytes);
	return ret;
}

static inline int map(struct program *s, uint32_t file, uint64_t address, uint64_t length)
{
	uint64_t offset = 0;

	return ask(s, (struct relay_request){ .op = RELAY_MAP, .file = file, .argument = PROT_READ, .address = address,
					      .length = length },
		   &offset, sizeof(offset));
}

static inline bool works_on(struct program *s)
{
	return open_node(s, "nvidiactl") == 0 && close_file(s, s->reply.file) == 0;
}

#endif
