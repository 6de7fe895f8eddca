#include "check.h"

_Thread_local cl_int error;

static const struct {
	cl_int value;
	const char *name;
} names[] = {
#define NAME(x) { x, #x }
	NAME(CL_SUCCESS), NAME(CL_DEVICE_NOT_FOUND), NAME(CL_DEVICE_NOT_AVAILABLE), NAME(CL_COMPILER_NOT_AVAILABLE),
	NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE), NAME(CL_OUT_OF_RESOURCES), NAME(CL_OUT_OF_HOST_MEMORY),
	NAME(CL_PROFILING_INFO_NOT_AVAILABLE), NAME(CL_MEM_COPY_OVERLAP), NAME(CL_IMAGE_FORMAT_MISMATCH),
	NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED), NAME(CL_BUILD_PROGRAM_FAILURE), NAME(CL_MAP_FAILURE),
	NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET), NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
	NAME(CL_COMPILE_PROGRAM_FAILURE), NAME(CL_LINKER_NOT_AVAILABLE), NAME(CL_LINK_PROGRAM_FAILURE),
	NAME(CL_DEVICE_PARTITION_FAILED), NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE), NAME(CL_INVALID_VALUE),
	NAME(CL_INVALID_DEVICE_TYPE), NAME(CL_INVALID_PLATFORM), NAME(CL_INVALID_DEVICE), NAME(CL_INVALID_CONTEXT),
	NAME(CL_INVALID_QUEUE_PROPERTIES), NAME(CL_INVALID_COMMAND_QUEUE), NAME(CL_INVALID_HOST_PTR),
	NAME(CL_INVALID_MEM_OBJECT), NAME(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR), NAME(CL_INVALID_IMAGE_SIZE),
	NAME(CL_INVALID_SAMPLER), NAME(CL_INVALID_BINARY), NAME(CL_INVALID_BUILD_OPTIONS), NAME(CL_INVALID_PROGRAM),
	NAME(CL_INVALID_PROGRAM_EXECUTABLE), NAME(CL_INVALID_KERNEL_NAME), NAME(CL_INVALID_KERNEL_DEFINITION),
	NAME(CL_INVALID_KERNEL), NAME(CL_INVALID_ARG_INDEX), NAME(CL_INVALID_ARG_VALUE), NAME(CL_INVALID_ARG_SIZE),
	NAME(CL_INVALID_KERNEL_ARGS), NAME(CL_INVALID_WORK_DIMENSION), NAME(CL_INVALID_WORK_GROUP_SIZE),
	NAME(CL_INVALID_WORK_ITEM_SIZE), NAME(CL_INVALID_GLOBAL_OFFSET), NAME(CL_INVALID_EVENT_WAIT_LIST),
	NAME(CL_INVALID_EVENT), NAME(CL_INVALID_OPERATION), NAME(CL_INVALID_GL_OBJECT), NAME(CL_INVALID_BUFFER_SIZE),
	NAME(CL_INVALID_MIP_LEVEL), NAME(CL_INVALID_GLOBAL_WORK_SIZE), NAME(CL_INVALID_PROPERTY),
	NAME(CL_INVALID_IMAGE_DESCRIPTOR), NAME(CL_INVALID_COMPILER_OPTIONS), NAME(CL_INVALID_LINKER_OPTIONS),
	NAME(CL_INVALID_DEVICE_PARTITION_COUNT), NAME(CL_INVALID_PIPE_SIZE), NAME(CL_INVALID_DEVICE_QUEUE),
	NAME(CL_INVALID_SPEC_ID), NAME(CL_MAX_SIZE_RESTRICTION_EXCEEDED),
	{ -1001, "CL_PLATFORM_NOT_FOUND_KHR" },
	{ NOT_WRITTEN, "(not written)" },
#undef NAME
};

const char *error_name(cl_int value)
{
	static _Thread_local char number[24];

	for (size_t i = 0; i < COUNT(names); i++)
		if (names[i].value == value)
			return names[i].name;
	snprintf(number, sizeof(number), "%d", value);
	return number;
}

/* The function's name in "mem = clCreateBuffer(...)". */
static int function_of(const char *call, const char **at)
{
	const char *end;

	while (strncmp(call, "cl", 2) != 0 && *call)
		call++;
	*at = call;
	end = strchr(call, '(');
	return end ? (int)(end - call) : (int)strlen(call);
}

static void line(const char *call, const char *what, cl_int answer, const char *object)
{
	const char *function;
	int length = function_of(call, &function);

	printf("%.*s: %s: %s%s\n", length, function, what, error_name(answer), object);
	fflush(stdout);
}

cl_int say(const char *call, const char *what, cl_int answer)
{
	line(call, what, answer, "");
	return answer;
}

void say_made(const char *call, const char *what, cl_int answer, bool made)
{
	line(call, what, answer, made ? ", made" : ", nothing");
}

void need(const char *call, cl_int answer)
{
	if (answer == CL_SUCCESS)
		return;
	line(call, "needed", answer, "");
	_Exit(1);
}

void say_number(const char *what, long long value)
{
	printf("%s: %lld\n", what, value);
	fflush(stdout);
}

void say_text(const char *what, const char *text)
{
	printf("%s: %s\n", what, text);
	fflush(stdout);
}

void say_true(const char *what, bool value)
{
	say_text(what, value ? "yes" : "no");
}

uint64_t checksum(const void *bytes, size_t count)
{
	const uint8_t *at = bytes;
	uint64_t sum = 0xcbf29ce484222325;

	for (size_t i = 0; i < count; i++)
		sum = (sum ^ at[i]) * 0x100000001b3;
	return sum;
}

void say_checksum(const char *what, const void *bytes, size_t count)
{
	printf("%s: %zu bytes, %016llx\n", what, count, (unsigned long long)checksum(bytes, count));
	fflush(stdout);
}

void fill_bytes(void *bytes, size_t count, uint32_t seed)
{
	uint8_t *at = bytes;
	uint32_t x = seed * 2654435761u + 1;

	for (size_t i = 0; i < count; i++) {
		x = x * 1664525u + 1013904223u;
		at[i] = (uint8_t)(x >> 24);
	}
}

struct setup set_up_with(cl_command_queue_properties properties)
{
	struct setup s;

	MUST(clGetPlatformIDs(1, &s.platform, NULL));
	MUST(clGetDeviceIDs(s.platform, CL_DEVICE_TYPE_ALL, 1, &s.device, NULL));
	s.context = NEED(clCreateContext(NULL, 1, &s.device, NULL, NULL, &error));
	s.queue = NEED(clCreateCommandQueue(s.context, s.device, properties, &error));
	return s;
}

struct setup set_up(void)
{
	return set_up_with(0);
}

void tear_down(struct setup *s)
{
	SAY("at the end", clReleaseCommandQueue(s->queue));
	SAY("at the end", clReleaseContext(s->context));
}

cl_program build(const struct setup *s, const char *source, const char *options)
{
	cl_program program = NEED(clCreateProgramWithSource(s->context, 1, &source, NULL, &error));

	MUST(clBuildProgram(program, 0, NULL, options, NULL, NULL));
	return program;
}

cl_kernel kernel_of(const struct setup *s, const char *source, const char *name)
{
	cl_program program = build(s, source, "");
	cl_kernel kernel = NEED(clCreateKernel(program, name, &error));

	MUST(clReleaseProgram(program));
	return kernel;
}

cl_mem buffer_of(const struct setup *s, size_t size, uint32_t seed)
{
	void *bytes = malloc(size);
	cl_mem buffer;

	fill_bytes(bytes, size, seed);
	buffer = NEED(clCreateBuffer(s->context, CL_MEM_COPY_HOST_PTR, size, bytes, &error));
	free(bytes);
	return buffer;
}

void say_buffer(const char *what, const struct setup *s, cl_mem buffer, size_t size)
{
	void *bytes = malloc(size);

	MUST(clEnqueueReadBuffer(s->queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL));
	say_checksum(what, bytes, size);
	free(bytes);
}

void say_event(const char *what, cl_event event)
{
	static const char *const states[] = { "CL_COMPLETE", "CL_RUNNING", "CL_SUBMITTED", "CL_QUEUED" };
	cl_int state = NOT_WRITTEN;

	MUST(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state), &state, NULL));
	say_text(what, state >= 0 && state < (cl_int)COUNT(states) ? states[state] : error_name(state));
}
