/*
 * Places for answers, in segment 0: the host writes an answer into the slot that its message names. Who
 * waits for a command's end takes one only if it is free, and finds another way if none is: those who have
 * them may wait for what this thread has yet to do.
 */
#ifndef SLUICE_OPENCL_SLOTS_H
#define SLUICE_OPENCL_SLOTS_H

#include "session.h"

#define WAITING 0
#define ANSWERED 1

/* Takes one for an answer that comes at once; some are left to those. */
int32_t slot_take(struct session *s, uint32_t *slot);
/* Takes one for an answer that may last, if one is free, or becomes so within that time. */
bool slot_try(struct session *s, uint64_t most_ns, uint32_t *slot);
void slot_give(struct session *s, uint32_t slot);
/* Gives back one that was taken for an answer to a call that was not sent. */
void slot_give_unused(struct session *s, struct answer *answer);
/* What the host sets to ANSWERED, and wakes. */
uint32_t *slot_word(const struct session *s, uint32_t slot);
/* Whether the caller sleeps: a word that the host does not write. */
uint32_t *slot_caller(const struct session *s, uint32_t slot);
/* Copies the status and the values of an answer that is there. */
void slot_read(const struct session *s, struct answer *answer);

#endif
