/*
 * A comparison of session.h with the guest driver's headers. Only compiled.
 */
#include "session.h"

#include "sluice_abi.h"
#include "sluice_api.h"

#include <stddef.h>

#define SAME(ours, theirs) _Static_assert((ours) == (theirs), #theirs)
#define SAME_FIELD(ours, theirs, field)                                                          \
	_Static_assert(offsetof(struct ours, field) == offsetof(struct theirs, field) &&         \
		       sizeof(((struct ours *)0)->field) == sizeof(((struct theirs *)0)->field), \
		       #theirs "." #field)

SAME(SESSION_API, SLUICE_API_CUDA);
SAME(SESSION_BYTES, SLUICE_API_SEGMENT_LEAST);
SAME(SESSION_SEGMENTS, SLUICE_MAX_API_SEGMENTS);
SAME(SESSION_STATE, SLUICE_API_STATE);
SAME(SESSION_MAP_SHIFT, SLUICE_API_MAP_SHIFT);
SAME(SESSION_MAP_INHERIT, SLUICE_API_MAP_INHERIT);
SAME(SESSION_MAP_DOORBELL, SLUICE_API_MAP_DOORBELL);
SAME(SESSION_DEV_OPEN, SLUICE_API_DEV_OPEN);
SAME(SESSION_DEV_SEGMENT, SLUICE_API_DEV_SEGMENT);
SAME(SESSION_DEV_WAIT, SLUICE_API_DEV_WAIT);
SAME(SESSION_DEV_DOORBELL, SLUICE_API_DEV_DOORBELL);
SAME(SESSION_DEV_EVENT, SLUICE_API_DEV_EVENT);
SAME_FIELD(session_open, sluice_api_dev_open, api);
SAME_FIELD(session_open, sluice_api_dev_open, bytes);
SAME_FIELD(session_segment, sluice_api_dev_segment, index);
SAME_FIELD(session_segment, sluice_api_dev_segment, bytes);
SAME_FIELD(session_wait, sluice_api_dev_wait, offset);
SAME_FIELD(session_wait, sluice_api_dev_wait, expected);
SAME_FIELD(session_wait, sluice_api_dev_wait, timeout_ms);
