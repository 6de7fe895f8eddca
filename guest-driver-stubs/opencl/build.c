/*
 * Building, compiling and linking. The caller waits, with a callback as well: it is called before
 * the function returns.
 */
#include "program.h"

#include <stdlib.h>

#define MOST_TEXT 8192u /* of a string within a message */
#define MOST_LIST 1024u

typedef void(CL_CALLBACK *built)(cl_program, void *);

static cl_int build_check(cl_program program, cl_uint count, const cl_device_id *list, const char *options,
			  built notify, const void *data)
{
	cl_int status;

	if (!object_is(program, KIND_PROGRAM))
		return CL_INVALID_PROGRAM;
	status = program_devices_check(program, count, list);
	if (status != CL_SUCCESS)
		return status;
	if (!notify && data)
		return CL_INVALID_VALUE;
	if (__atomic_load_n(&program->kernels, __ATOMIC_RELAXED))
		return CL_INVALID_OPERATION;
	return options && strlen(options) > MOST_TEXT ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

/* What the application gave: the host adds what it needs itself. */
static void options_keep(cl_program program, const char *options)
{
	pthread_mutex_lock(&program->lock);
	free(program->options);
	program->options = strdup(options ? options : "");
	program->names_arguments = options && strstr(options, "-cl-kernel-arg-info");
	pthread_mutex_unlock(&program->lock);
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *list, const char *options,
		      built notify, void *data)
{
	struct call_build_program call = { .program = index_of(program), .options = options,
					   .devices_count = count };
	struct answer answer = { 0 };
	uint32_t *devices;
	cl_int status = build_check(program, count, list, options, notify, data);

	if (status != CL_SUCCESS)
		return status;
	devices = indices_of(list, count);
	if (!devices)
		return CL_OUT_OF_HOST_MEMORY;
	call.devices = devices;
	options_keep(program, options);
	status = call_build_program(session_of(program), &call, &answer);
	told_forget(program);
	free(devices);
	if (notify)
		notify(program, data);
	return status;
}

/* The names of headers, a line each. */
static cl_int names_join(cl_uint count, const char **names, char *text)
{
	size_t used = 0;
	cl_uint i;

	for (i = 0; i < count; i++) {
		size_t length = names[i] ? strlen(names[i]) : 0;

		if (length == 0 || length + 1 > MOST_TEXT - used || strpbrk(names[i], "\r\n"))
			return CL_INVALID_VALUE;
		memcpy(text + used, names[i], length);
		used += length;
		text[used++] = '\n';
	}
	text[used] = 0;
	return CL_SUCCESS;
}

static cl_int programs_check(cl_uint count, const cl_program *list)
{
	cl_uint i;

	if (count > MOST_LIST)
		return CL_OUT_OF_RESOURCES;
	for (i = 0; i < count; i++)
		if (!object_is(list[i], KIND_PROGRAM))
			return CL_INVALID_PROGRAM;
	return CL_SUCCESS;
}

cl_int clCompileProgram(cl_program program, cl_uint count, const cl_device_id *list, const char *options,
			cl_uint header_count, const cl_program *headers, const char **names, built notify, void *data)
{
	struct call_compile_program call = { .program = index_of(program), .options = options,
					     .devices_count = count, .headers_count = header_count };
	struct answer answer = { 0 };
	char text[MOST_TEXT + 1];
	uint32_t *devices, *indices;
	cl_int status = build_check(program, count, list, options, notify, data);

	if (status == CL_SUCCESS && ((header_count == 0) != (headers == NULL) || (headers == NULL) != (names == NULL)))
		status = CL_INVALID_VALUE;
	if (status == CL_SUCCESS)
		status = programs_check(header_count, headers);
	if (status == CL_SUCCESS)
		status = names_join(header_count, names, text);
	if (status != CL_SUCCESS)
		return status;
	devices = indices_of(list, count);
	indices = indices_of(headers, header_count);
	status = CL_OUT_OF_HOST_MEMORY;
	if (devices && indices) {
		call.devices = devices;
		call.headers = indices;
		call.names = text;
		options_keep(program, options);
		status = call_compile_program(session_of(program), &call, &answer);
		told_forget(program);
	}
	free(devices);
	free(indices);
	if (notify)
		notify(program, data);
	return status;
}

static cl_int link_check(cl_context context, cl_uint count, const cl_device_id *list, const char *options,
			 cl_uint input_count, const cl_program *inputs, built notify, const void *data)
{
	cl_uint i;

	if (!object_is(context, KIND_CONTEXT))
		return CL_INVALID_CONTEXT;
	if ((list == NULL) != (count == 0) || input_count == 0 || !inputs || (!notify && data))
		return CL_INVALID_VALUE;
	for (i = 0; i < count; i++)
		if (!object_is(list[i], KIND_DEVICE) || !context_has_device(context, list[i]))
			return CL_INVALID_DEVICE;
	if (options && strlen(options) > MOST_TEXT)
		return CL_OUT_OF_RESOURCES;
	return programs_check(input_count, inputs);
}

cl_program clLinkProgram(cl_context context, cl_uint count, const cl_device_id *list, const char *options,
			 cl_uint input_count, const cl_program *inputs, built notify, void *data, cl_int *error)
{
	struct call_link_program call = { .context = index_of(context), .options = options, .devices_count = count,
					  .inputs_count = input_count };
	struct answer answer = { 0 };
	cl_int status = link_check(context, count, list, options, input_count, inputs, notify, data);
	uint32_t *devices, *indices;
	cl_program program = NULL;

	if (status != CL_SUCCESS) {
		tell(error, status);
		return NULL;
	}
	devices = indices_of(list, count);
	indices = indices_of(inputs, input_count);
	if (devices && indices)
		program = count ? program_new(context, count, list) :
				  program_new(context, context->device_count, context->devices);
	status = CL_OUT_OF_HOST_MEMORY;
	if (program) {
		call.program = program->o.index;
		call.devices = devices;
		call.inputs = indices;
		status = call_link_program(session_of(context), &call, &answer);
		options_keep(program, options);
	}
	free(devices);
	free(indices);
	/* Of a failed one the application may read the log; the host says whether there is one. */
	if (program && status != CL_SUCCESS && answer.values[0] == 0) {
		object_release(program);
		program = NULL;
	}
	tell(error, status);
	if (notify)
		notify(program, data);
	return program;
}
