/*
 * A link that is a session of the guest driver's device: in a machine. Messages stand in memory that
 * the relay has mapped too; one is copied before it is looked at.
 */
#include "library.h"
#include "link.h"
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OPEN_LOOKS 300
#define SEGMENT_LOOKS 10
#define AGAIN_WAIT_NS 100000000
#define WAIT_MS 500
#define MOST_WANTED 64 /* segments for one request */

static uint8_t *memory; /* segment 0; the parent's alone */
static uint32_t replies; /* that were taken */

static uint32_t word(uint32_t at)
{
	return __atomic_load_n((uint32_t *)(memory + at), __ATOMIC_ACQUIRE);
}

/* EAGAIN: the host starts what serves the session, or is giving back what was another one's. */
static int ask(int fd, unsigned long request, void *argument, int looks)
{
	const struct timespec nap = { 0, AGAIN_WAIT_NS };

	while (syscall(SYS_ioctl, fd, request, argument)) {
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN || --looks == 0)
			return errno;
		syscall(SYS_nanosleep, &nap, NULL);
	}
	return 0;
}

static int session_open(const char *path)
{
	struct session_open request = { .api = SESSION_API, .bytes = SESSION_BYTES };
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
	int error;
	long at;

	if (fd < 0)
		return -errno;
	error = -ask(fd, SESSION_DEV_OPEN, &request, OPEN_LOOKS);
	if (!error) {
		at = syscall(SYS_mmap, NULL, SESSION_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
		if (at != -1) {
			memory = (uint8_t *)at;
			replies = 0;
			return fd;
		}
		error = -errno;
	}
	syscall(SYS_close, fd);
	return error;
}

/* What the program has mapped of the session, and its events, keep that until they are gone. */
static void session_end(void)
{
	syscall(SYS_munmap, memory, SESSION_BYTES);
	memory = NULL;
}

static bool is_answered(void)
{
	return word(SESSION_REPLIES) != replies;
}

static const char *sleep_until_answered(int link)
{
	struct session_wait wait = { SESSION_REPLIES, replies, WAIT_MS };
	int error;

	while (!is_answered()) {
		error = syscall(SYS_ioctl, link, SESSION_DEV_WAIT, &wait) ? errno : 0;
		if (is_answered())
			break;
		if (word(SESSION_STATE))
			return strerror((int)word(SESSION_STATE));
		if (error && error != ETIMEDOUT && error != EINTR)
			return strerror(error);
	}
	return NULL;
}

/* Tells of the message that stands there, and waits for what comes in its place. */
static const char *take_turns(int link)
{
	uint64_t until = link_now_ns() + LINK_SPIN_NS;
	const char *why;

	__atomic_add_fetch((uint32_t *)(memory + SESSION_REQUESTS), 1, __ATOMIC_RELEASE);
	syscall(SYS_ioctl, link, SESSION_DEV_DOORBELL);
	while (!is_answered() && link_now_ns() < until)
		__builtin_ia32_pause();
	why = sleep_until_answered(link);
	if (!why)
		replies = word(SESSION_REPLIES);
	return why;
}

/* Makes the segment that the relay wants, and a message that says so. */
static void give(int link, uint32_t index)
{
	struct session_segment segment = { .index = index };
	struct relay_request request = { .bytes = sizeof(request), .op = RELAY_MEMORY };

	memcpy(&segment.bytes, memory + SESSION_WANTED_BYTES, sizeof(segment.bytes));
	request.argument = (uint32_t)ask(link, SESSION_DEV_SEGMENT, &segment, SEGMENT_LOOKS);
	memcpy(memory + SESSION_MESSAGE, &request, sizeof(request));
}

static const char *take(struct relay_reply *message, uint32_t room)
{
	const uint32_t head = sizeof(*message), bytes = word(SESSION_MESSAGE);

	if (bytes < head || bytes > room || bytes % 8)
		return "its reply has a wrong length";
	memcpy(message, memory + SESSION_MESSAGE, bytes);
	message->bytes = bytes;
	return message->error && bytes != head ? "its reply has a wrong length" : NULL;
}

static const char *session_exchange(int link, void *message, uint32_t room, int fd, int *received)
{
	const struct relay_request *request = message;
	uint32_t wanted, given = 0;
	const char *why;

	(void)fd; /* none goes or comes */
	(void)received;
	memcpy(memory + SESSION_MESSAGE, message, request->bytes);
	while (!(why = take_turns(link)) && (wanted = word(SESSION_WANTED))) {
		if (given++ == MOST_WANTED)
			return "it wants memory without end";
		give(link, wanted);
	}
	return why ? why : take(message, room);
}

const struct link_way link_session = { session_open, session_exchange, session_end };
