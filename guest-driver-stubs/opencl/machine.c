/*
 * A session of a process in a machine: a file of the guest driver's device. The driver makes the
 * memory and asks the host; closing the file ends the session.
 */
#include "transport.h"

#include "sluice_api.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define OPEN_LOOKS 300 /* 30 s, as long as a connection waits on the same host */
#define SEGMENT_LOOKS 10 /* other threads may wait for it */
#define AGAIN_WAIT_NS 100000000

static uint8_t *map(struct session *s, uint32_t index, uint64_t bytes)
{
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->socket,
		    (off_t)((uint64_t)index << SLUICE_API_MAP_SHIFT));
}

/* EAGAIN: the host starts a session host, anew after one has died, or is giving back what was another session's. */
static int ask(struct session *s, unsigned long request, void *argument, int looks)
{
	const struct timespec wait = { 0, AGAIN_WAIT_NS };

	while (ioctl(s->socket, request, argument)) {
		if (errno != EAGAIN || --looks == 0)
			return errno;
		nanosleep(&wait, NULL);
	}
	return 0;
}

static int machine_open(struct session *s, const char *path, uint64_t bytes)
{
	struct sluice_api_dev_open open_session = { .api = SLUICE_API_OPENCL, .bytes = bytes };
	uint8_t *memory;
	int error;

	s->socket = open(path, O_RDWR | O_CLOEXEC);
	if (s->socket < 0)
		return errno;
	error = ask(s, SLUICE_API_DEV_OPEN, &open_session, OPEN_LOOKS);
	if (error)
		return error;
	memory = map(s, 0, bytes);
	if (memory == MAP_FAILED)
		return errno;
	s->memory = memory;
	s->most_bytes = 1ull << 40; /* the driver and the host say when it is enough */
	return 0;
}

static int machine_add(struct session *s, uint32_t index, uint64_t bytes, uint8_t **memory)
{
	struct sluice_api_dev_segment segment = { .index = index, .bytes = bytes };
	int error = ask(s, SLUICE_API_DEV_SEGMENT, &segment, SEGMENT_LOOKS);

	if (error)
		return error;
	*memory = map(s, index, bytes);
	return *memory == MAP_FAILED ? errno : 0;
}

static void machine_ring(struct session *s)
{
	ioctl(s->socket, SLUICE_API_DEV_DOORBELL);
}

static int machine_look(struct session *s, uint32_t *word, uint32_t value, uint32_t timeout_ms)
{
	struct sluice_api_dev_wait wait = { .offset = (uint64_t)((uint8_t *)word - s->memory),
					    .expected = value,
					    .timeout_ms = timeout_ms };

	return ioctl(s->socket, SLUICE_API_DEV_WAIT, &wait) ? errno : 0;
}

/* Of a device that is gone the driver says so at once, for ever: who looks again and again would do nothing else. */
static void machine_wait(struct session *s, uint32_t *word, uint32_t value, uint32_t timeout_ms)
{
	const struct timespec wait = { timeout_ms / 1000, timeout_ms % 1000 * 1000000L };

	if (machine_look(s, word, value, timeout_ms) == ENODEV)
		nanosleep(&wait, NULL);
}

/* Who waits looks again soon: all waits are short. */
static void machine_wake(uint32_t *word)
{
	(void)word;
}

static bool machine_has_ended(struct session *s)
{
	return machine_look(s, session_word(s, AT_STATE), 0, 0) == ENODEV;
}

const struct transport machine_transport = {
	machine_open, machine_add, machine_ring, machine_wait, machine_wake, machine_has_ended,
};
