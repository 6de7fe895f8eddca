/*
 * The two ways to the relay, behind link.c.
 */
#ifndef SLUICE_CUDA_LINK_H
#define SLUICE_CUDA_LINK_H

#include <stdint.h>
#include <time.h>

/* How long an answer is looked for before this sleeps: most are there sooner than a sleeper would be awake. */
#define LINK_SPIN_NS 60000

struct link_way {
	/* A descriptor for the link, or a negative errno. */
	int (*open)(const char *path);
	/*
	 * Sends a message, and a descriptor unless that is -1, and has the reply in its place, of at most
	 * so many bytes, and in *received a descriptor that came with it. NULL, or what is wrong.
	 */
	const char *(*exchange)(int link, void *message, uint32_t room, int fd, int *received);
	/* Lets go of what open has made beside the descriptor. Not called in the child of a fork. */
	void (*end)(void);
};

extern const struct link_way link_socket, link_session;

struct relay_request;
struct relay_reply;

/* Sends a message by a socket, and a descriptor unless that is -1. NULL, or what is wrong. */
const char *socket_send(int link, const struct relay_request *message, int fd);
/* Receives one of at most so many bytes, and a descriptor that came with it. NULL, or what is wrong. */
const char *socket_receive(int link, struct relay_reply *message, uint32_t room, int *received);

static inline uint64_t link_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
