/*
 * The C library's open, ioctl and mmap.
 */
#include "library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void close_at_relay_locked(uint32_t number)
{
	link_begin_locked(RELAY_CLOSE, number);
	link_call_locked(0, -1, NULL);
}

static int open_node_locked(const char *name, int flags)
{
	struct relay_message *m;
	uint32_t bytes, number;
	int node, error, fd;

	error = link_ready_locked();
	if (error)
		return error;
	node = node_find_locked(name);
	if (node < 0)
		return node;
	m = link_begin_locked(RELAY_OPEN, 0);
	bytes = ((uint32_t)strlen(name) + 8) & ~7u;
	memset(m->body, 0, bytes);
	strcpy((char *)m->body, name);
	error = link_call_locked(bytes, -1, NULL);
	if (error)
		return error;
	number = m->reply.file;
	fd = file_placeholder(flags);
	if (fd >= 0 && fd < FILES_MOST) {
		if (file_is_known(fd)) /* closed behind our back */
			file_forget_locked(fd);
		file_set_locked(fd, FILE_OF_RELAY, number, (unsigned)node);
		return fd;
	}
	error = fd < 0 ? -errno : -EMFILE;
	if (fd >= 0)
		syscall(SYS_close, fd);
	close_at_relay_locked(number);
	return error;
}

static int open_at(int directory, const char *path, int flags, mode_t mode)
{
	const char *name = node_name(path);
	struct relay_section s;
	int fd;

	if (name && relay_active()) {
		relay_enter(&s);
		fd = open_node_locked(name, flags);
		relay_leave(&s);
		return (int)relay_result(fd);
	}
	fd = (int)syscall(SYS_openat, directory, path, flags, mode);
	if (fd >= 0 && file_is_known(fd)) { /* closed behind our back */
		relay_enter(&s);
		file_forget_locked(fd);
		relay_leave(&s);
	}
	return fd;
}

static bool wants_mode(int flags)
{
	return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

#define MODE(mode, flags)                                   \
	do {                                                \
		va_list values;                             \
		if (wants_mode(flags)) {                    \
			va_start(values, flags);            \
			(mode) = va_arg(values, mode_t);    \
			va_end(values);                     \
		}                                           \
	} while (0)

EXPORT int open(const char *path, int flags, ...)
{
	mode_t mode = 0;

	MODE(mode, flags);
	return open_at(AT_FDCWD, path, flags, mode);
}

EXPORT int open64(const char *path, int flags, ...)
{
	mode_t mode = 0;

	MODE(mode, flags);
	return open_at(AT_FDCWD, path, flags, mode);
}

EXPORT int openat(int directory, const char *path, int flags, ...)
{
	mode_t mode = 0;

	MODE(mode, flags);
	return open_at(directory, path, flags, mode);
}

EXPORT int openat64(int directory, const char *path, int flags, ...)
{
	mode_t mode = 0;

	MODE(mode, flags);
	return open_at(directory, path, flags, mode);
}

/* What a fortified program calls. */
EXPORT int __open_2(const char *path, int flags)
{
	return open_at(AT_FDCWD, path, flags, 0);
}

EXPORT int __open64_2(const char *path, int flags)
{
	return open_at(AT_FDCWD, path, flags, 0);
}

EXPORT int __openat_2(int directory, const char *path, int flags)
{
	return open_at(directory, path, flags, 0);
}

EXPORT int __openat64_2(int directory, const char *path, int flags)
{
	return open_at(directory, path, flags, 0);
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	const struct file *file;
	struct relay_section s;
	va_list values;
	void *argument;
	long result;

	va_start(values, request);
	argument = va_arg(values, void *);
	va_end(values);
	if (!file_is_known(fd))
		return (int)syscall(SYS_ioctl, fd, request, argument);
	relay_enter(&s);
	file = file_locked(fd);
	if (file)
		result = call_locked(fd, file, (uint32_t)request, argument);
	else
		result = relay_errno(syscall(SYS_ioctl, fd, request, argument));
	relay_leave(&s);
	return (int)relay_result(result);
}

static bool is_memory(int fd)
{
	struct stat st;

	return syscall(SYS_fstat, fd, &st) == 0 && S_ISREG(st.st_mode);
}

/* Maps a descriptor that came for this, and closes it. */
static long map_received(uint32_t number, int fd, void *address, size_t length, int protection, int flags,
			 uint64_t offset)
{
	bool memory;
	long result;

	if (fd < 0)
		return -ENODEV;
	memory = is_memory(fd);
	if (memory) /* its pages are there, or will be */
		flags |= MAP_POPULATE;
	result = relay_errno(syscall(SYS_mmap, address, length, protection, flags, fd, offset));
	syscall(SYS_close, fd);
	if (!memory && result >= 0)
		doorbell_mapped_locked(number, (void *)result, length, protection);
	return result;
}

static long map_locked(const struct file *file, void *address, size_t length, int protection, int flags,
		       uint64_t offset)
{
	const uint32_t number = file->number;
	struct relay_message *m = link_begin_locked(RELAY_MAP, number);
	int received, error;

	m->request.argument = (uint32_t)protection;
	m->request.address = (uint64_t)address;
	m->request.length = length;
	memcpy(m->body, &offset, sizeof(offset));
	error = link_call_locked(sizeof(offset), -1, &received);
	if (error)
		return error;
	if (session_file_locked() >= 0)
		return session_map_locked(address, length, protection, flags, m->reply.file, m->reply.address);
	return map_received(number, received, address, length, protection, flags, m->reply.address);
}

EXPORT void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
	const struct file *file;
	struct relay_section s;
	long result;

	if ((flags & MAP_ANONYMOUS) || !file_is_known(fd))
		return (void *)syscall(SYS_mmap, address, length, protection, flags, fd, offset);
	relay_enter(&s);
	file = file_locked(fd);
	result = file ? map_locked(file, address, length, protection, flags, (uint64_t)offset) : -ENODEV;
	relay_leave(&s);
	return (void *)relay_result(result);
}

EXPORT void *mmap64(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
	return mmap(address, length, protection, flags, fd, offset);
}
