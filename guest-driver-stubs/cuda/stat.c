/*
 * The C library's stat and access: the nodes exist for the program, whatever its file system has.
 */
#include "library.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define DEVICE_OF_NODES makedev(0, 5)
#define FIRST_INODE 1000

_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "stat and stat64 are the same");

static int node_of_path(const char *name, struct relay_node *node)
{
	struct relay_section s;
	int result;

	relay_enter(&s);
	result = link_ready_locked();
	if (!result)
		result = node_find_locked(name);
	if (result >= 0)
		*node = *node_at_locked((unsigned)result);
	relay_leave(&s);
	return result;
}

static int node_of_file(int fd, struct relay_node *node)
{
	const struct file *file;
	struct relay_section s;
	int result = -EBADF;

	relay_enter(&s);
	file = file_locked(fd);
	if (file) {
		result = file->node;
		*node = *node_at_locked(file->node);
	}
	relay_leave(&s);
	return result;
}

/* The node that a call is about. Its number, or -EBADF when it is not about one of ours, or an errno. */
static int node_of(int directory, const char *path, int flags, struct relay_node *node)
{
	const char *name = node_name(path);

	if (name && relay_active())
		return node_of_path(name, node);
	if ((flags & AT_EMPTY_PATH) && (!path || !*path) && file_is_known(directory))
		return node_of_file(directory, node);
	return -EBADF;
}

static int stat_at(int directory, const char *path, struct stat *st, int flags)
{
	struct relay_node node;
	int index = node_of(directory, path, flags, &node);

	if (index == -EBADF)
		return (int)syscall(SYS_newfstatat, directory, path, st, flags);
	if (index < 0)
		return (int)relay_result(index);
	memset(st, 0, sizeof(*st));
	st->st_dev = DEVICE_OF_NODES;
	st->st_ino = (ino_t)(FIRST_INODE + index);
	st->st_nlink = 1;
	st->st_mode = node.mode;
	st->st_rdev = makedev(node.major, node.minor);
	st->st_blksize = 4096;
	return 0;
}

EXPORT int stat(const char *path, struct stat *st)
{
	return stat_at(AT_FDCWD, path, st, 0);
}

EXPORT int stat64(const char *path, struct stat64 *st)
{
	return stat_at(AT_FDCWD, path, (struct stat *)st, 0);
}

EXPORT int lstat(const char *path, struct stat *st)
{
	return stat_at(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

EXPORT int lstat64(const char *path, struct stat64 *st)
{
	return stat_at(AT_FDCWD, path, (struct stat *)st, AT_SYMLINK_NOFOLLOW);
}

EXPORT int fstatat(int directory, const char *path, struct stat *st, int flags)
{
	return stat_at(directory, path, st, flags);
}

EXPORT int fstatat64(int directory, const char *path, struct stat64 *st, int flags)
{
	return stat_at(directory, path, (struct stat *)st, flags);
}

EXPORT int fstat(int fd, struct stat *st)
{
	return file_is_known(fd) ? stat_at(fd, "", st, AT_EMPTY_PATH) : (int)syscall(SYS_fstat, fd, st);
}

EXPORT int fstat64(int fd, struct stat64 *st)
{
	return fstat(fd, (struct stat *)st);
}

/* What programs call that were built before 2021; the version is of no use on this processor. */
EXPORT int __xstat(int version, const char *path, struct stat *st)
{
	(void)version;
	return stat_at(AT_FDCWD, path, st, 0);
}

EXPORT int __xstat64(int version, const char *path, struct stat64 *st)
{
	(void)version;
	return stat_at(AT_FDCWD, path, (struct stat *)st, 0);
}

EXPORT int __lxstat(int version, const char *path, struct stat *st)
{
	(void)version;
	return stat_at(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

EXPORT int __lxstat64(int version, const char *path, struct stat64 *st)
{
	(void)version;
	return stat_at(AT_FDCWD, path, (struct stat *)st, AT_SYMLINK_NOFOLLOW);
}

EXPORT int __fxstat(int version, int fd, struct stat *st)
{
	(void)version;
	return fstat(fd, st);
}

EXPORT int __fxstat64(int version, int fd, struct stat64 *st)
{
	(void)version;
	return fstat(fd, (struct stat *)st);
}

EXPORT int __fxstatat(int version, int directory, const char *path, struct stat *st, int flags)
{
	(void)version;
	return stat_at(directory, path, st, flags);
}

EXPORT int __fxstatat64(int version, int directory, const char *path, struct stat64 *st, int flags)
{
	(void)version;
	return stat_at(directory, path, (struct stat *)st, flags);
}

EXPORT int statx(int directory, const char *path, int flags, unsigned mask, struct statx *st)
{
	struct relay_node node;
	int index = node_of(directory, path, flags, &node);

	if (index == -EBADF)
		return (int)syscall(SYS_statx, directory, path, flags, mask, st);
	if (index < 0)
		return (int)relay_result(index);
	memset(st, 0, sizeof(*st));
	st->stx_mask = STATX_BASIC_STATS;
	st->stx_blksize = 4096;
	st->stx_nlink = 1;
	st->stx_mode = (uint16_t)node.mode;
	st->stx_ino = (uint64_t)(FIRST_INODE + index);
	st->stx_rdev_major = node.major;
	st->stx_rdev_minor = node.minor;
	st->stx_dev_minor = minor(DEVICE_OF_NODES);
	return 0;
}

/* Whether the relay opens it, only opening it tells. */
static int access_at(int directory, const char *path, int how, int flags)
{
	struct relay_node node;
	int index = node_of(directory, path, 0, &node);

	if (index == -EBADF && flags == 0)
		return (int)syscall(SYS_faccessat, directory, path, how);
	if (index == -EBADF)
		return (int)syscall(SYS_faccessat2, directory, path, how, flags);
	if (index >= 0 && (how & X_OK))
		index = -EACCES;
	return index < 0 ? (int)relay_result(index) : 0;
}

EXPORT int access(const char *path, int how)
{
	return access_at(AT_FDCWD, path, how, 0);
}

EXPORT int faccessat(int directory, const char *path, int how, int flags)
{
	return access_at(directory, path, how, flags);
}

EXPORT int euidaccess(const char *path, int how)
{
	return access_at(AT_FDCWD, path, how, AT_EACCESS);
}

EXPORT int eaccess(const char *path, int how)
{
	return access_at(AT_FDCWD, path, how, AT_EACCESS);
}
