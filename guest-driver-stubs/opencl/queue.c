/* Command queues. */
#include "api.h"
#include "command.h"
#include "slots.h"

#include <stdlib.h>

#define FLAGS (CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)
#define DEVICE_FLAGS (CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT)

static uint64_t last_number; /* atomic */

static void queue_destroy(struct object *o)
{
	cl_command_queue queue = (cl_command_queue)o;

	pending_forget_queue(queue);
	pthread_mutex_destroy(&queue->lock);
	object_drop(queue->context);
	if (queue->device->parent)
		object_drop(queue->device);
	free(queue->properties);
}

static cl_command_queue queue_make(cl_context context, cl_device_id device, cl_command_queue_properties flags,
				   cl_int *status)
{
	struct session *s = session_of(context);
	cl_command_queue queue = object_new(s, KIND_QUEUE, sizeof(*queue), queue_destroy);
	uint64_t properties[] = { CL_QUEUE_PROPERTIES, flags };
	struct call_create_queue call = { .context = context->o.index, .device = device->o.index,
					  .properties = properties, .properties_count = 2 };
	struct answer answer = { 0 };

	*status = CL_OUT_OF_HOST_MEMORY;
	if (!queue)
		return NULL;
	call.queue = queue->o.index;
	*status = call_create_queue(s, &call, &answer);
	if (*status != CL_SUCCESS) {
		object_discard(queue);
		return NULL;
	}
	queue->number = __atomic_add_fetch(&last_number, 1, __ATOMIC_RELAXED);
	queue->context = context;
	queue->device = device;
	queue->flags = flags;
	pthread_mutex_init(&queue->lock, NULL);
	object_hold(context);
	if (device->parent)
		object_hold(device);
	pending_know_queue(queue);
	if (!(device_number(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU))
		looks_lengthen(s);
	return queue;
}

static cl_int flags_check(cl_device_id device, cl_command_queue_properties flags)
{
	if (flags & ~(cl_command_queue_properties)(FLAGS | DEVICE_FLAGS))
		return CL_INVALID_VALUE;
	if (flags & CL_QUEUE_ON_DEVICE_DEFAULT && !(flags & CL_QUEUE_ON_DEVICE))
		return CL_INVALID_VALUE;
	if (flags & ~device_number(device, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES))
		return CL_INVALID_QUEUE_PROPERTIES;
	return CL_SUCCESS;
}

static cl_int objects_check(cl_context context, cl_device_id device)
{
	if (!object_is(context, KIND_CONTEXT))
		return CL_INVALID_CONTEXT;
	return object_is(device, KIND_DEVICE) && context_has_device(context, device) ? CL_SUCCESS :
											CL_INVALID_DEVICE;
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device, cl_command_queue_properties flags,
				      cl_int *error)
{
	cl_command_queue queue = NULL;
	cl_int status = objects_check(context, device);

	if (status == CL_SUCCESS && flags & ~(cl_command_queue_properties)FLAGS)
		status = CL_INVALID_VALUE;
	if (status == CL_SUCCESS)
		status = flags_check(device, flags);
	if (status == CL_SUCCESS)
		queue = queue_make(context, device, flags, &status);
	tell(error, status);
	return queue;
}

/* The flags within a list of properties. */
static cl_int properties_read(const cl_queue_properties *p, cl_command_queue_properties *flags)
{
	bool sized = false;

	for (; p && p[0]; p += 2) {
		if (p[0] == CL_QUEUE_PROPERTIES)
			*flags = p[1];
		else if (p[0] == CL_QUEUE_SIZE)
			sized = true;
		else
			return CL_INVALID_VALUE;
	}
	return sized && !(*flags & CL_QUEUE_ON_DEVICE) ? CL_INVALID_VALUE : CL_SUCCESS;
}

cl_command_queue clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
						    const cl_queue_properties *properties, cl_int *error)
{
	cl_command_queue_properties flags = 0;
	cl_command_queue queue = NULL;
	cl_int status = objects_check(context, device);

	if (status == CL_SUCCESS)
		status = properties_read(properties, &flags);
	if (status == CL_SUCCESS)
		status = flags_check(device, flags);
	if (status == CL_SUCCESS)
		queue = queue_make(context, device, flags, &status);
	if (queue)
		queue->properties = list_copy(properties, sizeof(*properties), &queue->property_bytes);
	tell(error, status);
	return queue;
}

cl_int clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device, cl_command_queue queue)
{
	cl_int status = objects_check(context, device);

	/* There are no queues on devices. */
	(void)queue;
	return status ? status : CL_INVALID_OPERATION;
}

cl_int clSetCommandQueueProperty(cl_command_queue queue, cl_command_queue_properties flags, cl_bool enable,
				 cl_command_queue_properties *before)
{
	(void)flags;
	(void)enable;
	(void)before;
	return object_is(queue, KIND_QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

cl_int clRetainCommandQueue(cl_command_queue queue)
{
	if (!object_is(queue, KIND_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	object_retain(queue);
	return CL_SUCCESS;
}

cl_int clReleaseCommandQueue(cl_command_queue queue)
{
	if (!object_is(queue, KIND_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	clFlush(queue);
	object_release(queue);
	return CL_SUCCESS;
}

cl_int clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info param, size_t size, void *value,
			     size_t *size_ret)
{
	if (!object_is(queue, KIND_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	switch (param) {
	case CL_QUEUE_CONTEXT:
		INFO(cl_context, queue->context);
	case CL_QUEUE_DEVICE:
		INFO(cl_device_id, queue->device);
	case CL_QUEUE_REFERENCE_COUNT:
		INFO(cl_uint, object_references(queue));
	case CL_QUEUE_PROPERTIES:
		INFO(cl_command_queue_properties, queue->flags);
	case CL_QUEUE_DEVICE_DEFAULT:
		INFO(cl_command_queue, NULL);
	case CL_QUEUE_SIZE:
		return CL_INVALID_COMMAND_QUEUE;
	case CL_QUEUE_PROPERTIES_ARRAY:
		return info_bytes(queue->properties, queue->property_bytes, size, value, size_ret);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int clFlush(cl_command_queue queue)
{
	struct call_flush call = { .queue = index_of(queue) };

	if (!object_is(queue, KIND_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	return call_flush(session_of(queue), &call, NULL);
}

/* Without a place for an answer, by a marker: it does not say what failed unseen. */
static cl_int finish_asking(cl_command_queue queue)
{
	struct command c;
	cl_int status = command_begin(&c, queue, CL_COMMAND_MARKER, 0, NULL, true);

	if (status == CL_SUCCESS) {
		struct call_marker call = { COMMAND(&c) };

		status = command_end(&c, call_marker(c.session, &call, NULL), true, NULL);
	}
	if (status == CL_SUCCESS)
		pending_settle(c.session, queue, true, c.sequence);
	return status;
}

cl_int clFinish(cl_command_queue queue)
{
	struct call_finish call = { .queue = index_of(queue) };
	struct answer answer = { .later = true };
	struct session *s;
	uint64_t sequence;
	cl_int status;

	if (!object_is(queue, KIND_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	s = session_of(queue);
	answer.has_slot = slot_try(s, 0, &answer.slot);
	if (!answer.has_slot) {
		status = finish_asking(queue);
		answer.has_slot = status == CL_SUCCESS && slot_try(s, 0, &answer.slot);
		if (!answer.has_slot)
			return status;
	}
	pthread_mutex_lock(&queue->lock);
	sequence = command_sequence(s);
	status = call_finish(s, &call, &answer);
	pthread_mutex_unlock(&queue->lock);
	slot_give_unused(s, &answer);
	if (status != CL_SUCCESS)
		return status;
	status = message_wait(s, &answer);
	pending_settle(s, queue, true, sequence);
	return status;
}
