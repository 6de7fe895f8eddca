/*
 * The connection to a session host on the same host: hello, then segments of memory. The end of the
 * connection ends the session.
 */
#include "transport.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>

#define MAGIC 0x53414c53u
#define VERSION 1
#define LINK_BYTES 32
#define SEGMENT_ADDED 1
#define ANSWER_SECONDS 30

/* A memory file of fixed size, mapped. */
static int memory_create(uint64_t bytes, uint8_t **memory)
{
	int fd = memfd_create("sluice-opencl", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -1;
	if (ftruncate(fd, (off_t)bytes) == 0 &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
		*memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (*memory != MAP_FAILED)
			return fd;
	}
	close(fd);
	return -1;
}

static bool link_send(int socket, const void *message, const int *fds, size_t fd_count)
{
	char control[CMSG_SPACE(2 * sizeof(int))] = { 0 };
	struct iovec part = { (void *)message, LINK_BYTES };
	struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
				 .msg_controllen = CMSG_SPACE(fd_count * sizeof(int)) };
	struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
	ssize_t sent;

	rights->cmsg_level = SOL_SOCKET;
	rights->cmsg_type = SCM_RIGHTS;
	rights->cmsg_len = CMSG_LEN(fd_count * sizeof(int));
	memcpy(CMSG_DATA(rights), fds, fd_count * sizeof(int));
	do
		sent = sendmsg(socket, &header, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent == LINK_BYTES;
}

/* PATIENT: beyond ANSWER_SECONDS, too. */
static bool link_receive(int socket, void *message, bool patient)
{
	size_t got = 0;

	while (got < LINK_BYTES) {
		ssize_t count = recv(socket, (char *)message + got, LINK_BYTES - got, 0);

		if (count < 0 && (errno == EINTR || (patient && errno == EAGAIN)))
			continue;
		if (count <= 0)
			return false;
		got += (size_t)count;
	}
	return true;
}

static int connect_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct timeval patience = { .tv_sec = ANSWER_SECONDS };
	int fd;

	if (strlen(path) >= sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return fd;
	close(fd);
	return -1;
}

static bool hello(struct session *s, int memory_fd, uint64_t bytes)
{
	uint64_t message[4] = { MAGIC | (uint64_t)VERSION << 32 | (uint64_t)SLUICE_API_OPENCL << 48,
				bytes, 0, 0 };
	int fds[2] = { memory_fd, s->doorbell };

	if (!link_send(s->socket, message, fds, 2) || !link_receive(s->socket, message, false))
		return false;
	errno = (int)(message[0] >> 48);
	s->number = message[1];
	s->most_bytes = message[2];
	return (uint32_t)message[0] == MAGIC && errno == 0;
}

static int link_open(struct session *s, const char *path, uint64_t bytes)
{
	int memory_fd = -1;
	int error = 0;

	s->socket = connect_to(path);
	if (s->socket >= 0)
		s->doorbell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->doorbell >= 0)
		memory_fd = memory_create(bytes, &s->memory);
	if (memory_fd < 0)
		return errno;
	*session_word(s, AT_MAGIC) = MAGIC;
	*session_word(s, AT_VERSION) = VERSION;
	if (!hello(s, memory_fd, bytes)) {
		error = errno ? errno : EPROTO;
		munmap(s->memory, bytes);
	}
	close(memory_fd);
	return error;
}

static int link_add(struct session *s, uint32_t index, uint64_t bytes, uint8_t **memory)
{
	uint64_t message[4] = { SEGMENT_ADDED | (uint64_t)index << 32, bytes, 0, 0 };
	int fd = memory_create(bytes, memory);
	int error = 0;

	if (fd < 0)
		return errno;
	/* Whoever gives up here takes the answer for that to its next message: a session that moves may take its time. */
	if (!link_send(s->socket, message, &fd, 1) || !link_receive(s->socket, message, true))
		error = EPIPE;
	else if ((int64_t)message[1] < 0)
		error = (int)-(int64_t)message[1];
	close(fd);
	if (error)
		munmap(*memory, bytes);
	return error;
}

static void link_ring(struct session *s)
{
	uint64_t one = 1;

	while (write(s->doorbell, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

static void link_wait(struct session *s, uint32_t *word, uint32_t value, uint32_t timeout_ms)
{
	struct timespec t = { timeout_ms / 1000, timeout_ms % 1000 * 1000000L };

	(void)s;
	syscall(SYS_futex, word, FUTEX_WAIT, value, &t, NULL, 0);
}

static void link_wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static bool link_has_ended(struct session *s)
{
	char byte;
	ssize_t got = recv(s->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

	return !(got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR)));
}

const struct transport link_transport = {
	link_open, link_add, link_ring, link_wait, link_wake, link_has_ended,
};
