/*
 * Places for answers, in segment 0: the host writes an answer into the slot that its message names. A
 * thread that holds slots takes a further one only if it is free: waiting for one is for who holds none,
 * else all could wait for each other.
 */
#ifndef SLUICE_OPENCL_SLOTS_H
#define SLUICE_OPENCL_SLOTS_H

#include "session.h"

#define WAITING 0
#define ANSWERED 1

/* The same for all: who waits for a command's end, which may last, leaves some to calls that are answered at once. */
int32_t slot_take(struct session *s, bool lasts, uint32_t *slot);
/* Takes one for an answer that may last, if one is free. */
bool slot_try(struct session *s, uint32_t *slot);
void slot_give(struct session *s, uint32_t slot);
/* What the host sets to ANSWERED, and wakes. */
uint32_t *slot_word(const struct session *s, uint32_t slot);
/* Whether the caller sleeps: a word that the host does not write. */
uint32_t *slot_caller(const struct session *s, uint32_t slot);
/* Copies the status and the values of an answer that is there. */
void slot_read(const struct session *s, struct answer *answer);

#endif
