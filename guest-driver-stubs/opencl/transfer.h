/* Commands that move bytes between the application and the device. */
#ifndef SLUICE_OPENCL_TRANSFER_H
#define SLUICE_OPENCL_TRANSFER_H

#include "command.h"

struct transfer {
	cl_command_queue queue;
	cl_mem mem;
	bool write, blocking;
	cl_command_type type;
	uint64_t offset;        /* of a buffer, where no box is */
	uint64_t box[13];       /* as readRect or readImage have it, of memory without gaps */
	uint32_t box_count;     /* 0: a buffer's bytes in a row */
	struct layout layout;   /* the application's memory */
	struct staging *staging; /* that it is of, which has a user less when the command is done; NULL: none */
	cl_uint wait_count;
	const cl_event *waits;
	cl_event *event;
};

/* Runs one that was checked. */
cl_int transfer_run(const struct transfer *t);
/* Sends the call of one within a command, for memory that is registered. */
cl_int transfer_send(const struct transfer *t, struct command *c, struct range range, struct answer *answer);

/* Runs one that is waited for as one command, by that memory, which it frees; or one of no bytes. */
cl_int transfer_whole(const struct transfer *t, struct session *s, struct range range);
cl_int transfer_empty(const struct transfer *t);

/* Whether one is of so many bytes in a row that it passes in pieces, and runs it so. */
bool pieces_suit(const struct transfer *t);
cl_int pieces_run(const struct transfer *t);

/* As memcpy, of much that is not looked at at once. */
void stream_copy(void *to, const void *from, size_t bytes);

/* The checks of reads and writes. */
cl_int transfer_check(cl_command_queue queue, cl_mem mem, bool image, bool write, const void *at, cl_uint count,
		      const cl_event *waits);
/* Offsets within a buffer. */
static inline bool is_within(size_t offset, size_t size, size_t whole)
{
	return offset <= whole && size <= whole - offset;
}

/* The shape that a region of an image has in memory; pitches of 0 become those without gaps. */
cl_int image_layout_check(cl_mem image, const size_t *region, size_t row_pitch, size_t slice_pitch,
			  struct layout *layout);

#endif
