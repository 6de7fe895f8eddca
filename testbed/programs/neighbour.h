/*
 * Another user of the machine, in a process of his own: whenever he is asked he runs programs, by the library and on
 * channels, or begins one by the words of its session.
 */
#ifndef NEIGHBOUR_H
#define NEIGHBOUR_H

#include "program.h"

#define CALLS "/usr/lib/sluice/calls"
#define LIBRARY "/usr/lib/sluice/libsluice-cuda.so"
#define NEIGHBOUR 1003

static int orders[2], answers[2];

/* What a program sees that works with what it has. */
static const char *const seen[] = {
	"device: status 0x0\n",
	"tied: ok\n",
	"memory: status 0x0\n",
	"mapping: ok status 0x0\n",
	"mapped: first 1 last 0\n",
	"pinned: ok status 0x0 first 8 last 7\n",
	"event: ok status 0x0\n",
	"told: 1\n",
	"no event: ok status 0x0\n",
};

/* Runs a program to its end; what it printed, and whether that was well. */
static inline bool run(char *const program[], char *text, size_t room)
{
	size_t length = 0;
	int ends[2], status = 1;
	ssize_t count;
	pid_t child;

	must("pipe", result(pipe(ends)));
	child = fork();
	must("fork", result(child));
	if (child == 0) {
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		execvp(program[0], program);
		_exit(127);
	}
	close(ends[1]);
	while (length < room - 1 && (count = read(ends[0], text + length, room - 1 - length)) > 0)
		length += (size_t)count;
	text[length] = 0;
	close(ends[0]);
	return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static inline bool neighbour_works(void)
{
	static char text[65536];
	char *const calls[] = { "env", "SLUICE_CUDA_SOCKET=" DEVICE, "LD_PRELOAD=" LIBRARY, CALLS, "work", NULL };
	char *const channels[] = { "smoke", NULL };
	bool ok = run(calls, text, sizeof(text));
	size_t i;

	for (i = 0; i < sizeof(seen) / sizeof(seen[0]); i++)
		ok = ok && strstr(text, seen[i]);
	if (ok)
		ok = run(channels, text, sizeof(text));
	if (!ok)
		printf("the neighbour's program has said:\n%s\n", text);
	return ok;
}

/* Without a second try. */
static inline bool neighbour_begins(void)
{
	struct program s;
	int ret = open_once(&s);

	if (ret == 0) {
		ret = greet(&s, RELAY_VERSION);
		program_close(&s);
	}
	if (ret)
		printf("the neighbour's session: %s\n", strerror(-ret));
	return ret == 0;
}

static inline void neighbour(void)
{
	char order, answer;

	close(orders[1]);
	close(answers[0]);
	become(NEIGHBOUR);
	while (read(orders[0], &order, 1) == 1) {
		answer = order == 'w' ? neighbour_works() : neighbour_begins();
		fflush(stdout);
		must("answer", write(answers[1], &answer, 1) == 1 ? 0 : -errno);
	}
	_exit(0);
}

static inline bool has_neighbour(char order)
{
	char answer = 0;

	must("the neighbour", write(orders[1], &order, 1) == 1 && read(answers[0], &answer, 1) == 1 ? 0 : -EPIPE);
	return answer;
}

#endif
