/*
 * The C library's close, dup and fcntl: the numbers of the program's files.
 */
#include "library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

EXPORT int close(int fd)
{
	struct relay_section s;
	long result;

	if (!file_is_known(fd))
		return (int)syscall(SYS_close, fd);
	relay_enter(&s);
	/* forgotten first: another thread may get the number as soon as it is free */
	if (file_is_known(fd))
		file_forget_locked(fd);
	result = relay_errno(syscall(SYS_close, fd));
	relay_leave(&s);
	return (int)relay_result(result);
}

/* A new number for a file, by the system call that is given. */
static int duplicated_locked(int from, long to)
{
	if (to < 0)
		return -errno;
	if (to == from)
		return (int)to;
	if (file_is_known((int)to))
		file_forget_locked((int)to);
	if (!file_locked(from))
		return (int)to;
	if (to >= FILES_MOST) {
		syscall(SYS_close, to);
		return -EMFILE;
	}
	file_share_locked(from, (int)to);
	return (int)to;
}

static int duplicate(int from, int to, long number, long a, long b)
{
	struct relay_section s;
	int result;

	if (!file_is_known(from) && !file_is_known(to))
		return (int)syscall(number, from, a, b);
	relay_enter(&s);
	result = duplicated_locked(from, syscall(number, from, a, b));
	relay_leave(&s);
	return (int)relay_result(result);
}

EXPORT int dup(int fd)
{
	return duplicate(fd, -1, SYS_dup, 0, 0);
}

EXPORT int dup2(int fd, int to)
{
	return duplicate(fd, to, SYS_dup2, to, 0);
}

EXPORT int dup3(int fd, int to, int flags)
{
	return duplicate(fd, to, SYS_dup3, to, flags);
}

EXPORT int fcntl(int fd, int command, ...)
{
	va_list values;
	long value;

	va_start(values, command);
	value = va_arg(values, long);
	va_end(values);
	if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
		return duplicate(fd, -1, SYS_fcntl, command, value);
	return (int)syscall(SYS_fcntl, fd, command, value);
}

EXPORT int fcntl64(int fd, int command, ...)
{
	va_list values;
	long value;

	va_start(values, command);
	value = va_arg(values, long);
	va_end(values);
	return fcntl(fd, command, value);
}
