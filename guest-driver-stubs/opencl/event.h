/* Events. */
#ifndef SLUICE_OPENCL_EVENT_H
#define SLUICE_OPENCL_EVENT_H

#include "objects.h"

/* One of a command, or without a queue none. NULL: there are too many. */
cl_event event_new(cl_command_queue queue, cl_command_type type, uint64_t sequence);
/* How far it has come: the host is asked unless it is known. */
cl_int event_status(cl_event event);
/* Waits until it has come to its end, and returns how. */
cl_int event_wait(cl_event event);
/* It is known that it has come to its end. */
void event_done(cl_event event, cl_int status);

/* At most CL_COMPLETE if its end is known. */
static inline cl_int event_known(cl_event event)
{
	return __atomic_load_n(&event->status, __ATOMIC_ACQUIRE);
}

#endif
