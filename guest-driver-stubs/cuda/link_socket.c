/*
 * A link that is a UNIX stream socket: where the daemon runs on the same system.
 */
#include "library.h"
#include "link.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

/* The descriptor goes with the first byte. */
const char *socket_send(int link, const struct relay_request *message, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	uint32_t sent = 0;

	while (sent < message->bytes) {
		struct iovec part = { (char *)message + sent, message->bytes - sent };
		struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1 };
		long count;

		if (fd >= 0 && sent == 0) {
			struct cmsghdr *rights;

			header.msg_control = control;
			header.msg_controllen = sizeof(control);
			rights = CMSG_FIRSTHDR(&header);
			rights->cmsg_level = SOL_SOCKET;
			rights->cmsg_type = SCM_RIGHTS;
			rights->cmsg_len = CMSG_LEN(sizeof(int));
			memcpy(CMSG_DATA(rights), &fd, sizeof(int));
		}
		count = syscall(SYS_sendmsg, link, &header, MSG_NOSIGNAL);
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return strerror(errno);
		sent += (uint32_t)count;
	}
	return NULL;
}

static void keep_descriptor(struct msghdr *header, int *received)
{
	struct cmsghdr *part;

	for (part = CMSG_FIRSTHDR(header); part; part = CMSG_NXTHDR(header, part)) {
		if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS ||
		    part->cmsg_len != CMSG_LEN(sizeof(int)))
			continue;
		if (*received >= 0)
			syscall(SYS_close, *received);
		memcpy(received, CMSG_DATA(part), sizeof(int));
	}
}

static long receive_some(int link, struct msghdr *header, bool first)
{
	uint64_t until = first ? link_now_ns() + LINK_SPIN_NS : 0;
	long count;

	do {
		count = syscall(SYS_recvmsg, link, header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
		if (count >= 0 || errno != EAGAIN)
			return count;
		__builtin_ia32_pause();
	} while (first && link_now_ns() < until);
	return syscall(SYS_recvmsg, link, header, MSG_CMSG_CLOEXEC);
}

/* The whole answer: nothing comes behind it. */
const char *socket_receive(int link, struct relay_reply *message, uint32_t room, int *received)
{
	const uint32_t head = sizeof(*message);
	uint32_t had = 0, whole = head;

	while (had < whole) {
		char control[CMSG_SPACE(sizeof(int))];
		struct iovec part = { (char *)message + had, room - had };
		struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
					 .msg_controllen = sizeof(control) };
		long count = receive_some(link, &header, had == 0);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return strerror(errno);
		if (count == 0)
			return "it closed the connection";
		keep_descriptor(&header, received);
		had += (uint32_t)count;
		if (had >= head)
			whole = message->bytes;
		if (had >= head && (whole < head || whole > room || whole % 8 || had > whole ||
				    (message->error && whole != head)))
			return "its reply has a wrong length";
	}
	return NULL;
}

static const char *socket_exchange(int link, void *message, uint32_t room, int fd, int *received)
{
	const char *why = socket_send(link, message, fd);

	return why ? why : socket_receive(link, message, room, received);
}

static int socket_open(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = (int)syscall(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int error;

	if (fd < 0)
		return -errno;
	strcpy(address.sun_path, path);
	if (syscall(SYS_connect, fd, &address, sizeof(address)) == 0)
		return fd;
	error = -errno;
	syscall(SYS_close, fd);
	return error;
}

static void socket_end(void)
{
}

const struct link_way link_socket = { socket_open, socket_exchange, socket_end };
