/* What programs and their building share. */
#ifndef SLUICE_OPENCL_PROGRAM_H
#define SLUICE_OPENCL_PROGRAM_H

#include "api.h"

/* One that the host does not have yet; NULL: there are too many. */
cl_program program_new(cl_context context, cl_uint count, const cl_device_id *devices);
void program_discard(cl_program program);
/* Asks the host; the answer's bytes are the caller's to free. */
cl_int program_ask(cl_program program, cl_program_info param, void **data, size_t *bytes);

/* ---- told.c: binaries and logs, the same bytes until the program is built again ------------------ */

/* It was built. */
void told_forget(cl_program program);
cl_int told_log(cl_program program, cl_device_id device, const struct query *q, size_t size, void *value,
		size_t *size_ret);
cl_int told_sizes(cl_program program, const struct query *q, size_t size, void *value, size_t *size_ret);
cl_int told_binaries(cl_program program, size_t size, void *value, size_t *size_ret);

#endif
