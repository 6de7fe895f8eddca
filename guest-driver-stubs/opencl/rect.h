/* Rectangles within buffers. */
#ifndef SLUICE_OPENCL_RECT_H
#define SLUICE_OPENCL_RECT_H

#include "api.h"

/* The pitches of a rectangle, with those of 0 filled in, and the bytes up to its end; CL_INVALID_VALUE. */
cl_int rect_check(const size_t *origin, const size_t *region, size_t *row_pitch, size_t *slice_pitch,
		  size_t *end);

#endif
