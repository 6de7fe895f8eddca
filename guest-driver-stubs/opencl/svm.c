/*
 * Functions that cannot work from another process: shared virtual memory, pipes, native kernels.
 * Devices say that they lack them.
 */
#include "api.h"
#include "command.h"

void *clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
	(void)context;
	(void)flags;
	(void)size;
	(void)alignment;
	return NULL;
}

void clSVMFree(cl_context context, void *pointer)
{
	(void)context;
	(void)pointer;
}

static cl_int not_here(cl_command_queue queue, cl_uint count, const cl_event *list)
{
	cl_int status = command_check(queue, count, list);

	return status ? status : CL_INVALID_OPERATION;
}

cl_int clEnqueueSVMFree(cl_command_queue queue, cl_uint pointers, void *list[],
			void(CL_CALLBACK *free_function)(cl_command_queue, cl_uint, void *[], void *), void *data,
			cl_uint count, const cl_event *waits, cl_event *event)
{
	(void)pointers;
	(void)list;
	(void)free_function;
	(void)data;
	(void)event;
	return not_here(queue, count, waits);
}

cl_int clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void *to, const void *from, size_t size,
			  cl_uint count, const cl_event *waits, cl_event *event)
{
	(void)blocking;
	(void)to;
	(void)from;
	(void)size;
	(void)event;
	return not_here(queue, count, waits);
}

cl_int clEnqueueSVMMemFill(cl_command_queue queue, void *to, const void *pattern, size_t pattern_size,
			   size_t size, cl_uint count, const cl_event *waits, cl_event *event)
{
	(void)to;
	(void)pattern;
	(void)pattern_size;
	(void)size;
	(void)event;
	return not_here(queue, count, waits);
}

cl_int clEnqueueSVMMap(cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void *at, size_t size,
		       cl_uint count, const cl_event *waits, cl_event *event)
{
	(void)blocking;
	(void)flags;
	(void)at;
	(void)size;
	(void)event;
	return not_here(queue, count, waits);
}

cl_int clEnqueueSVMUnmap(cl_command_queue queue, void *at, cl_uint count, const cl_event *waits, cl_event *event)
{
	(void)at;
	(void)event;
	return not_here(queue, count, waits);
}

cl_int clEnqueueSVMMigrateMem(cl_command_queue queue, cl_uint pointers, const void **list, const size_t *sizes,
			      cl_mem_migration_flags flags, cl_uint count, const cl_event *waits,
			      cl_event *event)
{
	(void)pointers;
	(void)list;
	(void)sizes;
	(void)flags;
	(void)event;
	return not_here(queue, count, waits);
}

cl_int clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void *value)
{
	(void)index;
	(void)value;
	return object_is(kernel, KIND_KERNEL) ? CL_INVALID_OPERATION : CL_INVALID_KERNEL;
}

cl_int clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info param, size_t size, const void *value)
{
	(void)param;
	(void)size;
	(void)value;
	return object_is(kernel, KIND_KERNEL) ? CL_INVALID_OPERATION : CL_INVALID_KERNEL;
}

cl_int clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *function)(void *), void *arguments,
			     size_t size, cl_uint mems, const cl_mem *list, const void **places, cl_uint count,
			     const cl_event *waits, cl_event *event)
{
	(void)function;
	(void)arguments;
	(void)size;
	(void)mems;
	(void)list;
	(void)places;
	(void)event;
	return not_here(queue, count, waits);
}

cl_mem clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint packet_size, cl_uint packets,
		    const cl_pipe_properties *properties, cl_int *error)
{
	(void)flags;
	(void)packet_size;
	(void)packets;
	(void)properties;
	tell(error, object_is(context, KIND_CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT);
	return NULL;
}

cl_int clGetPipeInfo(cl_mem pipe, cl_pipe_info param, size_t size, void *value, size_t *size_ret)
{
	(void)pipe;
	(void)param;
	(void)size;
	(void)value;
	(void)size_ret;
	return CL_INVALID_MEM_OBJECT;
}
