/* Launches of kernels. What makes one invalid is found here, since nobody waits for it. */
#include "command.h"
#include "kernel.h"

#define DIMENSIONS 3u

static void limits_read(cl_device_id d)
{
	if (__atomic_load_n(&d->limits_known, __ATOMIC_ACQUIRE))
		return;
	d->dimensions = (cl_uint)device_number(d, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS);
	if (d->dimensions > DIMENSIONS)
		d->dimensions = DIMENSIONS;
	device_sizes(d, CL_DEVICE_MAX_WORK_ITEM_SIZES, d->item_sizes, d->dimensions);
	d->group_size = device_number(d, CL_DEVICE_MAX_WORK_GROUP_SIZE);
	d->uneven_groups = device_number(d, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT) != 0;
	__atomic_store_n(&d->limits_known, true, __ATOMIC_RELEASE);
}

/* Of the kernel on the device; under the kernel's lock. */
static cl_int kernel_limits(cl_kernel kernel, cl_device_id device)
{
	const struct fact *size, *required;
	cl_int status;

	if (kernel->device == device)
		return CL_SUCCESS;
	status = work_group_fact(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, &size);
	if (status == CL_SUCCESS)
		status = work_group_fact(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, &required);
	if (status != CL_SUCCESS)
		return status == CL_INVALID_DEVICE ? CL_INVALID_PROGRAM_EXECUTABLE : status;
	memcpy(&kernel->group_size, size->data, sizeof(kernel->group_size));
	memcpy(kernel->required, required->data, sizeof(kernel->required));
	kernel->device = device;
	return CL_SUCCESS;
}

static cl_int local_check(cl_kernel kernel, cl_device_id d, cl_uint dimensions, const size_t *global,
			  const size_t *local)
{
	size_t product = 1;
	cl_uint i;

	for (i = 0; i < dimensions; i++) {
		if (local[i] == 0)
			return CL_INVALID_WORK_GROUP_SIZE;
		if (__builtin_mul_overflow(product, local[i], &product))
			return CL_INVALID_WORK_GROUP_SIZE;
	}
	if (product > d->group_size)
		return CL_INVALID_WORK_GROUP_SIZE;
	for (i = 0; i < dimensions; i++)
		if (local[i] > d->item_sizes[i])
			return CL_INVALID_WORK_ITEM_SIZE;
	if (kernel->group_size && product > kernel->group_size)
		return CL_INVALID_WORK_GROUP_SIZE;
	for (i = 0; !d->uneven_groups && i < dimensions; i++)
		if (global[i] % local[i])
			return CL_INVALID_WORK_GROUP_SIZE;
	return CL_SUCCESS;
}

static cl_int required_check(cl_kernel kernel, cl_uint dimensions, const size_t *local)
{
	cl_uint i;

	if (kernel->required[0] == 0 || kernel->required[1] == 0 || kernel->required[2] == 0)
		return CL_SUCCESS;
	for (i = 0; i < DIMENSIONS; i++)
		if (!local || (i < dimensions ? local[i] : 1) != kernel->required[i])
			return CL_INVALID_WORK_GROUP_SIZE;
	return CL_SUCCESS;
}

static bool is_empty(cl_uint dimensions, const size_t *global)
{
	cl_uint i;

	for (i = 0; global && i < dimensions; i++)
		if (global[i] == 0)
			return true;
	return !global;
}

/* Under the kernel's lock. */
static cl_int launch_check(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *global,
			   const size_t *local)
{
	cl_int status = kernel_limits(kernel, queue->device);
	uint32_t i;

	if (status == CL_SUCCESS && !is_empty(dimensions, global)) {
		if (local)
			status = local_check(kernel, queue->device, dimensions, global, local);
		if (status == CL_SUCCESS)
			status = required_check(kernel, dimensions, local);
	}
	for (i = 0; status == CL_SUCCESS && i < kernel->argument_count; i++)
		if (!kernel->arguments[i].set)
			status = CL_INVALID_KERNEL_ARGS;
	return status;
}

static cl_int launch(cl_command_queue queue, cl_kernel kernel, cl_command_type type, cl_uint dimensions,
		     const size_t *offset, const size_t *global, const size_t *local, cl_uint count,
		     const cl_event *list, cl_event *event)
{
	static const size_t nothing[DIMENSIONS];
	struct command c;
	cl_int status;

	if (!object_is(queue, KIND_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	if (!object_is(kernel, KIND_KERNEL))
		return CL_INVALID_KERNEL;
	if (kernel->program->context != queue->context)
		return CL_INVALID_CONTEXT;
	limits_read(queue->device);
	if (dimensions < 1 || dimensions > queue->device->dimensions)
		return CL_INVALID_WORK_DIMENSION;
	status = command_check(queue, count, list);
	if (status != CL_SUCCESS)
		return status;
	pthread_mutex_lock(&kernel->lock);
	status = launch_check(queue, kernel, dimensions, global, local);
	if (status == CL_SUCCESS)
		status = arguments_send(kernel);
	if (status == CL_SUCCESS)
		status = command_begin(&c, queue, type, count, list, event != NULL);
	if (status == CL_SUCCESS) {
		struct call_launch call = { COMMAND(&c), .kernel = kernel->o.index,
					    .offset = (const uint64_t *)offset,
					    .offset_count = offset ? dimensions : 0,
					    .global = (const uint64_t *)(global ? global : nothing),
					    .global_count = dimensions, .local = (const uint64_t *)local,
					    .local_count = local ? dimensions : 0 };

		status = command_end(&c, call_launch(c.session, &call, NULL), false, event);
	}
	pthread_mutex_unlock(&kernel->lock);
	return status;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
			      const size_t *global, const size_t *local, cl_uint count, const cl_event *list,
			      cl_event *event)
{
	return launch(queue, kernel, CL_COMMAND_NDRANGE_KERNEL, dimensions, offset, global, local, count, list,
		      event);
}

cl_int clEnqueueTask(cl_command_queue queue, cl_kernel kernel, cl_uint count, const cl_event *list,
		     cl_event *event)
{
	static const size_t one[1] = { 1 };

	return launch(queue, kernel, CL_COMMAND_TASK, 1, NULL, one, one, count, list, event);
}
