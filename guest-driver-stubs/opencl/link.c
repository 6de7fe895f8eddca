/*
 * The connection to the session host: hello, then segments of memory. The end of the connection
 * ends the session.
 */
#include "session.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <fcntl.h>

#define MAGIC 0x53414c53u
#define VERSION 1
#define LINK_BYTES 32
#define SEGMENT_ADDED 1
#define FIRST_BYTES (16ull << 20)
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

static bool link_receive(int socket, void *message)
{
	size_t got = 0;

	while (got < LINK_BYTES) {
		ssize_t count = recv(socket, (char *)message + got, LINK_BYTES - got, 0);

		if (count < 0 && errno == EINTR)
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

static bool hello(struct session *s, int memory_fd)
{
	uint64_t message[4] = { MAGIC | (uint64_t)VERSION << 32 | (uint64_t)SLUICE_API_OPENCL << 48,
				FIRST_BYTES, 0, 0 };
	int fds[2] = { memory_fd, s->doorbell };

	if (!link_send(s->socket, message, fds, 2) || !link_receive(s->socket, message))
		return false;
	errno = (int)(message[0] >> 48);
	s->number = message[1];
	s->most_bytes = message[2];
	return (uint32_t)message[0] == MAGIC && errno == 0;
}

static struct session *session_new(void)
{
	static const uint32_t most[KINDS] = {
		0, KIND_PLATFORM_MOST, KIND_DEVICE_MOST, KIND_CONTEXT_MOST, KIND_QUEUE_MOST, KIND_MEM_MOST,
		KIND_SAMPLER_MOST, KIND_PROGRAM_MOST, KIND_KERNEL_MOST, KIND_EVENT_MOST,
	};
	struct session *s = calloc(1, sizeof(*s));
	uint32_t kind;

	if (!s)
		return NULL;
	s->socket = s->doorbell = -1;
	s->free_slots = ~0ull;
	s->pending_end = &s->pending;
	pthread_mutex_init(&s->ring_lock, NULL);
	pthread_mutex_init(&s->arena_lock, NULL);
	pthread_mutex_init(&s->index_lock, NULL);
	pthread_mutex_init(&s->pending_lock, NULL);
	pthread_mutex_init(&s->watch_lock, NULL);
	for (kind = 1; kind < KINDS; kind++) {
		s->indices[kind].next = 1;
		s->indices[kind].most = most[kind];
	}
	return s;
}

static void segment_there(struct session *s, uint32_t index, uint8_t *memory, uint64_t bytes,
			  uint64_t used)
{
	struct extent *rest = malloc(sizeof(*rest));

	if (rest)
		*rest = (struct extent){ NULL, used, bytes - used };
	s->segment[index] = (struct segment){ memory, bytes, rest };
	s->segment_bytes += bytes;
	__atomic_store_n(&s->segment_count, index + 1, __ATOMIC_RELEASE);
}

struct session *session_connect(void)
{
	const char *path = getenv("SLUICE_API_SOCKET");
	struct session *s;
	int memory_fd = -1;
	bool done;

	errno = ENODEV;
	if (!path || !*path)
		return NULL;
	s = session_new();
	if (!s)
		return NULL;
	s->socket = connect_to(path);
	if (s->socket >= 0)
		s->doorbell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (s->doorbell >= 0)
		memory_fd = memory_create(FIRST_BYTES, &s->memory);
	if (memory_fd >= 0) {
		*session_word(s, AT_MAGIC) = MAGIC;
		*session_word(s, AT_VERSION) = VERSION;
	}
	done = memory_fd >= 0 && hello(s, memory_fd);
	if (memory_fd >= 0)
		close(memory_fd);
	if (done) {
		segment_there(s, 0, s->memory, FIRST_BYTES, AT_ARENA);
		return s;
	}
	if (memory_fd >= 0)
		munmap(s->memory, FIRST_BYTES);
	session_abandon(s);
	free(s);
	return NULL;
}

void session_abandon(struct session *s)
{
	if (s->socket >= 0)
		close(s->socket);
	if (s->doorbell >= 0)
		close(s->doorbell);
	s->socket = s->doorbell = -1;
	__atomic_store_n(&s->ended, ENOTCONN, __ATOMIC_RELEASE);
}

bool session_has_ended(struct session *s)
{
	return __atomic_load_n(&s->ended, __ATOMIC_ACQUIRE) ||
	       __atomic_load_n(session_word(s, AT_STATE), __ATOMIC_ACQUIRE);
}

bool session_probe(struct session *s)
{
	char byte;
	ssize_t got;

	if (session_has_ended(s))
		return true;
	got = recv(s->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR)))
		return false;
	__atomic_store_n(&s->ended, EPIPE, __ATOMIC_RELEASE);
	return true;
}

int link_add_segment(struct session *s, uint32_t index, uint64_t bytes)
{
	uint64_t message[4] = { SEGMENT_ADDED | (uint64_t)index << 32, bytes, 0, 0 };
	uint8_t *memory;
	int fd = memory_create(bytes, &memory);
	int error = 0;

	if (fd < 0)
		return errno;
	if (!link_send(s->socket, message, &fd, 1) || !link_receive(s->socket, message))
		error = EPIPE;
	else if ((int64_t)message[1] < 0)
		error = (int)-(int64_t)message[1];
	close(fd);
	if (error) {
		munmap(memory, bytes);
		return error;
	}
	segment_there(s, index, memory, bytes, 0);
	return 0;
}
