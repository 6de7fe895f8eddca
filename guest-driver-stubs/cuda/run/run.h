/*
 * The steps by which a program is shut off from the driver. Each says what is wrong and returns
 * false if it fails.
 */
#ifndef SLUICE_CUDA_RUN_H
#define SLUICE_CUDA_RUN_H

#include <stdbool.h>

/* Puts nothing in the place of the driver's device files, for this process and what it starts. */
bool nodes_hide(void);
/* Gives up all capabilities for good. */
bool privileges_drop(void);
/* Has the kernel refuse the driver's ioctls. */
bool filter_set(void);
/* "sluice-cuda-run: ...", a line. */
__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

#endif
