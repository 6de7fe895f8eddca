/* Programs: their making and what is told of them. build.c builds them, told.c has what that made. */
#include "program.h"

#include <stdlib.h>

#define MOST_TEXT 8192u /* of a string within a message */

static void program_destroy(struct object *o)
{
	cl_program program = (cl_program)o;

	told_forget(program);
	free(program->devices);
	free(program->options);
	pthread_mutex_destroy(&program->lock);
	object_drop(program->context);
}

cl_program program_new(cl_context context, cl_uint count, const cl_device_id *devices)
{
	cl_program program = object_new(session_of(context), KIND_PROGRAM, sizeof(*program), program_destroy);

	if (!program)
		return NULL;
	program->context = context;
	program->names_arguments = true;
	pthread_mutex_init(&program->lock, NULL);
	object_hold(context);
	program->devices = calloc(count + 1, sizeof(*devices));
	if (program->devices) {
		memcpy(program->devices, devices, count * sizeof(*devices));
		program->device_count = count;
	}
	return program;
}

void program_discard(cl_program program)
{
	program_destroy(&program->o);
	object_discard(program);
}

static cl_program program_of(cl_context context)
{
	return program_new(context, context->device_count, context->devices);
}

/* The end of all functions that make one. */
static cl_program made(cl_program program, cl_int status, cl_int *error)
{
	if (program && status != CL_SUCCESS) {
		program_discard(program);
		program = NULL;
	}
	tell(error, status);
	return program;
}

cl_int program_devices_check(cl_program program, cl_uint count, const cl_device_id *list)
{
	cl_uint i, j;

	if ((list == NULL) != (count == 0))
		return CL_INVALID_VALUE;
	for (i = 0; i < count; i++) {
		for (j = 0; j < program->device_count && program->devices[j] != list[i]; j++)
			;
		if (j == program->device_count)
			return CL_INVALID_DEVICE;
	}
	return CL_SUCCESS;
}

/* ---- source and IL ------------------------------------------------------------------------------ */

static size_t part_bytes(const char *part, const size_t *lengths, cl_uint i)
{
	return lengths && lengths[i] ? lengths[i] : strlen(part);
}

static cl_int source_send(cl_program program, cl_uint count, const char **parts, const size_t *lengths,
			  size_t total)
{
	struct session *s = session_of(program);
	struct call_create_program call = { .program = program->o.index, .context = program->context->o.index };
	struct answer answer = { 0 };
	cl_int status;
	char *at;
	cl_uint i;

	if (!arena_alloc(s, total ? total : 1, &call.source))
		return CL_OUT_OF_RESOURCES;
	at = arena_at(s, call.source);
	*at = ' ';
	for (i = 0; i < count; i++) {
		size_t bytes = part_bytes(parts[i], lengths, i);

		memcpy(at, parts[i], bytes);
		at += bytes;
	}
	status = call_create_program(s, &call, &answer);
	arena_free(s, call.source);
	return status;
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **parts, const size_t *lengths,
				     cl_int *error)
{
	cl_program program = NULL;
	cl_int status = CL_SUCCESS;
	size_t total = 0;
	cl_uint i;

	if (!object_is(context, KIND_CONTEXT))
		status = CL_INVALID_CONTEXT;
	else if (count == 0 || !parts)
		status = CL_INVALID_VALUE;
	for (i = 0; status == CL_SUCCESS && i < count; i++) {
		if (parts[i])
			total += part_bytes(parts[i], lengths, i);
		else
			status = CL_INVALID_VALUE;
	}
	if (status == CL_SUCCESS) {
		program = program_of(context);
		status = program ? source_send(program, count, parts, lengths, total) : CL_OUT_OF_HOST_MEMORY;
	}
	return made(program, status, error);
}

cl_program clCreateProgramWithIL(cl_context context, const void *il, size_t length, cl_int *error)
{
	struct call_create_program_with_il call = { .context = index_of(context) };
	struct answer answer = { 0 };
	cl_program program = NULL;
	cl_int status = CL_SUCCESS;

	if (!object_is(context, KIND_CONTEXT))
		status = CL_INVALID_CONTEXT;
	else if (!il || length == 0)
		status = CL_INVALID_VALUE;
	if (status == CL_SUCCESS) {
		struct session *s = session_of(context);

		program = program_of(context);
		status = CL_OUT_OF_HOST_MEMORY;
		if (program && arena_alloc(s, length, &call.il)) {
			memcpy(arena_at(s, call.il), il, length);
			call.program = program->o.index;
			status = call_create_program_with_il(s, &call, &answer);
			arena_free(s, call.il);
		}
	}
	return made(program, status, error);
}

/* ---- binaries and built-in kernels -------------------------------------------------------------- */

static cl_int context_devices_check(cl_context context, cl_uint count, const cl_device_id *devices)
{
	cl_uint i;

	if (!object_is(context, KIND_CONTEXT))
		return CL_INVALID_CONTEXT;
	if (!devices || count == 0)
		return CL_INVALID_VALUE;
	for (i = 0; i < count; i++)
		if (!object_is(devices[i], KIND_DEVICE) || !context_has_device(context, devices[i]))
			return CL_INVALID_DEVICE;
	return CL_SUCCESS;
}

static cl_int binaries_send(cl_program program, const uint32_t *devices, const size_t *lengths,
			    const unsigned char **binaries, size_t total, cl_int *statuses)
{
	struct session *s = session_of(program);
	uint32_t count = program->device_count;
	struct call_create_program_with_binaries call = {
		.program = program->o.index, .context = program->context->o.index,
		.devices = devices, .devices_count = count,
		.sizes = (const uint64_t *)lengths, .sizes_count = count,
	};
	struct answer answer = { 0 };
	cl_int status = CL_OUT_OF_RESOURCES;
	uint8_t *at;
	uint32_t i;

	if (!arena_alloc(s, total, &call.binaries))
		return status;
	if (arena_alloc(s, count * sizeof(cl_int), &call.statuses)) {
		at = arena_at(s, call.binaries);
		for (i = 0; i < count; at += lengths[i++])
			memcpy(at, binaries[i], lengths[i]);
		status = call_create_program_with_binaries(s, &call, &answer);
		if (statuses)
			memcpy(statuses, arena_at(s, call.statuses), count * sizeof(cl_int));
		arena_free(s, call.statuses);
	}
	arena_free(s, call.binaries);
	return status;
}

cl_program clCreateProgramWithBinary(cl_context context, cl_uint count, const cl_device_id *devices,
				     const size_t *lengths, const unsigned char **binaries, cl_int *statuses,
				     cl_int *error)
{
	cl_int status = context_devices_check(context, count, devices);
	cl_program program = NULL;
	uint32_t *indices = NULL;
	size_t total = 0;
	cl_uint i;

	if (status == CL_SUCCESS && (!lengths || !binaries))
		status = CL_INVALID_VALUE;
	for (i = 0; status == CL_SUCCESS && i < count; i++) {
		if (statuses)
			statuses[i] = lengths[i] && binaries[i] ? CL_SUCCESS : CL_INVALID_VALUE;
		if (lengths[i] == 0 || !binaries[i])
			status = CL_INVALID_VALUE;
		total += lengths[i];
	}
	if (status == CL_SUCCESS) {
		program = program_new(context, count, devices);
		indices = indices_of(devices, count);
		status = program && indices ? binaries_send(program, indices, lengths, binaries, total, statuses) :
					      CL_OUT_OF_HOST_MEMORY;
	}
	free(indices);
	return made(program, status, error);
}

cl_program clCreateProgramWithBuiltInKernels(cl_context context, cl_uint count, const cl_device_id *devices,
					     const char *names, cl_int *error)
{
	struct call_create_program_with_built_ins call = { .context = index_of(context), .names = names };
	struct answer answer = { 0 };
	cl_int status = context_devices_check(context, count, devices);
	cl_program program = NULL;
	uint32_t *indices = NULL;

	if (status == CL_SUCCESS && (!names || strlen(names) > MOST_TEXT))
		status = CL_INVALID_VALUE;
	if (status == CL_SUCCESS) {
		program = program_new(context, count, devices);
		indices = indices_of(devices, count);
		status = CL_OUT_OF_HOST_MEMORY;
	}
	if (program && indices) {
		call.program = program->o.index;
		call.devices = indices;
		call.devices_count = count;
		status = call_create_program_with_built_ins(session_of(context), &call, &answer);
	}
	free(indices);
	return made(program, status, error);
}

cl_int clSetProgramSpecializationConstant(cl_program program, cl_uint id, size_t size, const void *value)
{
	struct call_set_constant call = { .program = index_of(program), .id = id, .value = value,
					  .value_count = (uint32_t)size };
	struct answer answer = { 0 };

	if (!object_is(program, KIND_PROGRAM))
		return CL_INVALID_PROGRAM;
	if (!value || size == 0 || size > MOST_TEXT)
		return CL_INVALID_VALUE;
	return call_set_constant(session_of(program), &call, &answer);
}

cl_int clSetProgramReleaseCallback(cl_program program, void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
	(void)notify;
	(void)data;
	return object_is(program, KIND_PROGRAM) ? CL_INVALID_OPERATION : CL_INVALID_PROGRAM;
}

/* ---- information -------------------------------------------------------------------------------- */

cl_int clRetainProgram(cl_program program)
{
	if (!object_is(program, KIND_PROGRAM))
		return CL_INVALID_PROGRAM;
	object_retain(program);
	return CL_SUCCESS;
}

cl_int clReleaseProgram(cl_program program)
{
	if (!object_is(program, KIND_PROGRAM))
		return CL_INVALID_PROGRAM;
	object_release(program);
	return CL_SUCCESS;
}

static int32_t ask_program(const struct query *q, struct range out, struct answer *answer)
{
	struct call_program_info call = { .program = q->index, .param = q->param, .out = out };

	return call_program_info(q->session, &call, answer);
}

cl_int program_ask(cl_program program, cl_program_info param, void **data, size_t *bytes)
{
	struct query q = { .session = session_of(program), .index = program->o.index, .param = param,
			   .ask = ask_program };

	return query_ask(&q, data, bytes);
}

cl_int clGetProgramInfo(cl_program program, cl_program_info param, size_t size, void *value, size_t *size_ret)
{
	struct query q = { .param = param, .ask = ask_program };

	if (!object_is(program, KIND_PROGRAM))
		return CL_INVALID_PROGRAM;
	switch (param) {
	case CL_PROGRAM_REFERENCE_COUNT:
		INFO(cl_uint, object_references(program));
	case CL_PROGRAM_CONTEXT:
		INFO(cl_context, program->context);
	case CL_PROGRAM_NUM_DEVICES:
		INFO(cl_uint, program->device_count);
	case CL_PROGRAM_DEVICES:
		return info_bytes(program->devices, program->device_count * sizeof(cl_device_id), size, value,
				  size_ret);
	case CL_PROGRAM_BINARIES:
		return told_binaries(program, size, value, size_ret);
	default:
		q.session = session_of(program);
		q.index = program->o.index;
		return param == CL_PROGRAM_BINARY_SIZES ? told_sizes(program, &q, size, value, size_ret) :
							  query_info(&q, size, value, size_ret);
	}
}

static int32_t ask_build(const struct query *q, struct range out, struct answer *answer)
{
	struct call_build_info call = { .program = q->index, .device = q->other, .param = q->param, .out = out };

	return call_build_info(q->session, &call, answer);
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info param, size_t size,
			     void *value, size_t *size_ret)
{
	struct query q = { .index = index_of(program), .param = param, .ask = ask_build };
	cl_int status;

	if (!object_is(program, KIND_PROGRAM))
		return CL_INVALID_PROGRAM;
	if (!object_is(device, KIND_DEVICE) || program_devices_check(program, 1, &device) != CL_SUCCESS)
		return CL_INVALID_DEVICE;
	if (param == CL_PROGRAM_BUILD_OPTIONS && program->options) {
		pthread_mutex_lock(&program->lock);
		status = info_bytes(program->options, strlen(program->options) + 1, size, value, size_ret);
		pthread_mutex_unlock(&program->lock);
		return status;
	}
	q.session = session_of(program);
	q.other = device->o.index;
	return param == CL_PROGRAM_BUILD_LOG ? told_log(program, device, &q, size, value, size_ret) :
					       query_info(&q, size, value, size_ret);
}
