/* Devices: their list by type, every information of theirs, and sub-devices. */
#include "check.h"

struct param {
	cl_device_info param;
	const char *name;
};

#define PARAM(x) { CL_DEVICE_##x, #x }

static const struct param texts[] = {
	PARAM(NAME), PARAM(VENDOR), PARAM(VERSION), PARAM(PROFILE), PARAM(OPENCL_C_VERSION), PARAM(EXTENSIONS),
	PARAM(BUILT_IN_KERNELS), PARAM(IL_VERSION), PARAM(LATEST_CONFORMANCE_VERSION_PASSED), { CL_DRIVER_VERSION, "DRIVER_VERSION" },
};

/* Their values are told as a checksum of the bytes: a number is the same in each run, and so is its size. */
static const struct param values[] = {
	PARAM(TYPE), PARAM(VENDOR_ID), PARAM(MAX_COMPUTE_UNITS), PARAM(MAX_WORK_ITEM_DIMENSIONS),
	PARAM(MAX_WORK_GROUP_SIZE), PARAM(MAX_WORK_ITEM_SIZES), PARAM(PREFERRED_VECTOR_WIDTH_CHAR),
	PARAM(PREFERRED_VECTOR_WIDTH_SHORT), PARAM(PREFERRED_VECTOR_WIDTH_INT), PARAM(PREFERRED_VECTOR_WIDTH_LONG),
	PARAM(PREFERRED_VECTOR_WIDTH_FLOAT), PARAM(PREFERRED_VECTOR_WIDTH_DOUBLE), PARAM(PREFERRED_VECTOR_WIDTH_HALF),
	PARAM(NATIVE_VECTOR_WIDTH_CHAR), PARAM(NATIVE_VECTOR_WIDTH_SHORT), PARAM(NATIVE_VECTOR_WIDTH_INT),
	PARAM(NATIVE_VECTOR_WIDTH_LONG), PARAM(NATIVE_VECTOR_WIDTH_FLOAT), PARAM(NATIVE_VECTOR_WIDTH_DOUBLE),
	PARAM(NATIVE_VECTOR_WIDTH_HALF), PARAM(ADDRESS_BITS), PARAM(MAX_READ_IMAGE_ARGS), PARAM(MAX_WRITE_IMAGE_ARGS),
	PARAM(MAX_READ_WRITE_IMAGE_ARGS), PARAM(MAX_MEM_ALLOC_SIZE), PARAM(IMAGE2D_MAX_WIDTH), PARAM(IMAGE2D_MAX_HEIGHT),
	PARAM(IMAGE3D_MAX_WIDTH), PARAM(IMAGE3D_MAX_HEIGHT), PARAM(IMAGE3D_MAX_DEPTH), PARAM(IMAGE_SUPPORT),
	PARAM(IMAGE_MAX_BUFFER_SIZE), PARAM(IMAGE_MAX_ARRAY_SIZE), PARAM(IMAGE_PITCH_ALIGNMENT),
	PARAM(IMAGE_BASE_ADDRESS_ALIGNMENT), PARAM(MAX_PARAMETER_SIZE), PARAM(MAX_SAMPLERS), PARAM(MEM_BASE_ADDR_ALIGN),
	PARAM(MIN_DATA_TYPE_ALIGN_SIZE), PARAM(SINGLE_FP_CONFIG), PARAM(DOUBLE_FP_CONFIG),
	PARAM(GLOBAL_MEM_CACHE_TYPE), PARAM(GLOBAL_MEM_CACHELINE_SIZE), PARAM(GLOBAL_MEM_CACHE_SIZE),
	PARAM(GLOBAL_MEM_SIZE), PARAM(MAX_CONSTANT_BUFFER_SIZE), PARAM(MAX_CONSTANT_ARGS), PARAM(LOCAL_MEM_TYPE),
	PARAM(LOCAL_MEM_SIZE), PARAM(ERROR_CORRECTION_SUPPORT), PARAM(PROFILING_TIMER_RESOLUTION), PARAM(ENDIAN_LITTLE),
	PARAM(AVAILABLE), PARAM(COMPILER_AVAILABLE), PARAM(LINKER_AVAILABLE), PARAM(QUEUE_ON_HOST_PROPERTIES),
	PARAM(QUEUE_ON_DEVICE_PROPERTIES), PARAM(QUEUE_ON_DEVICE_PREFERRED_SIZE), PARAM(QUEUE_ON_DEVICE_MAX_SIZE),
	PARAM(MAX_ON_DEVICE_QUEUES), PARAM(MAX_ON_DEVICE_EVENTS), PARAM(PREFERRED_INTEROP_USER_SYNC),
	PARAM(PRINTF_BUFFER_SIZE), PARAM(PARTITION_MAX_SUB_DEVICES), PARAM(PARTITION_PROPERTIES),
	PARAM(PARTITION_AFFINITY_DOMAIN), PARAM(PARTITION_TYPE), PARAM(REFERENCE_COUNT), PARAM(EXECUTION_CAPABILITIES),
	PARAM(SVM_CAPABILITIES), PARAM(MAX_GLOBAL_VARIABLE_SIZE), PARAM(GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE),
	PARAM(PIPE_MAX_ACTIVE_RESERVATIONS), PARAM(PIPE_MAX_PACKET_SIZE), PARAM(MAX_PIPE_ARGS), PARAM(PIPE_SUPPORT),
	PARAM(PREFERRED_PLATFORM_ATOMIC_ALIGNMENT), PARAM(PREFERRED_GLOBAL_ATOMIC_ALIGNMENT),
	PARAM(PREFERRED_LOCAL_ATOMIC_ALIGNMENT), PARAM(MAX_NUM_SUB_GROUPS),
	PARAM(SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS), PARAM(NUMERIC_VERSION), PARAM(OPENCL_C_ALL_VERSIONS),
	PARAM(OPENCL_C_FEATURES), PARAM(EXTENSIONS_WITH_VERSION), PARAM(ILS_WITH_VERSION),
	PARAM(BUILT_IN_KERNELS_WITH_VERSION), PARAM(ATOMIC_MEMORY_CAPABILITIES), PARAM(ATOMIC_FENCE_CAPABILITIES),
	PARAM(NON_UNIFORM_WORK_GROUP_SUPPORT), PARAM(GENERIC_ADDRESS_SPACE_SUPPORT),
	PARAM(WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT), PARAM(DEVICE_ENQUEUE_CAPABILITIES),
	PARAM(PREFERRED_WORK_GROUP_SIZE_MULTIPLE), PARAM(HOST_UNIFIED_MEMORY),
};

static void lists(cl_platform_id platform)
{
	static const struct {
		cl_device_type type;
		const char *name;
	} types[] = {
		{ CL_DEVICE_TYPE_ALL, "all" }, { CL_DEVICE_TYPE_CPU, "CPU" }, { CL_DEVICE_TYPE_GPU, "GPU" },
		{ CL_DEVICE_TYPE_ACCELERATOR, "accelerator" }, { CL_DEVICE_TYPE_CUSTOM, "custom" },
		{ CL_DEVICE_TYPE_DEFAULT, "default" }, { CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU, "CPU or GPU" },
		{ 0, "none" }, { 1 << 20, "unknown" },
	};
	cl_device_id device;
	cl_uint count;

	for (size_t i = 0; i < COUNT(types); i++) {
		count = 77;
		SAY(types[i].name, clGetDeviceIDs(platform, types[i].type, 0, NULL, &count));
		say_number("devices", count);
	}
	SAY("nothing asked for", clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL));
	SAY("no entries for a list", clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, &device, NULL));
	SAY("one", clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	SAY("no platform", clGetDeviceIDs(NULL, CL_DEVICE_TYPE_ALL, 1, &device, &count));
}

static void say_value(cl_device_id device, const struct param *p, char *bytes, size_t room)
{
	size_t size = 0;

	memset(bytes, 0, room);
	SAY(p->name, clGetDeviceInfo(device, p->param, room, bytes, &size));
	say_checksum(p->name, bytes, size);
	if (size > 0 && size <= room) {
		SAY("one byte too few", clGetDeviceInfo(device, p->param, size - 1, bytes, NULL));
		SAY("one byte too many", clGetDeviceInfo(device, p->param, size + 1, bytes, NULL));
	}
}

static void information(cl_device_id device)
{
	static char bytes[65536];
	size_t size = 77;

	for (size_t i = 0; i < COUNT(texts); i++) {
		SAY(texts[i].name, clGetDeviceInfo(device, texts[i].param, sizeof(bytes), bytes, &size));
		say_text(texts[i].name, bytes);
		SAY("one byte too few", clGetDeviceInfo(device, texts[i].param, size - 1, bytes, NULL));
	}
	for (size_t i = 0; i < COUNT(values); i++)
		say_value(device, &values[i], bytes, sizeof(bytes));
	SAY("nothing asked for", clGetDeviceInfo(device, CL_DEVICE_TYPE, 0, NULL, NULL));
	SAY("unknown", clGetDeviceInfo(device, 0x7777, sizeof(bytes), bytes, &size));
	SAY("of a context", clGetDeviceInfo(device, CL_CONTEXT_DEVICES, sizeof(bytes), bytes, &size));
	SAY("of NULL", clGetDeviceInfo(NULL, CL_DEVICE_TYPE, sizeof(bytes), bytes, &size));
}

static void relations(cl_platform_id platform, cl_device_id device)
{
	cl_platform_id owner = NULL;
	cl_device_id parent = device;

	SAY("platform", clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(owner), &owner, NULL));
	say_true("its platform is the one it came from", owner == platform);
	SAY("parent", clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof(parent), &parent, NULL));
	say_true("no parent", parent == NULL);
	SAY("a root device", clRetainDevice(device));
	SAY("a root device", clReleaseDevice(device));
	SAY("a root device, once too often", clReleaseDevice(device));
	SAY("NULL", clRetainDevice(NULL));
	SAY("NULL", clReleaseDevice(NULL));
}

static void timers(cl_device_id device)
{
	cl_ulong at_device = 0, at_host = 0, alone = 0;

	SAY("both", clGetDeviceAndHostTimer(device, &at_device, &at_host));
	SAY("of NULL", clGetDeviceAndHostTimer(NULL, &at_device, &at_host));
	SAY("no place for the device's", clGetDeviceAndHostTimer(device, NULL, &at_host));
	SAY("no place for the host's", clGetDeviceAndHostTimer(device, &at_device, NULL));
	SAY("alone", clGetHostTimer(device, &alone));
	SAY("of NULL", clGetHostTimer(NULL, &alone));
	SAY("no place", clGetHostTimer(device, NULL));
	say_true("the host's does not go back", alone >= at_host);
}

int main(void)
{
	cl_platform_id platform;
	cl_device_id device;

	MUST(clGetPlatformIDs(1, &platform, NULL));
	lists(platform);
	MUST(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
	information(device);
	relations(platform, device);
	timers(device);
	return 0;
}
