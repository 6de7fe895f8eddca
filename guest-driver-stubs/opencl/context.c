/* Contexts. */
#include "api.h"

#include <stdlib.h>

static void context_destroy(struct object *o)
{
	cl_context context = (cl_context)o;
	struct callback *c = context->destructors;
	uint32_t i;

	while (c) {
		struct callback *next = c->next;

		((void(CL_CALLBACK *)(cl_context, void *))c->function)(context, c->data);
		free(c);
		c = next;
	}
	for (i = 0; i < context->device_count; i++)
		if (context->devices[i]->parent)
			object_drop(context->devices[i]);
	free(context->devices);
	free(context->properties);
}

static cl_int properties_check(const cl_context_properties *p)
{
	bool platform = false, sync = false;

	for (; p && p[0]; p += 2) {
		switch (p[0]) {
		case CL_CONTEXT_PLATFORM:
			if (platform)
				return CL_INVALID_PROPERTY;
			platform = true;
			if (!object_is((void *)p[1], KIND_PLATFORM))
				return CL_INVALID_PLATFORM;
			break;
		case CL_CONTEXT_INTEROP_USER_SYNC:
			if (sync || (p[1] != CL_TRUE && p[1] != CL_FALSE))
				return CL_INVALID_PROPERTY;
			sync = true;
			break;
		default:
			return CL_INVALID_PROPERTY;
		}
	}
	return CL_SUCCESS;
}

/* A list without what is in it twice. */
static uint32_t devices_take(cl_device_id *to, const cl_device_id *from, cl_uint count)
{
	uint32_t used = 0, i, j;

	for (i = 0; i < count; i++) {
		for (j = 0; j < used && to[j] != from[i]; j++)
			;
		if (j == used)
			to[used++] = from[i];
	}
	return used;
}

static cl_context context_make(struct session *s, const cl_context_properties *properties, cl_uint count,
			       const cl_device_id *devices, cl_int *status)
{
	cl_context context = object_new(s, KIND_CONTEXT, sizeof(*context), context_destroy);
	struct call_create_context call = { 0 };
	struct answer answer = { 0 };
	uint32_t *indices = NULL;
	uint32_t i;

	*status = CL_OUT_OF_HOST_MEMORY;
	if (!context)
		return NULL;
	context->devices = calloc(count, sizeof(*devices));
	if (context->devices) {
		context->device_count = devices_take(context->devices, devices, count);
		indices = indices_of(context->devices, context->device_count);
	}
	if (indices) {
		call.context = context->o.index;
		call.devices = indices;
		call.devices_count = context->device_count;
		*status = call_create_context(s, &call, &answer);
		free(indices);
	}
	if (*status != CL_SUCCESS) {
		free(context->devices);
		object_discard(context);
		return NULL;
	}
	context->properties = list_copy(properties, sizeof(*properties), &context->property_bytes);
	for (i = 0; i < context->device_count; i++)
		if (context->devices[i]->parent)
			object_hold(context->devices[i]);
	return context;
}

cl_context clCreateContext(const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
			   void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data,
			   cl_int *error)
{
	struct session *s = session_get();
	cl_context context = NULL;
	cl_int status = properties_check(properties);
	cl_uint i;

	if (!devices || count == 0 || (!notify && data))
		status = CL_INVALID_VALUE;
	for (i = 0; status == CL_SUCCESS && i < count; i++)
		if (!object_is(devices[i], KIND_DEVICE))
			status = CL_INVALID_DEVICE;
	if (status == CL_SUCCESS && !s)
		status = CL_DEVICE_NOT_AVAILABLE;
	if (status == CL_SUCCESS)
		context = context_make(s, properties, count, devices, &status);
	tell(error, status);
	return context;
}

cl_context clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
				   void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
				   void *data, cl_int *error)
{
	const cl_context_properties *p;
	cl_device_id devices[KIND_DEVICE_MOST];
	cl_platform_id platform = NULL;
	cl_int status = properties_check(properties);
	cl_uint count = 0;

	if (!notify && data)
		status = CL_INVALID_VALUE;
	for (p = properties; status == CL_SUCCESS && p && p[0]; p += 2)
		if (p[0] == CL_CONTEXT_PLATFORM)
			platform = (cl_platform_id)p[1];
	if (status == CL_SUCCESS)
		status = clGetDeviceIDs(platform, type, KIND_DEVICE_MOST, devices, &count);
	if (status != CL_SUCCESS) {
		tell(error, status);
		return NULL;
	}
	return clCreateContext(properties, count, devices, notify, data, error);
}

cl_int clRetainContext(cl_context context)
{
	if (!object_is(context, KIND_CONTEXT))
		return CL_INVALID_CONTEXT;
	object_retain(context);
	return CL_SUCCESS;
}

cl_int clReleaseContext(cl_context context)
{
	if (!object_is(context, KIND_CONTEXT))
		return CL_INVALID_CONTEXT;
	object_release(context);
	return CL_SUCCESS;
}

cl_int clGetContextInfo(cl_context context, cl_context_info param, size_t size, void *value, size_t *size_ret)
{
	if (!object_is(context, KIND_CONTEXT))
		return CL_INVALID_CONTEXT;
	switch (param) {
	case CL_CONTEXT_REFERENCE_COUNT:
		INFO(cl_uint, object_references(context));
	case CL_CONTEXT_NUM_DEVICES:
		INFO(cl_uint, context->device_count);
	case CL_CONTEXT_DEVICES:
		return info_bytes(context->devices, context->device_count * sizeof(cl_device_id), size, value,
				  size_ret);
	case CL_CONTEXT_PROPERTIES:
		return info_bytes(context->properties, context->property_bytes, size, value, size_ret);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int clSetContextDestructorCallback(cl_context context, void(CL_CALLBACK *notify)(cl_context, void *), void *data)
{
	if (!object_is(context, KIND_CONTEXT))
		return CL_INVALID_CONTEXT;
	if (!notify)
		return CL_INVALID_VALUE;
	return callback_add(&context->destructors, (void (*)(void))notify, data) ? CL_SUCCESS :
										      CL_OUT_OF_HOST_MEMORY;
}

bool context_has_device(cl_context context, cl_device_id device)
{
	uint32_t i;

	for (i = 0; i < context->device_count; i++)
		if (context->devices[i] == device)
			return true;
	return false;
}

uint32_t *indices_of(const void *objects, size_t count)
{
	struct object *const *list = objects;
	uint32_t *indices = malloc((count + 1) * sizeof(*indices));
	size_t i;

	for (i = 0; indices && i < count; i++)
		indices[i] = list[i]->index;
	return indices;
}
