/* Kernels: their making and what is told of them. */
#include "kernel.h"
#include "program.h"
#include "watch.h"

#include <stdlib.h>

#define MOST_NAME 8192u
#define MOST_SUB_GROUP_INPUT 64u

/* Keys of facts: which query, then device or argument, then parameter. */
#define KEY(what, other, param) ((uint64_t)(what) << 56 | (uint64_t)(other) << 32 | (param))
#define FACT_KERNEL 0
#define FACT_ARGUMENT 1
#define FACT_WORK_GROUP 2

static void kernel_destroy(struct object *o)
{
	cl_kernel kernel = (cl_kernel)o;
	uint32_t i;

	for (i = 0; kernel->arguments && i < kernel->argument_count; i++)
		free(kernel->arguments[i].value);
	free(kernel->arguments);
	free(kernel->name);
	facts_free(&kernel->facts);
	pthread_mutex_destroy(&kernel->lock);
	if (kernel->program) {
		__atomic_fetch_sub(&kernel->program->kernels, 1, __ATOMIC_RELAXED);
		object_drop(kernel->program);
	}
}

/* What the host says its arguments are. */
static cl_int arguments_read(cl_kernel kernel)
{
	struct session *s = session_of(kernel);
	struct call_arguments call = { .kernel = kernel->o.index };
	struct answer answer = { 0 };
	const uint32_t *words;
	cl_int status;
	uint32_t i;

	if (kernel->argument_count == 0)
		return CL_SUCCESS;
	kernel->arguments = calloc(kernel->argument_count, sizeof(*kernel->arguments));
	if (!kernel->arguments || !arena_alloc(s, 8ull * kernel->argument_count, &call.out))
		return CL_OUT_OF_HOST_MEMORY;
	status = call_arguments(s, &call, &answer);
	words = arena_at(s, call.out);
	for (i = 0; status == CL_SUCCESS && i < kernel->argument_count; i++) {
		kernel->arguments[i].kind = words[2 * i];
		kernel->arguments[i].bytes = words[2 * i + 1];
	}
	arena_free(s, call.out);
	return status;
}

static cl_kernel kernel_new(cl_program program, const char *name)
{
	cl_kernel kernel = object_new(session_of(program), KIND_KERNEL, sizeof(*kernel), kernel_destroy);

	if (!kernel)
		return NULL;
	kernel->program = program;
	object_hold(program);
	__atomic_fetch_add(&program->kernels, 1, __ATOMIC_RELAXED);
	pthread_mutex_init(&kernel->lock, NULL);
	kernel->name = strdup(name);
	return kernel;
}

static void kernel_discard(cl_kernel kernel)
{
	kernel_destroy(&kernel->o);
	object_discard(kernel);
}

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *error)
{
	struct call_create_kernel call = { .program = index_of(program), .name = name };
	struct answer answer = { 0 };
	cl_kernel kernel = NULL;
	cl_int status = CL_SUCCESS;

	if (!object_is(program, KIND_PROGRAM))
		status = CL_INVALID_PROGRAM;
	else if (!name)
		status = CL_INVALID_VALUE;
	else if (strlen(name) > MOST_NAME)
		status = CL_INVALID_KERNEL_NAME;
	if (status == CL_SUCCESS) {
		kernel = kernel_new(program, name);
		status = CL_OUT_OF_HOST_MEMORY;
	}
	if (kernel) {
		call.kernel = kernel->o.index;
		status = call_create_kernel(session_of(program), &call, &answer);
		if (status != CL_SUCCESS) {
			kernel_discard(kernel);
			kernel = NULL;
		}
	}
	if (kernel) {
		kernel->argument_count = (uint32_t)answer.values[0];
		if (answer.values[1])
			watch_prints(session_of(program));
		status = arguments_read(kernel);
		if (status != CL_SUCCESS) {
			object_release(kernel);
			kernel = NULL;
		}
	}
	tell(error, status);
	return kernel;
}

cl_int clCreateKernelsInProgram(cl_program program, cl_uint entries, cl_kernel *kernels, cl_uint *count)
{
	cl_uint there = 0, made = 0;
	size_t bytes;
	char *names, *name, *rest = NULL;
	cl_int status;

	if (!object_is(program, KIND_PROGRAM))
		return CL_INVALID_PROGRAM;
	status = program_ask(program, CL_PROGRAM_KERNEL_NAMES, (void **)&names, &bytes);
	if (status != CL_SUCCESS)
		return status;
	names[bytes] = 0;
	for (name = names; *name; name += strcspn(name, ";"), name += *name == ';')
		there++;
	if (kernels && entries < there)
		status = CL_INVALID_VALUE;
	name = kernels && status == CL_SUCCESS ? strtok_r(names, ";", &rest) : NULL;
	for (; name && status == CL_SUCCESS; name = strtok_r(NULL, ";", &rest))
		kernels[made++] = clCreateKernel(program, name, &status);
	if (status != CL_SUCCESS)
		while (made > 0)
			if (kernels[--made])
				clReleaseKernel(kernels[made]);
	if (status == CL_SUCCESS && count)
		*count = there;
	free(names);
	return status;
}

/* Copies what is set; the host's copy has it already. */
static bool arguments_copy(cl_kernel to, cl_kernel from)
{
	uint32_t i;

	to->argument_count = 0;
	to->arguments = calloc(from->argument_count + 1, sizeof(*to->arguments));
	for (i = 0; to->arguments && i < from->argument_count; i++) {
		struct argument *a = &to->arguments[i];

		*a = from->arguments[i];
		to->argument_count++;
		if (!a->value)
			continue;
		a->value = malloc(a->count + 1);
		if (!a->value)
			return false;
		memcpy(a->value, from->arguments[i].value, a->count);
	}
	return to->arguments != NULL;
}

cl_kernel clCloneKernel(cl_kernel source, cl_int *error)
{
	struct call_clone_kernel call = { .source = index_of(source) };
	struct answer answer = { 0 };
	cl_kernel kernel;
	cl_int status = CL_OUT_OF_HOST_MEMORY;

	if (!object_is(source, KIND_KERNEL)) {
		tell(error, CL_INVALID_KERNEL);
		return NULL;
	}
	kernel = kernel_new(source->program, source->name);
	if (kernel) {
		call.kernel = kernel->o.index;
		pthread_mutex_lock(&source->lock);
		status = arguments_send(source);
		if (status == CL_SUCCESS)
			status = call_clone_kernel(session_of(source), &call, &answer);
		if (status == CL_SUCCESS && !arguments_copy(kernel, source))
			status = CL_OUT_OF_HOST_MEMORY;
		pthread_mutex_unlock(&source->lock);
		if (status != CL_SUCCESS) {
			object_release(kernel);
			kernel = NULL;
		}
	}
	tell(error, status);
	return kernel;
}

cl_int clRetainKernel(cl_kernel kernel)
{
	if (!object_is(kernel, KIND_KERNEL))
		return CL_INVALID_KERNEL;
	object_retain(kernel);
	return CL_SUCCESS;
}

cl_int clReleaseKernel(cl_kernel kernel)
{
	if (!object_is(kernel, KIND_KERNEL))
		return CL_INVALID_KERNEL;
	object_release(kernel);
	return CL_SUCCESS;
}

/* ---- information -------------------------------------------------------------------------------- */

static int32_t ask_kernel(const struct query *q, struct range out, struct answer *answer)
{
	struct call_kernel_info call = { .kernel = q->index, .param = q->param, .out = out };

	return call_kernel_info(q->session, &call, answer);
}

cl_int clGetKernelInfo(cl_kernel kernel, cl_kernel_info param, size_t size, void *value, size_t *size_ret)
{
	struct query q = { .index = index_of(kernel), .param = param, .ask = ask_kernel };

	if (!object_is(kernel, KIND_KERNEL))
		return CL_INVALID_KERNEL;
	switch (param) {
	case CL_KERNEL_FUNCTION_NAME:
		return info_bytes(kernel->name, strlen(kernel->name) + 1, size, value, size_ret);
	case CL_KERNEL_NUM_ARGS:
		INFO(cl_uint, kernel->argument_count);
	case CL_KERNEL_REFERENCE_COUNT:
		INFO(cl_uint, object_references(kernel));
	case CL_KERNEL_CONTEXT:
		INFO(cl_context, kernel->program->context);
	case CL_KERNEL_PROGRAM:
		INFO(cl_program, kernel->program);
	default:
		q.session = session_of(kernel);
		return query_cached(&kernel->facts, KEY(FACT_KERNEL, 0, param), &q, size, value, size_ret);
	}
}

static int32_t ask_argument(const struct query *q, struct range out, struct answer *answer)
{
	struct call_argument_info call = { .kernel = q->index, .argument = q->other, .param = q->param,
					   .out = out };

	return call_argument_info(q->session, &call, answer);
}

cl_int clGetKernelArgInfo(cl_kernel kernel, cl_uint argument, cl_kernel_arg_info param, size_t size, void *value,
			  size_t *size_ret)
{
	struct query q = { .index = index_of(kernel), .other = argument, .param = param, .ask = ask_argument };

	if (!object_is(kernel, KIND_KERNEL))
		return CL_INVALID_KERNEL;
	if (argument >= kernel->argument_count)
		return CL_INVALID_ARG_INDEX;
	if (!kernel->program->names_arguments)
		return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
	q.session = session_of(kernel);
	return query_cached(&kernel->facts, KEY(FACT_ARGUMENT, argument, param), &q, size, value, size_ret);
}

static int32_t ask_work_group(const struct query *q, struct range out, struct answer *answer)
{
	struct call_work_group_info call = { .kernel = q->index, .device = q->other, .param = q->param,
					     .out = out };

	return call_work_group_info(q->session, &call, answer);
}

/* The device that a query is about: that of the program if it has one only. */
static cl_int device_of(cl_kernel kernel, cl_device_id *device)
{
	if (!*device && kernel->program->device_count == 1)
		*device = kernel->program->devices[0];
	if (!object_is(*device, KIND_DEVICE))
		return CL_INVALID_DEVICE;
	return program_devices_check(kernel->program, 1, device);
}

cl_int work_group_fact(cl_kernel kernel, cl_device_id device, cl_uint param, const struct fact **fact)
{
	struct query q = { .session = session_of(kernel), .index = kernel->o.index, .other = device->o.index,
			   .param = param, .ask = ask_work_group };

	return query_fact(&kernel->facts, KEY(FACT_WORK_GROUP, device->o.index, param), &q, fact);
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info param,
				size_t size, void *value, size_t *size_ret)
{
	const struct fact *fact;
	cl_int status;

	if (!object_is(kernel, KIND_KERNEL))
		return CL_INVALID_KERNEL;
	status = device_of(kernel, &device);
	if (status == CL_SUCCESS)
		status = work_group_fact(kernel, device, param, &fact);
	return status ? status : info_bytes(fact->data, fact->bytes, size, value, size_ret);
}

static int32_t ask_sub_group(const struct query *q, struct range out, struct answer *answer)
{
	struct call_sub_group_info call = { .kernel = q->index, .device = q->other, .param = q->param,
					    .input = q->input, .input_count = q->input_count, .out = out };

	return call_sub_group_info(q->session, &call, answer);
}

cl_int clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info param,
			       size_t input_size, const void *input, size_t size, void *value, size_t *size_ret)
{
	struct query q = { .index = index_of(kernel), .param = param, .input = input, .ask = ask_sub_group };
	cl_int status;

	if (!object_is(kernel, KIND_KERNEL))
		return CL_INVALID_KERNEL;
	status = device_of(kernel, &device);
	if (status != CL_SUCCESS)
		return status;
	if (input && input_size > MOST_SUB_GROUP_INPUT)
		return CL_INVALID_VALUE;
	q.session = session_of(kernel);
	q.other = device->o.index;
	q.input_count = input ? (uint32_t)input_size : 0;
	return query_info(&q, size, value, size_ret);
}

cl_int clGetKernelSubGroupInfoKHR(cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info param,
				  size_t input_size, const void *input, size_t size, void *value, size_t *size_ret)
{
	return clGetKernelSubGroupInfo(kernel, device, param, input_size, input, size, value, size_ret);
}
