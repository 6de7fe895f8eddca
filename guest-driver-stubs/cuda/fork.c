/*
 * The child of a fork begins without files, without a connection, and with its own memory.
 */
#include "library.h"

#include <pthread.h>

static void before(void)
{
	struct relay_section s;

	if (!relay_is_here())
		return;
	relay_enter(&s);
	pinned_before_fork_locked();
	relay_leave(&s);
}

static void in_parent(void)
{
	struct relay_section s;

	if (!relay_is_here())
		return;
	relay_enter(&s);
	pinned_after_fork_locked();
	relay_leave(&s);
}

static void in_child(void)
{
	relay_is_here_now();
	pinned_drop_locked();
	doorbell_drop_locked();
	files_drop_locked();
	link_drop_locked();
}

void fork_watch_locked(void)
{
	static bool watched;

	if (!watched && pthread_atfork(before, in_parent, in_child) == 0)
		watched = true;
}
