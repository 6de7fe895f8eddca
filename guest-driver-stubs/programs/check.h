/* What the testing programs have in common: a line for each case, and a count of those that failed. */
#ifndef CHECK_H
#define CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PAGE 4096
#define NOBODY 0xfffffff0u /* an id nobody has */

static int failures;

/* A call that returned ret must have failed with that errno, or succeeded with 0. */
static inline void expect(const char *name, int expected, int ret)
{
	bool ok = ret == -expected;

	printf("case: %s: %s%s\n", name, ok ? "ok" : "FAILED, got ", ok ? "" : strerror(-ret));
	fflush(stdout);
	failures += !ok;
}

static inline void expect_true(const char *name, bool ok)
{
	printf("case: %s: %s\n", name, ok ? "ok" : "FAILED");
	fflush(stdout);
	failures += !ok;
}

/* What the cases stand on: without it there is no going on. */
static inline void must(const char *what, int ret)
{
	if (ret == 0)
		return;
	printf("FAILED: %s: %s\n", what, strerror(-ret));
	fflush(stdout);
	_exit(1);
}

static inline int report(const char *program)
{
	if (failures)
		printf("%s: %d failed\n", program, failures);
	else
		printf("%s: ok\n", program);
	return failures != 0;
}

#endif /* CHECK_H */
