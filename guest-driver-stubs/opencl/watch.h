/* The thread that calls events' callbacks. */
#ifndef SLUICE_OPENCL_WATCH_H
#define SLUICE_OPENCL_WATCH_H

#include "objects.h"

/* Has a callback called when an event has come that far. */
cl_int watch_event(cl_event event, cl_int when, void (*function)(void), void *data);
/* Ends the thread. */
void watch_stop(struct session *s);

#endif
