/* Devices. What they are the host says once; what cannot be remoted is said not to be there. */
#include "api.h"

#include <stdlib.h>

static int32_t ask_device(const struct query *q, struct range out, struct answer *answer)
{
	struct call_device_info call = { .device = q->index, .param = q->param, .out = out };

	return call_device_info(q->session, &call, answer);
}

static struct query device_query(cl_device_id device, cl_device_info param)
{
	return (struct query){ .session = session_get(), .index = device->o.index, .param = param,
			       .ask = ask_device };
}

static cl_int device_fact(cl_device_id device, cl_device_info param, const struct fact **fact)
{
	struct query q = device_query(device, param);

	return query_fact(&device->facts, param, &q, fact);
}

uint64_t device_number(cl_device_id device, cl_device_info param)
{
	const struct fact *fact;
	uint64_t number = 0;

	if (device_fact(device, param, &fact) == CL_SUCCESS)
		memcpy(&number, fact->data, fact->bytes < 8 ? fact->bytes : 8);
	return number;
}

bool device_sizes(cl_device_id device, cl_device_info param, size_t *list, size_t count)
{
	const struct fact *fact;

	if (device_fact(device, param, &fact) != CL_SUCCESS || fact->bytes < count * sizeof(*list))
		return false;
	memcpy(list, fact->data, count * sizeof(*list));
	return true;
}

/* Programs that ask for nothing but a GPU can be shown one. */
static cl_device_type device_type(cl_device_id device)
{
	cl_device_type type = device_number(device, CL_DEVICE_TYPE);
	const char *as_gpu = getenv("SLUICE_OPENCL_AS_GPU");

	if (as_gpu && strcmp(as_gpu, "1") == 0)
		type = (type & CL_DEVICE_TYPE_DEFAULT) | CL_DEVICE_TYPE_GPU;
	return type;
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint entries, cl_device_id *list,
		      cl_uint *count)
{
	cl_platform_id *platforms;
	cl_uint found = 0, i;

	if (!platform && platform_list(&platforms))
		platform = platforms[0];
	if (!object_is(platform, KIND_PLATFORM))
		return CL_INVALID_PLATFORM;
	if ((list && entries == 0) || (!list && !count))
		return CL_INVALID_VALUE;
	if (!session_get())
		return CL_DEVICE_NOT_FOUND;
	for (i = 0; i < platform->device_count; i++) {
		cl_device_id device = platform->devices[i];
		cl_device_type mine = device_type(device);
		bool wanted = type == CL_DEVICE_TYPE_ALL ? mine != CL_DEVICE_TYPE_CUSTOM : (mine & type) != 0;

		if (type != CL_DEVICE_TYPE_ALL && type & CL_DEVICE_TYPE_DEFAULT && i == 0)
			wanted = true;
		if (!wanted)
			continue;
		if (list && found < entries)
			list[found] = device;
		found++;
	}
	if (found == 0)
		return CL_DEVICE_NOT_FOUND;
	if (count)
		*count = found;
	return CL_SUCCESS;
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info param, size_t size, void *value, size_t *size_ret)
{
	struct query q;
	const struct fact *fact;
	cl_int status;

	if (!object_is(device, KIND_DEVICE))
		return CL_INVALID_DEVICE;
	switch (param) {
	case CL_DEVICE_TYPE:
		INFO(cl_device_type, device_type(device));
	case CL_DEVICE_PLATFORM:
		INFO(cl_platform_id, device->platform);
	case CL_DEVICE_PARENT_DEVICE:
		INFO(cl_device_id, device->parent);
	case CL_DEVICE_REFERENCE_COUNT:
		INFO(cl_uint, device->parent ? object_references(device) : 1);
	case CL_DEVICE_PARTITION_TYPE:
		if (device->partition)
			return info_bytes(device->partition, device->partition_bytes, size, value, size_ret);
		break;
	case CL_DEVICE_EXTENSIONS:
		status = device_fact(device, param, &fact);
		return status ? status : extensions_info((const char *)fact->data, size, value, size_ret);
	case CL_DEVICE_EXTENSIONS_WITH_VERSION:
		status = device_fact(device, param, &fact);
		return status ? status : extension_versions_info(fact, size, value, size_ret);
	case CL_DEVICE_SVM_CAPABILITIES:
	case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES:
	case CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES:
		INFO(cl_bitfield, 0);
	case CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE:
	case CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE:
	case CL_DEVICE_MAX_ON_DEVICE_QUEUES:
	case CL_DEVICE_MAX_ON_DEVICE_EVENTS:
	case CL_DEVICE_MAX_PIPE_ARGS:
	case CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS:
	case CL_DEVICE_PIPE_MAX_PACKET_SIZE:
		INFO(cl_uint, 0);
	case CL_DEVICE_PIPE_SUPPORT:
		INFO(cl_bool, CL_FALSE);
	case CL_DEVICE_EXECUTION_CAPABILITIES:
		INFO(cl_device_exec_capabilities, CL_EXEC_KERNEL);
	default:
		break;
	}
	q = device_query(device, param);
	return query_cached(&device->facts, param, &q, size, value, size_ret);
}

/* ---- sub-devices -------------------------------------------------------------------------------- */

static void device_destroy(struct object *o)
{
	cl_device_id device = (cl_device_id)o;

	facts_free(&device->facts);
	free(device->partition);
	if (device->parent->parent)
		object_drop(device->parent);
}

cl_int clRetainDevice(cl_device_id device)
{
	if (!object_is(device, KIND_DEVICE))
		return CL_INVALID_DEVICE;
	if (device->parent)
		object_retain(device);
	return CL_SUCCESS;
}

cl_int clReleaseDevice(cl_device_id device)
{
	if (!object_is(device, KIND_DEVICE))
		return CL_INVALID_DEVICE;
	if (device->parent)
		object_release(device);
	return CL_SUCCESS;
}

/* Words of a partition's properties, as the host wants them; 0: too many. */
#define MOST_PROPERTIES 512

static uint32_t partition_words(const cl_device_partition_property *from, uint64_t *to)
{
	uint32_t count = 0;

	/* Counts, and affinities, are words; a list of counts ends with a 0 of its own. */
	while (from[count]) {
		to[count] = (uint64_t)from[count];
		if (++count >= MOST_PROPERTIES - 2)
			return 0;
	}
	to[count++] = 0;
	if (from[0] == CL_DEVICE_PARTITION_BY_COUNTS && from[count] == 0)
		to[count++] = 0;
	return count;
}

static cl_device_id sub_device_new(struct session *s, cl_device_id parent,
				   const cl_device_partition_property *properties, uint32_t words)
{
	cl_device_id device = object_new(s, KIND_DEVICE, sizeof(*device), device_destroy);

	if (!device)
		return NULL;
	device->platform = parent->platform;
	device->parent = parent;
	if (parent->parent)
		object_hold(parent);
	device->partition_bytes = words * sizeof(*properties);
	device->partition = malloc(device->partition_bytes);
	if (device->partition)
		memcpy(device->partition, properties, device->partition_bytes);
	return device;
}

static cl_int sub_devices_make(struct session *s, struct call_create_sub_devices *call, cl_device_id parent,
			       const cl_device_partition_property *properties, cl_uint count, cl_device_id *list)
{
	struct answer answer = { 0 };
	uint32_t *indices;
	cl_uint made = 0;
	cl_int status = CL_SUCCESS;

	if (!arena_alloc(s, count * sizeof(*indices), &call->children))
		return CL_OUT_OF_RESOURCES;
	indices = arena_at(s, call->children);
	for (; made < count && status == CL_SUCCESS; made++) {
		list[made] = sub_device_new(s, parent, properties, call->properties_count);
		if (!list[made]) {
			status = CL_OUT_OF_HOST_MEMORY;
			break;
		}
		indices[made] = list[made]->o.index;
	}
	if (status == CL_SUCCESS)
		status = call_create_sub_devices(s, call, &answer);
	if (status != CL_SUCCESS)
		while (made > 0) {
			device_destroy(&list[--made]->o);
			object_discard(list[made]);
		}
	arena_free(s, call->children);
	return status;
}

cl_int clCreateSubDevices(cl_device_id parent, const cl_device_partition_property *properties, cl_uint entries,
			  cl_device_id *list, cl_uint *count)
{
	struct session *s = session_get();
	struct call_create_sub_devices call = { 0 };
	struct answer answer = { 0 };
	uint64_t words[MOST_PROPERTIES];
	cl_int status;

	if (!object_is(parent, KIND_DEVICE) || !s)
		return CL_INVALID_DEVICE;
	if (!properties || !properties[0] || (!list && !count) || (list && entries == 0))
		return CL_INVALID_VALUE;
	call.parent = parent->o.index;
	call.properties = words;
	call.properties_count = partition_words(properties, words);
	if (call.properties_count == 0)
		return CL_INVALID_DEVICE_PARTITION_COUNT;
	status = call_create_sub_devices(s, &call, &answer);
	if (status == CL_SUCCESS && list)
		status = entries < answer.values[0] ?
				 CL_INVALID_VALUE :
				 sub_devices_make(s, &call, parent, properties, (cl_uint)answer.values[0], list);
	if (status == CL_SUCCESS && count)
		*count = (cl_uint)answer.values[0];
	return status;
}

/* ---- clocks ------------------------------------------------------------------------------------- */

static cl_int timers(cl_device_id device, struct answer *answer)
{
	struct call_timers call = { .device = index_of(device) };
	struct session *s = session_get();

	if (!object_is(device, KIND_DEVICE))
		return CL_INVALID_DEVICE;
	return s ? call_timers(s, &call, answer) : CL_DEVICE_NOT_AVAILABLE;
}

cl_int clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_time, cl_ulong *host_time)
{
	struct answer answer = { 0 };
	cl_int status;

	status = timers(device, &answer);
	if (status == CL_SUCCESS && (!device_time || !host_time))
		status = CL_INVALID_VALUE;
	if (status == CL_SUCCESS) {
		*device_time = answer.values[0];
		*host_time = answer.values[1];
	}
	return status;
}

cl_int clGetHostTimer(cl_device_id device, cl_ulong *host_time)
{
	struct answer answer = { 0 };
	cl_int status;

	status = timers(device, &answer);
	if (status == CL_SUCCESS && !host_time)
		status = CL_INVALID_VALUE;
	if (status == CL_SUCCESS)
		*host_time = answer.values[1];
	return status;
}
