/*
 * The process's session: made at first use, left to the parent at a fork, stopped when the process
 * ends. What ended stays ended: its objects are gone.
 */
#include "objects.h"
#include "watch.h"

#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct session *current; /* atomic */

struct session *session_current(void)
{
	return __atomic_load_n(&current, __ATOMIC_ACQUIRE);
}

/* The child of a fork: the parent's session is not its own, and must not be kept alive by it. */
static void after_fork(void)
{
	struct session *parents = current;

	pthread_mutex_init(&lock, NULL);
	current = NULL;
	if (parents)
		session_abandon(parents);
}

static void connect_locked(void)
{
	static bool fork_watched;
	struct session *s = session_connect();

	if (!s)
		return;
	if (!fork_watched && pthread_atfork(NULL, NULL, after_fork) == 0)
		fork_watched = true;
	if (topology_read(s))
		__atomic_store_n(&current, s, __ATOMIC_RELEASE);
	else
		session_abandon(s);
}

struct session *session_get(void)
{
	struct session *s = session_current();

	if (s)
		return s;
	pthread_mutex_lock(&lock);
	if (!current)
		connect_locked();
	pthread_mutex_unlock(&lock);
	return session_current();
}

__attribute__((destructor)) static void stop(void)
{
	struct session *s = session_current();

	if (s)
		watch_stop(s);
}
