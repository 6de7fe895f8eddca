/* The thread that calls events' callbacks and has kernels' text come out. */
#ifndef SLUICE_OPENCL_WATCH_H
#define SLUICE_OPENCL_WATCH_H

#include "objects.h"

/* Has a callback called when an event has come that far. */
cl_int watch_event(cl_event event, cl_int when, void (*function)(void), void *data);
/* A kernel of the session may print. Without memory for the thread text comes out with answers. */
void watch_prints(struct session *s);
/* Ends the thread; what was printed has come out. */
void watch_stop(struct session *s);

#endif
