/*
 * Starts a CUDA program whose driver calls the daemon makes:
 *
 *	sluice-cuda-run [--socket PATH] [--library PATH] [--keep-nodes] -- COMMAND...
 *
 * The socket is the relay's or, in a machine, the guest driver's device, which is taken where it is there
 * and nothing is named. The library is libsluice-cuda.so beside this program, where no other is named.
 *
 * The program sees no device file of NVIDIA's (unless --keep-nodes), has no capability, and the
 * kernel refuses its ioctls of the driver's. Exit codes: 64 wrong use, 69 not possible here, 126 and
 * 127 as a shell's.
 */
#include "run.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXIT_USAGE 64
#define EXIT_UNAVAILABLE 69
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND 127

#define DEVICE "/dev/sluice-api0"
#define LIBRARY "libsluice-cuda.so"

struct options {
	const char *socket;
	const char *library;
	bool keep_nodes;
	char **command;
};

void say(const char *format, ...)
{
	va_list values;

	fputs("sluice-cuda-run: ", stderr);
	va_start(values, format);
	vfprintf(stderr, format, values);
	va_end(values);
	fputc('\n', stderr);
}

static int usage(const char *what)
{
	say("%s; usage: sluice-cuda-run [--socket PATH] [--library PATH] [--keep-nodes] -- COMMAND...", what);
	return EXIT_USAGE;
}

/* 0, or the exit code. */
static int read_options(int count, char **values, struct options *o)
{
	static const struct option known[] = {
		{ "socket", required_argument, NULL, 's' },
		{ "library", required_argument, NULL, 'l' },
		{ "keep-nodes", no_argument, NULL, 'k' },
		{ 0 },
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(count, values, "+:", known, NULL)) != -1) {
		if (option == 's')
			o->socket = optarg;
		else if (option == 'l')
			o->library = optarg;
		else if (option == 'k')
			o->keep_nodes = true;
		else
			return usage(option == ':' ? "an option has no value" : "there is an unknown option");
	}
	o->command = values + optind;
	if (!o->socket && access(DEVICE, F_OK) == 0)
		o->socket = DEVICE;
	if (!o->socket)
		return usage("--socket is missing, and there is no " DEVICE);
	if (!*o->command)
		return usage("the command is missing");
	return 0;
}

/* The library's absolute path, or null with errno. Of one that is named, or the one beside this program. */
static char *find_library(const char *named)
{
	char path[PATH_MAX];
	ssize_t length;
	char *end;

	if (named)
		return realpath(named, NULL);
	length = readlink("/proc/self/exe", path, sizeof(path) - sizeof(LIBRARY));
	if (length < 0)
		return NULL;
	path[length] = '\0';
	end = strrchr(path, '/');
	if (!end) {
		errno = ENOENT;
		return NULL;
	}
	strcpy(end + 1, LIBRARY);
	return realpath(path, NULL);
}

/* The program may change its folder: paths become absolute. */
static int make_absolute(struct options *o)
{
	struct stat st;
	char *path = realpath(o->socket, NULL);

	if (!path || stat(path, &st) || !(S_ISSOCK(st.st_mode) || S_ISCHR(st.st_mode))) {
		say("no relay at %s: %s; is sluiced running and has the guest cuda = true?", o->socket,
		    path ? "neither a socket nor a device" : strerror(errno));
		return EXIT_UNAVAILABLE;
	}
	o->socket = path;
	path = find_library(o->library);
	if (!path || access(path, R_OK)) {
		say("no library at %s: %s; give the path of " LIBRARY " by --library",
		    o->library ? o->library : LIBRARY " beside this program", strerror(errno));
		return EXIT_UNAVAILABLE;
	}
	if (strpbrk(path, ": \t\n")) {
		say("LD_PRELOAD cannot name %s, which has a space or a colon; move it elsewhere", path);
		return EXIT_UNAVAILABLE;
	}
	o->library = path;
	return 0;
}

static bool set_environment(const struct options *o)
{
	const char *others = getenv("LD_PRELOAD");
	char *preload;

	if (asprintf(&preload, "%s%s%s", o->library, others && *others ? ":" : "", others ? others : "") < 0 ||
	    setenv("SLUICE_CUDA_SOCKET", o->socket, 1) || setenv("LD_PRELOAD", preload, 1)) {
		say("the environment cannot be set: %s; it is too large", strerror(errno));
		return false;
	}
	free(preload);
	return true;
}

int main(int count, char **values)
{
	struct options o = { 0 };
	int code = read_options(count, values, &o);

	if (!code)
		code = make_absolute(&o);
	if (code)
		return code;
	if (!o.keep_nodes && !nodes_hide())
		return EXIT_UNAVAILABLE;
	if (!privileges_drop() || !filter_set() || !set_environment(&o))
		return EXIT_UNAVAILABLE;
	execvp(*o.command, o.command);
	code = errno == ENOENT || errno == ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
	say("%s cannot be started: %s; is it the right path, and may it be executed?", *o.command, strerror(errno));
	return code;
}
