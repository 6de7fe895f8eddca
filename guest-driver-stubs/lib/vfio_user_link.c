/* The client's side of vfio-user. Protocol: docs/interop/vfio-user.rst of QEMU. */
#include "vfio_user_link.h"

#include <errno.h>
#include <linux/vfio.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define COMMAND_VERSION 1
#define COMMAND_DMA_MAP 2
#define COMMAND_DMA_UNMAP 3
#define COMMAND_REGION_INFO 5
#define COMMAND_SET_IRQS 8
#define COMMAND_REGION_READ 9
#define COMMAND_REGION_WRITE 10

#define TYPE_MASK 0xfu
#define TYPE_REPLY 1u
#define FLAG_ERROR 0x20u

#define MAX_BODY 4096 /* of a reply; the server may send less than it could */
#define MAX_FDS 16
#define CAPABILITIES "{\"capabilities\":{\"max_msg_fds\":16,\"max_data_xfer_size\":1048576}}"

struct header {
	uint16_t id;
	uint16_t command;
	uint32_t size; /* bytes of the message, this included */
	uint32_t flags;
	uint32_t error;
};

struct version {
	uint16_t major;
	uint16_t minor;
	char json[sizeof(CAPABILITIES)];
};

struct dma_map {
	uint32_t argsz;
	uint32_t flags; /* 1 the device may read, 2 write */
	uint64_t offset;
	uint64_t iova;
	uint64_t size;
};

struct dma_unmap {
	uint32_t argsz;
	uint32_t flags;
	uint64_t iova;
	uint64_t size;
};

struct region_access {
	uint64_t offset;
	uint32_t region;
	uint32_t count;
	uint32_t value; /* not in the request of a read, nor in the reply of a write */
};

#define ACCESS_HEAD offsetof(struct region_access, value)

/* A request and its reply: out goes, in receives what fits, with at most one descriptor each way. */
struct exchange {
	uint16_t command;
	const void *out;
	size_t out_bytes;
	int out_fd; /* -1: none */
	void *in;
	size_t in_bytes;
	int in_fd; /* received, or -1 */
};

/* ---- messages ---------------------------------------------------------------------------------- */

union fd_space {
	char bytes[CMSG_SPACE(MAX_FDS * sizeof(int))];
	struct cmsghdr align;
};

static int send_request(int socket, const struct exchange *x, uint16_t id)
{
	struct header header = {
		.id = id,
		.command = x->command,
		.size = (uint32_t)(sizeof(header) + x->out_bytes),
	};
	struct iovec parts[] = {
		{ .iov_base = &header, .iov_len = sizeof(header) },
		{ .iov_base = (void *)(uintptr_t)x->out, .iov_len = x->out_bytes },
	};
	union fd_space control = { 0 };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
	ssize_t sent;

	if (x->out_fd >= 0) {
		struct cmsghdr *head = &control.align;

		message.msg_control = control.bytes;
		message.msg_controllen = CMSG_SPACE(sizeof(int));
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(head), &x->out_fd, sizeof(int));
	}
	do
		sent = sendmsg(socket, &message, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent == (ssize_t)header.size ? 0 : -EIO;
}

/* Keeps the first descriptor that came, closes any other. */
static void take_fds(struct msghdr *message, int *fd)
{
	struct cmsghdr *head;

	for (head = CMSG_FIRSTHDR(message); head; head = CMSG_NXTHDR(message, head)) {
		size_t i, count;

		if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
			continue;
		count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < count; i++) {
			int one;

			memcpy(&one, CMSG_DATA(head) + i * sizeof(int), sizeof(int));
			if (*fd < 0)
				*fd = one;
			else
				close(one);
		}
	}
}

/* Exactly so many bytes: more could be those of another message. */
static int receive(int socket, void *into, size_t bytes, int *fd)
{
	size_t done = 0;

	while (done < bytes) {
		struct iovec part = { .iov_base = (char *)into + done, .iov_len = bytes - done };
		union fd_space control;
		struct msghdr message = {
			.msg_iov = &part, .msg_iovlen = 1,
			.msg_control = control.bytes, .msg_controllen = sizeof(control.bytes),
		};
		ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -EIO;
		take_fds(&message, fd);
		done += (size_t)got;
	}
	return 0;
}

static int receive_reply(int socket, struct exchange *x, uint16_t id)
{
	char body[MAX_BODY];
	struct header header;
	size_t bytes;
	int ret = receive(socket, &header, sizeof(header), &x->in_fd);

	if (ret)
		return ret;
	if (header.size < sizeof(header) || header.size - sizeof(header) > MAX_BODY)
		return -EIO;
	bytes = header.size - sizeof(header);
	ret = receive(socket, body, bytes, &x->in_fd);
	if (ret)
		return ret;
	if (header.id != id || (header.flags & TYPE_MASK) != TYPE_REPLY)
		return -EIO;
	if (header.flags & FLAG_ERROR)
		return header.error > 0 && header.error < MAX_BODY ? -(int)header.error : -EIO;
	if (x->in_bytes)
		memcpy(x->in, body, bytes < x->in_bytes ? bytes : x->in_bytes);
	return bytes < x->in_bytes ? -EPROTO : 0;
}

static int exchange(struct vfio_user_link *link, struct exchange *x)
{
	uint16_t id = link->next_id++;
	int ret;

	x->in_fd = -1;
	ret = send_request(link->socket, x, id);
	if (ret == 0)
		ret = receive_reply(link->socket, x, id);
	if (ret && x->in_fd >= 0) {
		close(x->in_fd);
		x->in_fd = -1;
	}
	return ret;
}

/* A request whose reply does not matter but for its success. */
static int command(struct vfio_user_link *link, uint16_t command, const void *out, size_t bytes,
		   int fd)
{
	struct exchange x = {
		.command = command, .out = out, .out_bytes = bytes, .out_fd = fd
	};
	int ret = exchange(link, &x);

	if (x.in_fd >= 0)
		close(x.in_fd);
	return ret;
}

/* ---- requests ---------------------------------------------------------------------------------- */

int vfio_user_connect(struct vfio_user_link *link, const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct version out = { .major = 0, .json = CAPABILITIES };
	struct { uint16_t major, minor; } in;
	struct exchange x = {
		.command = COMMAND_VERSION, .out = &out, .out_fd = -1,
		.out_bytes = offsetof(struct version, json) + sizeof(CAPABILITIES),
		.in = &in, .in_bytes = sizeof(in),
	};
	int ret;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	link->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (link->socket < 0 ||
	    connect(link->socket, (struct sockaddr *)&address, sizeof(address)))
		return -errno;
	ret = exchange(link, &x);
	if (x.in_fd >= 0)
		close(x.in_fd);
	if (ret)
		return ret;
	return in.major == 0 ? 0 : -EPROTONOSUPPORT;
}

int vfio_user_region(struct vfio_user_link *link, uint32_t index, struct vfio_user_region *region)
{
	struct vfio_region_info out = { .argsz = sizeof(out), .index = index };
	struct vfio_region_info in;
	struct exchange x = {
		.command = COMMAND_REGION_INFO, .out = &out, .out_bytes = sizeof(out), .out_fd = -1,
		.in = &in, .in_bytes = sizeof(in),
	};
	int ret = exchange(link, &x);

	/* With capabilities to tell, and with some servers only then with the file. */
	if (ret == 0 && x.in_fd < 0 && in.argsz > out.argsz && in.argsz <= MAX_BODY) {
		out.argsz = in.argsz;
		ret = exchange(link, &x);
	}
	if (ret)
		return ret;
	*region = (struct vfio_user_region){ .size = in.size, .offset = in.offset, .fd = x.in_fd };
	return 0;
}

int vfio_user_read32(struct vfio_user_link *link, uint32_t region, uint64_t offset, uint32_t *value)
{
	struct region_access access = { .offset = offset, .region = region, .count = 4 };
	struct exchange x = {
		.command = COMMAND_REGION_READ, .out = &access, .out_bytes = ACCESS_HEAD, .out_fd = -1,
		.in = &access, .in_bytes = ACCESS_HEAD + 4,
	};
	int ret = exchange(link, &x);

	if (x.in_fd >= 0)
		close(x.in_fd);
	*value = ret ? ~0u : access.value;
	return ret;
}

int vfio_user_write32(struct vfio_user_link *link, uint32_t region, uint64_t offset, uint32_t value)
{
	struct region_access access = {
		.offset = offset, .region = region, .count = 4, .value = value
	};

	return command(link, COMMAND_REGION_WRITE, &access, ACCESS_HEAD + 4, -1);
}

int vfio_user_dma_map(struct vfio_user_link *link, int fd, uint64_t iova, uint64_t size)
{
	struct dma_map map = { .argsz = sizeof(map), .flags = 3, .iova = iova, .size = size };

	return command(link, COMMAND_DMA_MAP, &map, sizeof(map), fd);
}

int vfio_user_dma_unmap(struct vfio_user_link *link, uint64_t iova, uint64_t size)
{
	struct dma_unmap unmap = { .argsz = sizeof(unmap), .iova = iova, .size = size };

	return command(link, COMMAND_DMA_UNMAP, &unmap, sizeof(unmap), -1);
}

int vfio_user_vector(struct vfio_user_link *link, uint32_t vector, int eventfd)
{
	struct vfio_irq_set set = {
		.argsz = sizeof(set),
		.flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER,
		.index = VFIO_PCI_MSIX_IRQ_INDEX,
		.start = vector,
		.count = 1,
	};

	return command(link, COMMAND_SET_IRQS, &set, sizeof(set), eventfd);
}
