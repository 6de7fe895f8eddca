/* What programs and their building share. */
#ifndef SLUICE_OPENCL_PROGRAM_H
#define SLUICE_OPENCL_PROGRAM_H

#include "api.h"

/* One that the host does not have yet; NULL: there are too many. */
cl_program program_new(cl_context context, cl_uint count, const cl_device_id *devices);
void program_discard(cl_program program);
/* Asks the host; the answer's bytes are the caller's to free. */
cl_int program_ask(cl_program program, cl_program_info param, void **data, size_t *bytes);

#endif
