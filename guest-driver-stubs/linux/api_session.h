/* SPDX-License-Identifier: GPL-2.0-only */
/* An API session, see api.c. */
#ifndef SLUICE_API_SESSION_H
#define SLUICE_API_SESSION_H

#include <linux/fs.h>

#include "api_memory.h"
#include "sluice.h"

/* A session: an open file. */
struct sluice_api {
	struct sluice_device *sd; /* with a reference */
	struct list_head link; /* sluice_device.api_sessions, or api_closing once the file is closed */
	struct mutex lock; /* opening, adding */
	u32 handle; /* the host's; 0: none yet */
	u32 epoch;
	u64 bytes;
	wait_queue_head_t wait;
	atomic_t waiters;
	atomic_t events; /* descriptors */
	struct sluice_user *holder; /* of the session; under lock */
	struct sluice_api_memory *segment[SLUICE_MAX_API_SEGMENTS];
};

/* api.c */
bool sluice_api_is_gone(struct sluice_api *api);
u32 *sluice_api_word(struct sluice_api *api, u64 offset);

/* api_event.c */
void sluice_api_session_add(struct sluice_api *api);
void sluice_api_session_remove(struct sluice_api *api);
int sluice_api_event(struct file *file, u64 offset, u32 seen);

#endif /* SLUICE_API_SESSION_H */
