/*
 * Arguments of kernels: checked and kept here, sent when the kernel is launched. What eight bytes
 * are the host said when the kernel was made.
 */
#include "kernel.h"

#include <stdlib.h>

#define MOST_VALUE 4096u

static bool size_fits(const struct argument *a, size_t size)
{
	if (a->bytes == 0)
		return size > 0 && size <= MOST_VALUE;
	/* Vectors of three are as large as those of four, and given as either. */
	return size == a->bytes || size * 4 == (size_t)a->bytes * 3;
}

/* Keeps a value; bytes NULL: local memory of that size. */
static cl_int set_value(struct argument *a, const void *bytes, size_t count, uint64_t local)
{
	if (!bytes) {
		bytes = &local;
		count = sizeof(local);
	}
	if (a->set && a->count == count && memcmp(a->value, bytes, count) == 0)
		return CL_SUCCESS;
	if (!a->value || a->count < count) {
		void *value = realloc(a->value, count);

		if (!value)
			return CL_OUT_OF_HOST_MEMORY;
		a->value = value;
	}
	memcpy(a->value, bytes, count);
	a->count = (uint32_t)count;
	a->set = a->changed = true;
	return CL_SUCCESS;
}

static cl_int set_object(struct argument *a, const void *object)
{
	uint32_t index = index_of(object);

	/* An index can be another object's by now: what is given is always sent. */
	a->index = index;
	a->set = a->changed = true;
	return CL_SUCCESS;
}

static cl_int set_handle(struct argument *a, size_t size, const void *value, uint32_t kind, bool optional,
			 cl_int invalid)
{
	const void *handle;

	if (size != sizeof(handle))
		return CL_INVALID_ARG_SIZE;
	handle = value ? *(void *const *)value : NULL;
	if (!handle)
		return optional ? set_object(a, NULL) : invalid;
	return object_is(handle, kind) ? set_object(a, handle) : invalid;
}

static cl_int set_local(struct argument *a, size_t size, const void *value)
{
	if (value)
		return CL_INVALID_ARG_VALUE;
	return size ? set_value(a, NULL, 0, size) : CL_INVALID_ARG_SIZE;
}

static cl_int set_plain(struct argument *a, size_t size, const void *value)
{
	if (!value)
		return CL_INVALID_ARG_VALUE;
	return size_fits(a, size) ? set_value(a, value, size, 0) : CL_INVALID_ARG_SIZE;
}

/*
 * The program does not say what the argument is, as those made of binaries may not: it is an object
 * if its bytes are the address of one that is there, local memory if there are none, else a value.
 */
static cl_int set_unknown(struct session *s, struct argument *a, size_t size, const void *value)
{
	const struct object *o = NULL;

	if (!value) {
		a->given = ARGUMENT_LOCAL;
		return set_local(a, size, NULL);
	}
	if (size == sizeof(void *)) {
		const void *address = *(void *const *)value;

		a->given = ARGUMENT_MEMORY;
		o = object_find(s, KIND_MEM, address);
		if (!o) {
			a->given = ARGUMENT_SAMPLER;
			o = object_find(s, KIND_SAMPLER, address);
		}
	}
	if (o)
		return set_object(a, o);
	a->given = ARGUMENT_VALUE;
	a->set = false;
	return set_plain(a, size, value);
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
	struct argument *a;
	cl_int status;

	if (!object_is(kernel, KIND_KERNEL))
		return CL_INVALID_KERNEL;
	if (index >= kernel->argument_count)
		return CL_INVALID_ARG_INDEX;
	pthread_mutex_lock(&kernel->lock);
	a = &kernel->arguments[index];
	switch (a->kind) {
	case ARGUMENT_VALUE:
		status = set_plain(a, size, value);
		break;
	case ARGUMENT_MEMORY:
		status = set_handle(a, size, value, KIND_MEM, true, CL_INVALID_MEM_OBJECT);
		break;
	case ARGUMENT_LOCAL:
		status = set_local(a, size, value);
		break;
	case ARGUMENT_SAMPLER:
		status = set_handle(a, size, value, KIND_SAMPLER, false, CL_INVALID_SAMPLER);
		break;
	case ARGUMENT_QUEUE:
		status = set_handle(a, size, value, KIND_QUEUE, false, CL_INVALID_DEVICE_QUEUE);
		break;
	default:
		status = set_unknown(session_of(kernel), a, size, value);
		break;
	}
	if (a->kind != ARGUMENT_UNKNOWN)
		a->given = a->kind;
	kernel->changed |= a->changed;
	pthread_mutex_unlock(&kernel->lock);
	return status;
}

cl_int arguments_send(cl_kernel kernel)
{
	uint32_t i;

	for (i = 0; kernel->changed && i < kernel->argument_count; i++) {
		struct argument *a = &kernel->arguments[i];
		bool object = a->given == ARGUMENT_MEMORY || a->given == ARGUMENT_SAMPLER || a->given == ARGUMENT_QUEUE;
		struct call_set_argument call = { .kernel = kernel->o.index, .argument = i, .what = a->given,
						  .index = object ? a->index : 0, .value = object ? NULL : a->value,
						  .value_count = object ? 0 : a->count };
		cl_int status;

		if (!a->changed)
			continue;
		status = call_set_argument(session_of(kernel), &call, NULL);
		if (status != CL_SUCCESS)
			return status;
		a->changed = false;
	}
	kernel->changed = false;
	return CL_SUCCESS;
}
