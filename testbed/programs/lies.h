/*
 * What programs have in common that lie through the device file of API sessions: its calls as they are, with
 * negative errnos, and a session with its memory.
 */
#ifndef LIES_H
#define LIES_H

#include "check.h"

#include "../include/sluice_abi.h"
#include "../linux/uapi/sluice_api.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#define DEVICE "/dev/sluice-api0"
#define LOOK_MS 100
#define LOOKS 600
#define FIRST_BYTES (((uint64_t)SLUICE_API_SEGMENT_LEAST + PAGE - 1) & ~(uint64_t)(PAGE - 1))

struct session {
	int fd;
	uint8_t *memory;
};

static uint32_t seed = 1;

static inline uint32_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

static inline uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static inline int result(int ret)
{
	return ret < 0 ? -errno : 0;
}

static inline int device(void)
{
	int fd = open(DEVICE, O_RDWR | O_CLOEXEC);

	must("open " DEVICE, result(fd));
	return fd;
}

/* ---- calls -------------------------------------------------------------------------------------- */

static inline int api_open(int fd, uint32_t api, uint64_t bytes, uint32_t pad)
{
	struct sluice_api_dev_open request = { api, pad, bytes };

	return result(ioctl(fd, SLUICE_API_DEV_OPEN, &request));
}

static inline int api_segment(int fd, uint32_t index, uint64_t bytes, uint32_t pad)
{
	struct sluice_api_dev_segment request = { index, pad, bytes };

	return result(ioctl(fd, SLUICE_API_DEV_SEGMENT, &request));
}

static inline int api_wait(int fd, uint64_t offset, uint32_t expected, uint32_t timeout_ms)
{
	struct sluice_api_dev_wait request = { offset, expected, timeout_ms };

	return result(ioctl(fd, SLUICE_API_DEV_WAIT, &request));
}

static inline int api_ring(int fd)
{
	return result(ioctl(fd, SLUICE_API_DEV_DOORBELL));
}

/* A descriptor for a word of which a value was seen, or a negative errno. */
static inline int api_event(int fd, uint64_t offset, uint32_t seen)
{
	struct sluice_api_dev_event request = { .offset = offset, .seen = seen };
	int event = ioctl(fd, SLUICE_API_DEV_EVENT, &request);

	return event < 0 ? -errno : event;
}

static inline int api_map(int fd, uint64_t index, uint64_t page, uint64_t bytes, int flags)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd,
			(off_t)(index << SLUICE_API_MAP_SHIFT | page * PAGE));

	if (at == MAP_FAILED)
		return -errno;
	munmap(at, bytes);
	return 0;
}

static inline void look_again(void)
{
	const struct timespec wait = { 0, LOOK_MS * 1000000 };

	nanosleep(&wait, NULL);
}

/* A session, tried again while its host is being started, others come too fast, or all places are taken. */
static inline struct session session_open(uint32_t api)
{
	struct session s = { .fd = device() };
	int ret = -EAGAIN, looks;

	for (looks = 0; looks < LOOKS && (ret == -EAGAIN || ret == -EDQUOT); looks++) {
		if (looks)
			look_again();
		ret = api_open(s.fd, api, FIRST_BYTES, 0);
	}
	must("a session", ret);
	s.memory = mmap(NULL, FIRST_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, s.fd, 0);
	must("its memory", s.memory == MAP_FAILED ? -errno : 0);
	return s;
}

static inline void session_close(struct session *s)
{
	munmap(s->memory, FIRST_BYTES);
	close(s->fd);
}

static inline uint32_t *word(const struct session *s, uint32_t at)
{
	return (uint32_t *)(s->memory + at);
}

static inline uint32_t state(const struct session *s)
{
	return __atomic_load_n(word(s, SLUICE_API_STATE), __ATOMIC_ACQUIRE);
}

/* What the host says when it has ended the session; 0 if it does not. */
static inline uint32_t await_end(const struct session *s)
{
	int looks;

	for (looks = 0; looks < LOOKS && state(s) == 0; looks++)
		api_wait(s->fd, SLUICE_API_STATE, 0, LOOK_MS);
	return state(s);
}

/* Becomes a user who may do nothing. */
static inline void become(uid_t user)
{
	if (setgroups(0, NULL) || setgid(user) || setuid(user)) {
		perror("setuid");
		_exit(1);
	}
}

#endif /* LIES_H */
