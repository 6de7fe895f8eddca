/*
 * The mappings of this process, from /proc/self/maps.
 */
#include "library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* START-END rwxp OFFSET DEVICE INODE NAME */
static bool parse(char *line, struct vma *vma)
{
	char *at;
	int i;

	vma->start = strtoull(line, &at, 16);
	if (*at++ != '-')
		return false;
	vma->end = strtoull(at, &at, 16);
	if (strlen(at) < 6)
		return false;
	vma->protection = (at[1] == 'r' ? PROT_READ : 0) | (at[2] == 'w' ? PROT_WRITE : 0) |
			  (at[3] == 'x' ? PROT_EXEC : 0);
	vma->shared = at[4] == 's';
	vma->offset = strtoull(at + 5, &at, 16);
	for (i = 0; i < 2; i++) {
		at += strspn(at, " ");
		at += strcspn(at, " ");
	}
	vma->name = at + strspn(at, " ");
	return true;
}

int maps_walk(char *text, size_t room, void (*visit)(void *context, const struct vma *vma), void *context)
{
	long fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t held = 0;
	long count;

	if (fd < 0)
		return -errno;
	while ((count = syscall(SYS_read, fd, text + held, room - 1 - held)) > 0) {
		char *line = text, *end;
		struct vma vma;

		held += (size_t)count;
		text[held] = 0;
		while ((end = strchr(line, '\n'))) {
			*end = 0;
			if (parse(line, &vma))
				visit(context, &vma);
			line = end + 1;
		}
		held -= (size_t)(line - text);
		memmove(text, line, held);
		if (held == room - 1)
			break;
	}
	count = count < 0 ? -errno : 0;
	syscall(SYS_close, fd);
	return (int)count;
}

int maps_walk_locked(void (*visit)(void *context, const struct vma *vma), void *context)
{
	static char text[MAPS_ROOM];

	return maps_walk(text, sizeof(text), visit, context);
}
