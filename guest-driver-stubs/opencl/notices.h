/* What the host tells without being asked: how far events have come, and what kernels print. */
#ifndef SLUICE_OPENCL_NOTICES_H
#define SLUICE_OPENCL_NOTICES_H

#include "session.h"

/* Takes what is there; text goes to the standard output. Any thread. */
void notices_take(struct session *s);
/* Takes all that the host had to tell when it gave the latest answer, as it makes room for it. */
void notices_take_all(struct session *s);
/* The next that is of an event; false: none was taken. The thread that watches events. */
bool notices_next(struct session *s, uint32_t *index, int32_t *status);
/* Whether any wait to be taken, or for notices_next. */
bool notices_wait(struct session *s);

#endif
