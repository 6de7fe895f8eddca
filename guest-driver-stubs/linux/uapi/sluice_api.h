/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR Apache-2.0 */
/*
 * /dev/sluice-api0: API sessions, one per open file. A session's memory is in segments: OPEN makes
 * segment 0, SEGMENT another; mmap at the offset index << SLUICE_API_MAP_SHIFT maps one, shared. The
 * memory is the kernel's, charged to the process, and goes with the file, its mappings and its events.
 * A child of fork has the file but not the mappings, but for those made with SLUICE_API_MAP_INHERIT.
 */
#ifndef SLUICE_API_H
#define SLUICE_API_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define SLUICE_API_MAP_SHIFT 48
/* Added to a segment's offset: a child of fork has that mapping, too, and with it keeps the session. */
#define SLUICE_API_MAP_INHERIT (0x4000ull << SLUICE_API_MAP_SHIFT)
/* Not a segment: the page of the GPU's doorbell, of an open session; ENODEV where there is none. */
#define SLUICE_API_MAP_DOORBELL (0x7fffull << SLUICE_API_MAP_SHIFT)

struct sluice_api_dev_open {
	__u32 api;   /* SLUICE_API_* of sluice_abi.h */
	__u32 pad;   /* 0 */
	__u64 bytes; /* of segment 0, a multiple of the page size */
};

struct sluice_api_dev_segment {
	__u32 index; /* from 1 */
	__u32 pad;   /* 0 */
	__u64 bytes;
};

/* Sleeps while a word of segment 0 has a value; woken by any interrupt of a session. */
struct sluice_api_dev_wait {
	__u64 offset;     /* of the word in segment 0 */
	__u32 expected;
	__u32 timeout_ms; /* 0 only looks; 10000 at most */
};

/* A word of segment 0, and a value of it that is not news. */
struct sluice_api_dev_event {
	__u64 offset;
	__u32 seen;
	__u32 pad; /* 0 */
};

/* Errors: EBUSY it is there; ENOMEM, EDQUOT memory; EAGAIN it comes back soon, call again; what the host says. */
#define SLUICE_API_DEV_OPEN _IOW(0xF7, 0, struct sluice_api_dev_open)
#define SLUICE_API_DEV_SEGMENT _IOW(0xF7, 1, struct sluice_api_dev_segment)
/* Errors: ETIMEDOUT; EINTR; ENODEV the session is gone for good. */
#define SLUICE_API_DEV_WAIT _IOW(0xF7, 2, struct sluice_api_dev_wait)
/* Rings the session's host. */
#define SLUICE_API_DEV_DOORBELL _IO(0xF7, 3)
/*
 * A descriptor for a word of segment 0: poll() finds it readable once for each change of the word
 * from the value that was seen, or since poll() last found it so; with EPOLLHUP and EPOLLERR once the
 * session has ended. 64 at most of a session, each polled by 64 at a time: others have EPOLLERR.
 * Errors: ENOTCONN; EINVAL no word of segment 0, pad is not 0; EMFILE, EDQUOT too many.
 */
#define SLUICE_API_DEV_EVENT _IOW(0xF7, 4, struct sluice_api_dev_event)

#endif /* SLUICE_API_H */
