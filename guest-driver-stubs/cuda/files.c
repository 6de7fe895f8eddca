/*
 * The program's files by their number, and the library's own descriptors.
 *
 * A file of the relay's is closed with its last number, which is looked for: none of the numbers
 * counts, so that none counts wrongly.
 */
#include "library.h"

#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct file files[FILES_MOST]; /* pages that nobody wrote cost nothing */
static int above; /* the highest number that was ours, and one */

bool file_is_known(int fd)
{
	return fd >= 0 && fd < FILES_MOST &&
	       __atomic_load_n(&files[fd].what, __ATOMIC_RELAXED) != FILE_NOT_OURS && relay_is_here();
}

const struct file *file_locked(int fd)
{
	return file_is_known(fd) && files[fd].what == FILE_OF_RELAY ? &files[fd] : NULL;
}

void file_set_locked(int fd, enum file_what what, uint32_t number, unsigned node)
{
	if (fd < 0 || fd >= FILES_MOST)
		return;
	files[fd].number = number;
	files[fd].node = (uint16_t)node;
	files[fd].is_driver = 0;
	__atomic_store_n(&files[fd].what, what, __ATOMIC_RELAXED);
	if (what != FILE_NOT_OURS && fd >= above)
		above = fd + 1;
}

void file_share_locked(int from, int to)
{
	uint8_t is_driver = files[from].is_driver;

	file_set_locked(to, FILE_OF_RELAY, files[from].number, files[from].node);
	files[to].is_driver = is_driver;
}

static bool is_open_locked(uint32_t number)
{
	int fd;

	for (fd = 0; fd < above; fd++)
		if (files[fd].what == FILE_OF_RELAY && files[fd].number == number)
			return true;
	return false;
}

void file_forget_locked(int fd)
{
	struct file lost = files[fd];

	file_set_locked(fd, FILE_NOT_OURS, 0, 0);
	if (lost.what == FILE_LINK)
		link_lost_locked();
	if (lost.what == FILE_MEMORY)
		pinned_lost_locked(fd);
	if (lost.what == FILE_WATCH)
		doorbell_lost_locked();
	if (lost.what == FILE_OF_RELAY && !is_open_locked(lost.number)) {
		link_begin_locked(RELAY_CLOSE, lost.number);
		link_call_locked(0, -1, NULL);
	}
}

static void replace(int fd, int by)
{
	long flags = syscall(SYS_fcntl, fd, F_GETFD);

	syscall(SYS_dup3, by, fd, flags >= 0 && (flags & FD_CLOEXEC) ? O_CLOEXEC : 0);
}

void file_replace_locked(uint32_t number, int by)
{
	int fd;

	for (fd = 0; fd < above; fd++) {
		if (files[fd].what != FILE_OF_RELAY || files[fd].number != number)
			continue;
		replace(fd, by);
		files[fd].is_driver = 1;
	}
}

int file_placeholder(int flags)
{
	return (int)syscall(SYS_eventfd2, 0, EFD_NONBLOCK | (flags & O_CLOEXEC ? EFD_CLOEXEC : 0));
}

/* The driver's own descriptors would keep alive what the parent made. */
void files_drop_locked(void)
{
	int fd, nothing = -1;

	for (fd = 0; fd < above; fd++) {
		if (files[fd].what == FILE_OF_RELAY && files[fd].is_driver) {
			if (nothing < 0)
				nothing = file_placeholder(O_CLOEXEC);
			replace(fd, nothing);
		}
		file_set_locked(fd, FILE_NOT_OURS, 0, 0);
	}
	if (nothing >= 0)
		syscall(SYS_close, nothing);
	above = 0;
}
