/*
 * The connection to the relay: made at first use, one request at a time, never made again.
 */
#include "library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define SPIN_NS 60000
#define HIGH_NUMBERS 900 /* programs close the low ones, and few have more open */

static enum { LINK_NEW, LINK_UP, LINK_ENDED } state;
static int connection = -1;
static struct relay_message message;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	char line[512];
	va_list values;
	int length;

	va_start(values, format);
	length = vsnprintf(line, sizeof(line), format, values);
	va_end(values);
	if (length >= (int)sizeof(line))
		length = sizeof(line) - 1;
	syscall(SYS_write, STDERR_FILENO, line, length);
}

static void link_close_locked(void)
{
	if (connection < 0)
		return;
	file_set_locked(connection, FILE_NOT_OURS, 0, 0);
	syscall(SYS_close, connection);
	connection = -1;
}

void link_end_locked(const char *why)
{
	if (state != LINK_UP)
		return;
	say("sluice: the relay at %s is gone: %s; this program's CUDA calls fail from now on, start it "
	    "again when sluiced runs\n", relay_path(), why);
	state = LINK_ENDED;
	link_close_locked();
}

void link_drop_locked(void)
{
	link_close_locked();
	state = LINK_NEW;
}

int link_move_locked(int fd, int what)
{
	long moved = syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, HIGH_NUMBERS);

	if (moved >= 0) {
		syscall(SYS_close, fd);
		fd = (int)moved;
	}
	file_set_locked(fd, what, 0, 0);
	return fd;
}

/* The descriptor goes with the first byte. */
static const char *send_locked(int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	uint32_t sent = 0;

	while (sent < message.request.bytes) {
		struct iovec part = { (char *)&message + sent, message.request.bytes - sent };
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
		count = syscall(SYS_sendmsg, connection, &header, MSG_NOSIGNAL);
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

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Looks for a while before it sleeps: most answers are there sooner than a sleeper would be awake. */
static long receive_some(struct msghdr *header, bool first)
{
	uint64_t until = first ? now_ns() + SPIN_NS : 0;
	long count;

	do {
		count = syscall(SYS_recvmsg, connection, header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
		if (count >= 0 || errno != EAGAIN)
			return count;
		__builtin_ia32_pause();
	} while (first && now_ns() < until);
	return syscall(SYS_recvmsg, connection, header, MSG_CMSG_CLOEXEC);
}

/* The whole answer: nothing comes behind it. */
static const char *receive_locked(int *received)
{
	const uint32_t head = sizeof(message.reply);
	uint32_t had = 0, whole = head;

	while (had < whole) {
		char control[CMSG_SPACE(sizeof(int))];
		struct iovec part = { (char *)&message + had, RELAY_MOST_BYTES - had };
		struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
					 .msg_controllen = sizeof(control) };
		long count = receive_some(&header, had == 0);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return strerror(errno);
		if (count == 0)
			return "it closed the connection";
		keep_descriptor(&header, received);
		had += (uint32_t)count;
		if (had >= head)
			whole = message.reply.bytes;
		if (had >= head && (whole < head || whole > RELAY_MOST_BYTES || whole % 8 || had > whole ||
				    (message.reply.error && whole != head)))
			return "its reply has a wrong length";
	}
	return NULL;
}

struct relay_message *link_begin_locked(enum relay_op op, uint32_t file)
{
	memset(&message.request, 0, sizeof(message.request));
	message.request.op = op;
	message.request.file = file;
	return &message;
}

int link_call_locked(uint32_t body_bytes, int fd, int *received)
{
	const char *why;
	int got = -1;

	if (state != LINK_UP || !relay_is_here())
		return -EIO;
	message.request.bytes = (uint32_t)sizeof(message.request) + body_bytes;
	why = send_locked(fd);
	if (!why)
		why = receive_locked(&got);
	if (got >= 0 && (why || message.reply.error || !received)) {
		syscall(SYS_close, got);
		got = -1;
	}
	if (received)
		*received = got;
	if (why) {
		link_end_locked(why);
		return -EIO;
	}
	return message.reply.error > 4095 ? -EIO : -(int)message.reply.error;
}

static int connect_locked(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = (int)syscall(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int error;

	if (fd < 0)
		return -errno;
	strcpy(address.sun_path, relay_path());
	if (syscall(SYS_connect, fd, &address, sizeof(address)) == 0) {
		connection = link_move_locked(fd, FILE_LINK);
		return 0;
	}
	error = -errno;
	syscall(SYS_close, fd);
	return error;
}

static int hello_locked(void)
{
	int error;

	link_begin_locked(RELAY_HELLO, 0)->request.argument = RELAY_VERSION;
	error = link_call_locked(0, -1, NULL);
	if (!error)
		error = shapes_read_locked(message.body, message.reply.bytes - (uint32_t)sizeof(message.reply));
	if (error && state == LINK_UP)
		link_end_locked(error == -EPROTO ? "its table is not one" : strerror(-error));
	return error;
}

int link_ready_locked(void)
{
	int error;

	if (state == LINK_ENDED)
		return -EIO;
	if (state == LINK_UP)
		return relay_is_here() ? 0 : -EIO;
	if (!relay_is_here())
		relay_is_here_now();
	fork_watch_locked();
	error = connect_locked();
	if (error) {
		say("sluice: no relay at %s: %s; is sluiced running and has the guest cuda = true?\n",
		    relay_path(), strerror(-error));
		state = LINK_ENDED;
		return -EIO;
	}
	state = LINK_UP;
	return hello_locked() ? -EIO : 0;
}
