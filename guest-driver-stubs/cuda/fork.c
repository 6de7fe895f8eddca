/*
 * The child of a fork begins without files, without a connection, and with its own memory.
 */
#include "library.h"

#include <pthread.h>

static void in_child(void)
{
	relay_is_here_now();
	pinned_drop_locked();
	files_drop_locked();
	link_drop_locked();
}

void fork_watch_locked(void)
{
	static bool watched;

	if (!watched && pthread_atfork(NULL, NULL, in_child) == 0)
		watched = true;
}
