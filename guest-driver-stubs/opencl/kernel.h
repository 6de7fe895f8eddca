/* What kernels and their launches share. */
#ifndef SLUICE_OPENCL_KERNEL_H
#define SLUICE_OPENCL_KERNEL_H

#include "api.h"

/* Sends the arguments that were set since the last launch; under the kernel's lock. */
cl_int arguments_send(cl_kernel kernel);
/* A fact about a kernel on a device. */
cl_int work_group_fact(cl_kernel kernel, cl_device_id device, cl_uint param, const struct fact **fact);

#endif
