/* Buffers, and what buffers and images have in common. */
#include "api.h"
#include "command.h"
#include "watch.h"

#include <stdlib.h>

#define ACCESS (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)
#define HOST_ACCESS (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)
#define HOST_STORAGE (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)

/* The host of the session moves bytes for every application; what they may do is checked here. */
#define FOR_HOST (ACCESS | CL_MEM_KERNEL_READ_AND_WRITE)

static bool at_most_one(cl_mem_flags flags)
{
	return (flags & (flags - 1)) == 0;
}

cl_int mem_flags_check(cl_mem_flags flags, const void *host_ptr)
{
	if (flags & ~(cl_mem_flags)(ACCESS | HOST_ACCESS | HOST_STORAGE | CL_MEM_KERNEL_READ_AND_WRITE))
		return CL_INVALID_VALUE;
	if (!at_most_one(flags & ACCESS) || !at_most_one(flags & HOST_ACCESS))
		return CL_INVALID_VALUE;
	if (flags & CL_MEM_USE_HOST_PTR && flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR))
		return CL_INVALID_VALUE;
	if ((host_ptr != NULL) != ((flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0))
		return CL_INVALID_HOST_PTR;
	return CL_SUCCESS;
}

/* The application's callbacks of one that goes, until the commands that may use it are done. */
struct farewell {
	cl_mem mem; /* no more than its address */
	struct callback *calls;
	uint32_t left; /* markers that are not done, and one while they are sent; atomic */
};

static void farewell_less(struct farewell *f)
{
	if (__atomic_sub_fetch(&f->left, 1, __ATOMIC_ACQ_REL) != 0)
		return;
	while (f->calls) {
		struct callback *c = f->calls;

		f->calls = c->next;
		((void(CL_CALLBACK *)(cl_mem, void *))c->function)(f->mem, c->data);
		free(c);
	}
	free(f);
}

static void CL_CALLBACK on_marker(cl_event event, cl_int status, void *farewell)
{
	(void)event, (void)status;
	farewell_less(farewell);
}

/* Has a farewell wait for all that a queue has. */
static void farewell_behind(struct farewell *f, cl_command_queue queue)
{
	cl_event marker;
	cl_int status = clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker);

	__atomic_fetch_add(&f->left, 1, __ATOMIC_RELAXED);
	if (status == CL_SUCCESS) {
		clFlush(queue);
		status = watch_event(marker, CL_COMPLETE, (void (*)(void))on_marker, f);
		object_release(marker);
		/* Of a session that has ended it is called all the same. */
		if (status == CL_SUCCESS || status == CL_DEVICE_NOT_AVAILABLE)
			return;
	}
	farewell_less(f);
}

static void farewell_say(cl_mem mem)
{
	struct farewell *f = malloc(sizeof(*f));
	cl_command_queue *queues;
	size_t count, i;

	/* Without memory for this nobody is told. */
	if (!f)
		return;
	*f = (struct farewell){ .mem = mem, .calls = mem->destructors, .left = 1 };
	count = pending_queues(session_of(mem), &queues);
	for (i = 0; i < count; i++) {
		farewell_behind(f, queues[i]);
		object_drop(queues[i]);
	}
	free(queues);
	farewell_less(f);
}

void mem_destroy(struct object *o)
{
	cl_mem mem = (cl_mem)o;

	if (mem->destructors)
		farewell_say(mem);
	map_forget_all(mem);
	if (mem->storage.size && !mem->parent)
		pending_free_later(o->session, mem->storage);
	pthread_mutex_destroy(&mem->lock);
	object_drop(mem->parent);
	object_drop(mem->context);
	facts_free(&mem->facts);
	free(mem->properties);
}

cl_mem mem_new(cl_context context, cl_mem_object_type type, cl_mem_flags flags, size_t size, void *host_ptr)
{
	cl_mem mem = object_new(session_of(context), KIND_MEM, sizeof(*mem), mem_destroy);

	if (!mem)
		return NULL;
	mem->context = context;
	mem->type = type;
	mem->flags = flags ? flags : CL_MEM_READ_WRITE;
	mem->size = size;
	mem->host_ptr = flags & CL_MEM_USE_HOST_PTR ? host_ptr : NULL;
	pthread_mutex_init(&mem->lock, NULL);
	object_hold(context);
	return mem;
}

void mem_discard(cl_mem mem)
{
	if (mem->storage.size && !mem->parent)
		arena_free(session_of(mem), mem->storage);
	pthread_mutex_destroy(&mem->lock);
	object_drop(mem->parent);
	object_drop(mem->context);
	object_discard(mem);
}

/* ---- buffers ------------------------------------------------------------------------------------ */

/* A buffer in registered memory, so that a map of it copies nothing. */
static cl_int buffer_in_arena(struct session *s, cl_mem mem, const void *initial)
{
	struct call_create_mapped_buffer call = { .mem = mem->o.index, .context = mem->context->o.index,
						  .flags = mem->flags & FOR_HOST };
	struct answer answer = { 0 };
	cl_int status = staging_alloc(s, mem->size, &mem->storage);

	if (status != CL_SUCCESS) {
		mem->storage.size = 0;
		return status;
	}
	if (initial)
		memcpy(arena_at(s, mem->storage), initial, mem->size);
	call.storage = mem->storage;
	status = call_create_mapped_buffer(s, &call, &answer);
	if (status != CL_SUCCESS) {
		arena_free(s, mem->storage);
		mem->storage.size = 0;
	}
	return status;
}

static cl_int buffer_at_host(struct session *s, cl_mem mem, const void *initial)
{
	struct call_create_buffer call = { .mem = mem->o.index, .context = mem->context->o.index,
					   .flags = mem->flags & FOR_HOST, .size = mem->size };
	struct answer answer = { 0 };
	cl_int status = CL_SUCCESS;

	if (initial) {
		status = staging_borrow(s, mem->size, &call.initial);
		if (status != CL_SUCCESS)
			return status;
		memcpy(arena_at(s, call.initial), initial, mem->size);
	}
	status = call_create_buffer(s, &call, &answer);
	if (initial)
		staging_return(s, call.initial);
	return status;
}

static cl_int buffer_check(cl_context context, cl_mem_flags flags, size_t size, const void *host_ptr)
{
	cl_int status;
	uint32_t i;

	if (!object_is(context, KIND_CONTEXT))
		return CL_INVALID_CONTEXT;
	if (size == 0)
		return CL_INVALID_BUFFER_SIZE;
	status = mem_flags_check(flags, host_ptr);
	if (status != CL_SUCCESS)
		return status;
	for (i = 0; i < context->device_count; i++)
		if (size <= device_number(context->devices[i], CL_DEVICE_MAX_MEM_ALLOC_SIZE))
			return CL_SUCCESS;
	return session_has_ended(session_of(context)) ? CL_DEVICE_NOT_AVAILABLE : CL_INVALID_BUFFER_SIZE;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr, cl_int *error)
{
	cl_int status = buffer_check(context, flags, size, host_ptr);
	cl_mem mem = NULL;

	if (status == CL_SUCCESS) {
		mem = mem_new(context, CL_MEM_OBJECT_BUFFER, flags, size, host_ptr);
		if (!mem)
			status = CL_MEM_OBJECT_ALLOCATION_FAILURE;
	}
	if (mem) {
		status = CL_MEM_OBJECT_ALLOCATION_FAILURE;
		if (flags & CL_MEM_ALLOC_HOST_PTR)
			status = buffer_in_arena(session_of(mem), mem, host_ptr);
		if (status != CL_SUCCESS)
			status = buffer_at_host(session_of(mem), mem, host_ptr);
		if (status != CL_SUCCESS) {
			mem_discard(mem);
			mem = NULL;
		}
	}
	tell(error, status);
	return mem;
}

cl_mem clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
				    size_t size, void *host_ptr, cl_int *error)
{
	cl_mem mem;

	if (object_is(context, KIND_CONTEXT) && properties && properties[0]) {
		tell(error, CL_INVALID_PROPERTY);
		return NULL;
	}
	mem = clCreateBuffer(context, flags, size, host_ptr, error);
	if (mem)
		mem->properties = list_copy(properties, sizeof(*properties), &mem->property_bytes);
	return mem;
}

/* ---- sub-buffers -------------------------------------------------------------------------------- */

static cl_int sub_buffer_flags(cl_mem_flags parent, cl_mem_flags *flags)
{
	cl_mem_flags f = *flags;

	if (f & ~(cl_mem_flags)(ACCESS | HOST_ACCESS) || !at_most_one(f & ACCESS) || !at_most_one(f & HOST_ACCESS))
		return CL_INVALID_VALUE;
	if (parent & CL_MEM_WRITE_ONLY && f & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY))
		return CL_INVALID_VALUE;
	if (parent & CL_MEM_READ_ONLY && f & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY))
		return CL_INVALID_VALUE;
	if (parent & CL_MEM_HOST_WRITE_ONLY && f & CL_MEM_HOST_READ_ONLY)
		return CL_INVALID_VALUE;
	if (parent & CL_MEM_HOST_READ_ONLY && f & CL_MEM_HOST_WRITE_ONLY)
		return CL_INVALID_VALUE;
	if (parent & CL_MEM_HOST_NO_ACCESS && f & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY))
		return CL_INVALID_VALUE;
	if (!(f & ACCESS))
		f |= parent & ACCESS;
	if (!(f & HOST_ACCESS))
		f |= parent & HOST_ACCESS;
	*flags = f | (parent & HOST_STORAGE);
	return CL_SUCCESS;
}

static bool is_aligned(cl_context context, size_t origin)
{
	uint32_t i;

	for (i = 0; i < context->device_count; i++) {
		uint64_t bits = device_number(context->devices[i], CL_DEVICE_MEM_BASE_ADDR_ALIGN);

		if (bits < 8 || origin % (bits / 8) == 0)
			return true;
	}
	return false;
}

static cl_int sub_buffer_check(cl_mem parent, cl_mem_flags *flags, cl_buffer_create_type type, const void *info)
{
	const cl_buffer_region *region = info;
	cl_int status;

	if (!is_buffer(parent) || parent->parent)
		return CL_INVALID_MEM_OBJECT;
	status = sub_buffer_flags(parent->flags, flags);
	if (status != CL_SUCCESS)
		return status;
	if (type != CL_BUFFER_CREATE_TYPE_REGION || !region)
		return CL_INVALID_VALUE;
	if (region->size == 0)
		return CL_INVALID_BUFFER_SIZE;
	if (region->origin > parent->size || region->size > parent->size - region->origin)
		return CL_INVALID_VALUE;
	return is_aligned(parent->context, region->origin) ? CL_SUCCESS : CL_MISALIGNED_SUB_BUFFER_OFFSET;
}

cl_mem clCreateSubBuffer(cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type, const void *info,
			 cl_int *error)
{
	cl_int status = sub_buffer_check(parent, &flags, type, info);
	const cl_buffer_region *region = info;
	struct call_create_sub_buffer call = { .parent = index_of(parent) };
	struct answer answer = { 0 };
	cl_mem mem = NULL;

	if (status == CL_SUCCESS) {
		mem = mem_new(parent->context, CL_MEM_OBJECT_BUFFER, flags, region->size, NULL);
		if (!mem)
			status = CL_MEM_OBJECT_ALLOCATION_FAILURE;
	}
	if (mem) {
		mem->parent = parent;
		object_hold(parent);
		mem->origin = region->origin;
		if (parent->host_ptr)
			mem->host_ptr = (char *)parent->host_ptr + region->origin;
		call.mem = mem->o.index;
		call.flags = flags & FOR_HOST;
		call.origin = region->origin;
		call.size = region->size;
		status = call_create_sub_buffer(session_of(mem), &call, &answer);
		if (status != CL_SUCCESS) {
			mem_discard(mem);
			mem = NULL;
		}
	}
	tell(error, status);
	return mem;
}

/* ---- all ---------------------------------------------------------------------------------------- */

cl_int clRetainMemObject(cl_mem mem)
{
	if (!object_is(mem, KIND_MEM))
		return CL_INVALID_MEM_OBJECT;
	object_retain(mem);
	return CL_SUCCESS;
}

cl_int clReleaseMemObject(cl_mem mem)
{
	if (!object_is(mem, KIND_MEM))
		return CL_INVALID_MEM_OBJECT;
	object_release(mem);
	return CL_SUCCESS;
}

cl_int clGetMemObjectInfo(cl_mem mem, cl_mem_info param, size_t size, void *value, size_t *size_ret)
{
	if (!object_is(mem, KIND_MEM))
		return CL_INVALID_MEM_OBJECT;
	switch (param) {
	case CL_MEM_TYPE:
		INFO(cl_mem_object_type, mem->type);
	case CL_MEM_FLAGS:
		INFO(cl_mem_flags, mem->flags);
	case CL_MEM_SIZE:
		INFO(size_t, mem->size);
	case CL_MEM_HOST_PTR:
		INFO(void *, mem->host_ptr);
	case CL_MEM_MAP_COUNT:
		INFO(cl_uint, __atomic_load_n(&mem->map_count, __ATOMIC_RELAXED));
	case CL_MEM_REFERENCE_COUNT:
		INFO(cl_uint, object_references(mem));
	case CL_MEM_CONTEXT:
		INFO(cl_context, mem->context);
	case CL_MEM_ASSOCIATED_MEMOBJECT:
		INFO(cl_mem, mem->parent);
	case CL_MEM_OFFSET:
		INFO(size_t, mem->origin);
	case CL_MEM_USES_SVM_POINTER:
		INFO(cl_bool, CL_FALSE);
	case CL_MEM_PROPERTIES:
		return info_bytes(mem->properties, mem->property_bytes, size, value, size_ret);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int clSetMemObjectDestructorCallback(cl_mem mem, void(CL_CALLBACK *notify)(cl_mem, void *), void *data)
{
	if (!object_is(mem, KIND_MEM))
		return CL_INVALID_MEM_OBJECT;
	if (!notify)
		return CL_INVALID_VALUE;
	return callback_add(&mem->destructors, (void (*)(void))notify, data) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}
