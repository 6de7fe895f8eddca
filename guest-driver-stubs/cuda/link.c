/*
 * The connection to the relay: made at first use, one request at a time, never made again. It is a
 * socket, or a session where the relay's path is a device's.
 */
#include "library.h"
#include "link.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HIGH_NUMBERS 900 /* programs close the low ones, and few have more open */

static enum { LINK_NEW, LINK_UP, LINK_ENDED } state;
static int connection = -1;
static const struct link_way *way = &link_socket;
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
	way->end();
}

/* The program has closed it: its number is the program's. */
void link_lost_locked(void)
{
	connection = -1;
	link_end_locked("the program closed the connection");
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

struct relay_message *link_begin_locked(enum relay_op op, uint32_t file)
{
	memset(&message.request, 0, sizeof(message.request));
	message.request.op = op;
	message.request.file = file;
	return &message;
}

/* As link_call_locked, of any message. */
static int exchange_locked(void *any, uint32_t room, int fd, int *received)
{
	const struct relay_reply *reply = any;
	const char *why;
	int got = -1;

	if (state != LINK_UP || !relay_is_here())
		return -EIO;
	why = way->exchange(connection, any, room, fd, &got);
	if (got >= 0 && (why || reply->error || !received)) {
		syscall(SYS_close, got);
		got = -1;
	}
	if (received)
		*received = got;
	if (why) {
		link_end_locked(why);
		return -EIO;
	}
	return reply->error > 4095 ? -EIO : -(int)reply->error;
}

int link_call_locked(uint32_t body_bytes, int fd, int *received)
{
	message.request.bytes = (uint32_t)sizeof(message.request) + body_bytes;
	return exchange_locked(&message, sizeof(message), fd, received);
}

int link_ask_locked(union relay_head *head)
{
	head->request.bytes = sizeof(head->request);
	return exchange_locked(head, sizeof(*head), -1, NULL);
}

int session_file_locked(void)
{
	return way == &link_session ? connection : -1;
}

static int connect_locked(void)
{
	struct stat st;
	int fd;

	way = syscall(SYS_stat, relay_path(), &st) == 0 && S_ISCHR(st.st_mode) ? &link_session : &link_socket;
	fd = way->open(relay_path());
	if (fd < 0)
		return fd;
	connection = link_move_locked(fd, FILE_LINK);
	if (way == &link_session)
		session_begin_locked(connection);
	return 0;
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
