/*
 * Events of a session, and memory at an offset of the device: they stand for the descriptors that come
 * along with a socket.
 */
#include "library.h"
#include "session.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096

static char name[256];

void session_begin_locked(int fd)
{
	char link[40];
	long length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = syscall(SYS_readlink, link, name, sizeof(name) - 1);
	name[length > 0 ? length : 0] = 0;
}

const char *session_name_locked(void)
{
	return name;
}

int session_event_locked(uint32_t number, uint32_t seen)
{
	struct session_event request = { SESSION_EVENTS + (uint64_t)(number - 1) * sizeof(uint32_t), seen, 0 };

	if (number == 0 || number > SESSION_MOST_EVENTS)
		return -EPROTO;
	return (int)relay_errno(syscall(SYS_ioctl, session_file_locked(), SESSION_DEV_EVENT, &request));
}

/* The doorbell is the first page. */
static long map_doorbell_locked(void *address, size_t length, int protection, int flags)
{
	long at = syscall(SYS_mmap, address, length, protection, (flags & ~MAP_TYPE) | MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	int error;

	if (at == -1)
		return -errno;
	if (syscall(SYS_mmap, at, PAGE, protection, MAP_SHARED | MAP_FIXED, session_file_locked(),
		    SESSION_MAP_DOORBELL) != -1)
		return at;
	error = -errno;
	syscall(SYS_munmap, at, length);
	return error;
}

long session_map_locked(void *address, size_t length, int protection, int flags, uint32_t segment, uint64_t offset)
{
	if (segment == RELAY_NO_FILE)
		return map_doorbell_locked(address, length, protection, flags);
	if (segment == 0 || segment >= SESSION_SEGMENTS || offset > SESSION_MAP_MASK)
		return -EPROTO;
	return relay_errno(syscall(SYS_mmap, address, length, protection,
				   (flags & ~MAP_TYPE) | MAP_SHARED | MAP_POPULATE, session_file_locked(),
				   (uint64_t)segment << SESSION_MAP_SHIFT | offset));
}
