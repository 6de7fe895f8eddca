/*
 * Maps. Where a map points to: for storage in registered memory, into it, and nothing is copied;
 * for the application's own storage, into that, read now and written back at the end; else to a
 * copy in registered memory, which maps within one another share.
 */
#include "transfer.h"

#include <stdlib.h>

#define WRITES (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)

/* A copy of a region. */
struct staging {
	struct range range;
	uint32_t users; /* maps, and commands that end one; atomic */
};

/* A map that is asked for. */
struct request {
	cl_command_queue queue;
	cl_mem mem;
	cl_map_flags flags;
	bool blocking;
	size_t origin[3], region[3];
	struct layout layout; /* of the memory that is mapped to */
	cl_uint wait_count;
	const cl_event *waits;
	cl_event *event;
};

/* Parts of a region. */
struct parts {
	struct part {
		size_t origin[3], region[3];
	} *list;
	size_t count;
};

/* ---- transfers of regions ----------------------------------------------------------------------- */

static struct transfer region_transfer(cl_mem mem, const size_t *origin, const size_t *region)
{
	struct transfer t = { .mem = mem, .offset = origin[0] };
	int i;

	for (i = 0; mem->type != CL_MEM_OBJECT_BUFFER && i < 3; i++) {
		t.box[i] = origin[i];
		t.box[3 + i] = region[i];
		t.box_count = 8;
	}
	return t;
}

static size_t least_bytes(cl_mem mem)
{
	return mem->type == CL_MEM_OBJECT_BUFFER ? 1 : mem->element_bytes;
}

/*
 * A command that moves nothing that matters, for where the queue's order and an event are all that
 * is wanted: it reads the first element of the region. STAGING: see pending_add.
 */
static cl_int empty_command(cl_command_queue queue, cl_mem mem, const size_t *origin, cl_command_type type,
			    bool blocking, struct staging *staging, cl_uint count, const cl_event *waits,
			    cl_event *event)
{
	static const size_t one[3] = { 1, 1, 1 };
	struct transfer t = region_transfer(mem, origin, one);
	size_t bytes = least_bytes(mem);
	struct command c;
	struct range range;
	cl_int status = staging_borrow(session_of(queue), bytes, &range);

	if (status != CL_SUCCESS)
		return status;
	t.queue = queue;
	status = (blocking ? command_begin_waited : command_begin)(&c, queue, type, count, waits, true);
	if (status != CL_SUCCESS) {
		staging_return(session_of(queue), range);
		return status;
	}
	status = transfer_send(&t, &c, range, command_answer(&c));
	if (status == CL_SUCCESS)
		status = pending_add(&c, range, true, NULL, staging);
	if (status != CL_SUCCESS)
		staging_return_later(c.session, range);
	return command_end(&c, status, blocking, event);
}

/* ---- mapping ------------------------------------------------------------------------------------ */

static cl_mem root_of(cl_mem mem)
{
	return mem->type == CL_MEM_OBJECT_BUFFER && mem->parent ? mem->parent : mem;
}

static cl_int map_storage(const struct request *r, void **at)
{
	cl_mem root = root_of(r->mem);
	size_t offset = r->mem->origin + r->origin[0];
	struct command c;
	cl_int status = (r->blocking ? command_begin_waited : command_begin)(
		&c, r->queue, CL_COMMAND_MAP_BUFFER, r->wait_count, r->waits, r->event != NULL);

	if (status != CL_SUCCESS)
		return status;
	struct call_map_buffer call = { COMMAND(&c), .mem = root->o.index, .flags = r->flags, .offset = offset,
					.size = r->region[0] };

	status = call_map_buffer(c.session, &call, command_answer(&c));
	*at = (uint8_t *)arena_at(c.session, root->storage) + offset;
	return command_end(&c, status, r->blocking, r->event);
}

/* The memory that a region is mapped to. */
static struct layout mapped_layout(cl_mem mem, void *at, const size_t *region)
{
	struct layout l = { at, region[0], 1, 1, region[0], region[0] };

	if (mem->type != CL_MEM_OBJECT_BUFFER)
		image_layout_check(mem, region, mem->host_ptr ? mem->row_pitch : 0,
				   mem->host_ptr ? mem->slice_pitch : 0, &l);
	return l;
}

static cl_command_type map_type(cl_mem mem)
{
	return mem->type == CL_MEM_OBJECT_BUFFER ? CL_COMMAND_MAP_BUFFER : CL_COMMAND_MAP_IMAGE;
}

/* Brings the region's bytes to the memory that is mapped to, unless nobody is to see them. */
static cl_int fetch(const struct request *r, bool read)
{
	struct transfer t = region_transfer(r->mem, r->origin, r->region);

	t.queue = r->queue;
	t.type = map_type(r->mem);
	t.blocking = r->blocking;
	t.layout = r->layout;
	t.wait_count = r->wait_count;
	t.waits = r->waits;
	t.event = r->event;
	if (read)
		return transfer_run(&t);
	return empty_command(r->queue, r->mem, r->origin, t.type, r->blocking, NULL, r->wait_count, r->waits,
			     r->event);
}

/* Where a region begins in the application's own storage. */
static void *in_host_ptr(cl_mem mem, const size_t *origin)
{
	bool lines = mem->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
	size_t row = lines ? 0 : origin[1], slice = lines ? origin[1] : origin[2];

	if (!mem->host_ptr)
		return NULL;
	return (uint8_t *)mem->host_ptr + origin[0] * least_bytes(mem) + row * mem->row_pitch +
	       slice * mem->slice_pitch;
}

/* The same in parts, to the application's own storage. */
static cl_int fetch_parts(const struct request *r, const struct parts *parts)
{
	struct request one = *r;
	cl_event *events = calloc(parts->count, sizeof(*events));
	cl_int status = events ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
	cl_uint sent = 0;

	one.blocking = false;
	while (status == CL_SUCCESS && sent < parts->count) {
		memcpy(one.origin, parts->list[sent].origin, sizeof(one.origin));
		memcpy(one.region, parts->list[sent].region, sizeof(one.region));
		one.layout = mapped_layout(r->mem, in_host_ptr(r->mem, one.origin), one.region);
		one.event = &events[sent];
		status = fetch(&one, true);
		if (status == CL_SUCCESS)
			sent++;
	}
	if (status == CL_SUCCESS)
		status = empty_command(r->queue, r->mem, r->origin, map_type(r->mem), r->blocking, NULL, sent, events,
				       r->event);
	while (sent > 0)
		object_release(events[--sent]);
	free(events);
	return status;
}

/* A mapping for writing that has some of the region already: its bytes are newer than the object's. */
static const struct mapping *being_written(cl_mem mem, const struct part *p)
{
	const struct mapping *m;
	int i;

	for (m = mem->mappings; m; m = m->next) {
		bool touches = (m->flags & WRITES) != 0;

		for (i = 0; i < 3; i++)
			touches &= p->origin[i] < m->origin[i] + m->region[i] &&
				   m->origin[i] < p->origin[i] + p->region[i];
		if (touches)
			return m;
	}
	return NULL;
}

static bool part_add(struct parts *parts, struct part part)
{
	struct part *list = realloc(parts->list, (parts->count + 1) * sizeof(*list));

	if (!list)
		return false;
	parts->list = list;
	list[parts->count++] = part;
	return true;
}

/* What is left of a region without those that are being written; under the object's lock. */
static bool parts_find(cl_mem mem, struct part left, struct parts *parts)
{
	const struct mapping *m = being_written(mem, &left);
	int i;

	if (!m)
		return part_add(parts, left);
	for (i = 0; i < 3; i++) {
		size_t end = left.origin[i] + left.region[i], from = m->origin[i], to = from + m->region[i];
		struct part side = left;

		if (from > left.origin[i]) {
			side.region[i] = from - left.origin[i];
			if (!parts_find(mem, side, parts))
				return false;
			left.origin[i] = from;
		}
		if (to < end) {
			side.origin[i] = to;
			side.region[i] = end - to;
			if (!parts_find(mem, side, parts))
				return false;
			end = to;
		}
		left.region[i] = end - left.origin[i];
	}
	return true;
}

/* A mapping of a buffer whose copy has the region. */
static struct mapping *around(cl_mem mem, const size_t *origin, const size_t *region)
{
	struct mapping *m;

	for (m = mem->mappings; m; m = m->next)
		if (m->staging && m->origin[0] <= origin[0] &&
		    origin[0] + region[0] <= m->origin[0] + m->region[0])
			return m;
	return NULL;
}

/* The copy that a map points to, a new one or another map's; under the object's lock. */
static cl_int stage(struct request *r, struct staging **staging, bool *is_new)
{
	struct mapping *m = r->mem->type == CL_MEM_OBJECT_BUFFER ? around(r->mem, r->origin, r->region) : NULL;

	*is_new = !m;
	if (m) {
		r->layout.at = (uint8_t *)m->at + (r->origin[0] - m->origin[0]);
		__atomic_fetch_add(&m->staging->users, 1, __ATOMIC_RELAXED);
		*staging = m->staging;
		return CL_SUCCESS;
	}
	*staging = calloc(1, sizeof(**staging));
	if (!*staging)
		return CL_OUT_OF_HOST_MEMORY;
	if (!arena_alloc(session_of(r->mem), layout_bytes(&r->layout), &(*staging)->range)) {
		free(*staging);
		*staging = NULL;
		return staging_none(session_of(r->mem));
	}
	(*staging)->users = 1;
	r->layout.at = arena_at(session_of(r->mem), (*staging)->range);
	return CL_SUCCESS;
}

/* One user less; true: it was the last, and the copy's memory is the caller's to free. */
static bool unstage(struct staging *staging, struct range *range)
{
	bool last = staging && __atomic_sub_fetch(&staging->users, 1, __ATOMIC_ACQ_REL) == 0;

	if (last) {
		*range = staging->range;
		free(staging);
	}
	return last;
}

void staging_drop(struct session *s, struct staging *staging)
{
	struct range range;

	if (unstage(staging, &range))
		arena_free(s, range);
}

/* The same for a map that comes to nothing, as commands under way may use the copy still. */
static void staging_drop_later(struct session *s, struct staging *staging)
{
	struct range range;

	if (unstage(staging, &range))
		pending_free_later(s, range);
}

/* What of the region is read, into what; under the object's lock. What is being written has newer bytes there. */
static cl_int prepare(struct request *r, struct staging **staging, bool *read, struct parts *parts)
{
	struct part whole;
	cl_int status = CL_SUCCESS;
	bool written, is_new = false;

	memcpy(whole.origin, r->origin, sizeof(whole.origin));
	memcpy(whole.region, r->region, sizeof(whole.region));
	*read = !(r->flags & CL_MAP_WRITE_INVALIDATE_REGION);
	written = *read && being_written(r->mem, &whole);
	if (!r->mem->host_ptr)
		status = stage(r, staging, &is_new);
	else if (written && !parts_find(r->mem, whole, parts))
		status = CL_OUT_OF_HOST_MEMORY;
	*read = *read && (is_new || !written);
	return status;
}

/* Sends what was prepared. Of a map that the application's storage is written by later, M keeps the event. */
static cl_int send(struct request *r, struct mapping *m, bool read, const struct parts *parts)
{
	bool keeps = read && r->mem->host_ptr && r->flags & WRITES && !r->blocking;
	cl_event *wanted = r->event;
	cl_int status;

	if (keeps)
		r->event = &m->read;
	status = parts->count ? fetch_parts(r, parts) : fetch(r, read);
	if (status == CL_SUCCESS && keeps) {
		object_hold(m->read);
		if (wanted)
			*wanted = m->read;
		else
			object_release(m->read);
	}
	return status;
}

static void *map(struct request *r, cl_int *error)
{
	struct mapping *m = calloc(1, sizeof(*m));
	cl_mem mem = r->mem;
	struct parts parts = { 0 };
	cl_int status = m ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
	uint32_t looks = 0;
	bool read;

	if (status == CL_SUCCESS && root_of(mem)->storage.size) {
		status = map_storage(r, &m->at);
	} else if (status == CL_SUCCESS) {
		do {
			pthread_mutex_lock(&mem->lock);
			status = prepare(r, &m->staging, &read, &parts);
			pthread_mutex_unlock(&mem->lock);
		} while (status == CL_MEM_OBJECT_ALLOCATION_FAILURE && staging_more(session_of(mem), &looks));
		if (status == CL_SUCCESS)
			status = send(r, m, read, &parts);
		free(parts.list);
		m->at = r->layout.at;
	}
	pthread_mutex_lock(&mem->lock);
	if (status == CL_SUCCESS) {
		m->flags = r->flags;
		memcpy(m->origin, r->origin, sizeof(m->origin));
		memcpy(m->region, r->region, sizeof(m->region));
		m->next = mem->mappings;
		mem->mappings = m;
		mem->map_count++;
	}
	pthread_mutex_unlock(&mem->lock);
	if (status != CL_SUCCESS && m)
		staging_drop_later(session_of(mem), m->staging);
	tell(error, status);
	if (status == CL_SUCCESS)
		return m->at;
	free(m);
	return NULL;
}

static cl_int map_check(const struct request *r, bool image)
{
	cl_mem_flags forbidden = 0;

	if (!object_is(r->queue, KIND_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	if (!(image ? is_image(r->mem) : is_buffer(r->mem)))
		return CL_INVALID_MEM_OBJECT;
	if (r->mem->context != r->queue->context)
		return CL_INVALID_CONTEXT;
	if (r->flags & ~(cl_map_flags)(CL_MAP_READ | WRITES) ||
	    (r->flags & CL_MAP_WRITE_INVALIDATE_REGION && r->flags & (CL_MAP_READ | CL_MAP_WRITE)))
		return CL_INVALID_VALUE;
	if (r->flags & CL_MAP_READ)
		forbidden |= CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
	if (r->flags & WRITES)
		forbidden |= CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
	if (r->mem->flags & forbidden)
		return CL_INVALID_OPERATION;
	return command_check(r->queue, r->wait_count, r->waits);
}

void *clEnqueueMapBuffer(cl_command_queue queue, cl_mem mem, cl_bool blocking, cl_map_flags flags, size_t offset,
			 size_t size, cl_uint count, const cl_event *waits, cl_event *event, cl_int *error)
{
	struct request r = { .queue = queue, .mem = mem, .flags = flags, .blocking = blocking,
			     .origin = { offset }, .region = { size, 1, 1 }, .wait_count = count, .waits = waits,
			     .event = event };
	cl_int status = map_check(&r, false);

	if (status == CL_SUCCESS && (size == 0 || !is_within(offset, size, mem->size)))
		status = CL_INVALID_VALUE;
	if (status != CL_SUCCESS) {
		tell(error, status);
		return NULL;
	}
	r.layout = (struct layout){ mem->host_ptr ? (uint8_t *)mem->host_ptr + offset : NULL, size, 1, 1, size, size };
	return map(&r, error);
}

void *clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking, cl_map_flags flags,
			const size_t *origin, const size_t *region, size_t *row_pitch, size_t *slice_pitch,
			cl_uint count, const cl_event *waits, cl_event *event, cl_int *error)
{
	struct request r = { .queue = queue, .mem = image, .flags = flags, .blocking = blocking,
			     .wait_count = count, .waits = waits, .event = event };
	cl_int status = map_check(&r, true);
	bool slices;

	if (status == CL_SUCCESS)
		status = image_region_check(image, origin, region);
	slices = status == CL_SUCCESS && (image->desc.image_depth || image->desc.image_array_size);
	if (status == CL_SUCCESS && (!row_pitch || (slices && !slice_pitch)))
		status = CL_INVALID_VALUE;
	if (status == CL_SUCCESS)
		status = image_layout_check(image, region, image->host_ptr ? image->row_pitch : 0,
					    image->host_ptr ? image->slice_pitch : 0, &r.layout);
	if (status != CL_SUCCESS) {
		tell(error, status);
		return NULL;
	}
	memcpy(r.origin, origin, sizeof(r.origin));
	memcpy(r.region, region, sizeof(r.region));
	r.layout.at = in_host_ptr(image, origin);
	*row_pitch = r.layout.row_pitch;
	if (slice_pitch)
		*slice_pitch = slices ? r.layout.slice_pitch : 0;
	return map(&r, error);
}

/* ---- unmapping ---------------------------------------------------------------------------------- */

static struct mapping *take_mapping(cl_mem mem, const void *at)
{
	struct mapping **link = &mem->mappings;
	struct mapping *m;

	while (*link && (*link)->at != at)
		link = &(*link)->next;
	m = *link;
	if (m) {
		*link = m->next;
		mem->map_count--;
	}
	return m;
}

static cl_int unmap_storage(cl_command_queue queue, cl_mem mem, const struct mapping *m, cl_uint count,
			    const cl_event *waits, cl_event *event)
{
	struct command c;
	cl_int status = command_begin(&c, queue, CL_COMMAND_UNMAP_MEM_OBJECT, count, waits, event != NULL);

	if (status == CL_SUCCESS) {
		struct call_unmap_buffer call = { COMMAND(&c), .mem = root_of(mem)->o.index,
						  .offset = mem->origin + m->origin[0] };

		status = command_end(&c, call_unmap_buffer(c.session, &call, NULL), false, event);
	}
	return status;
}

/* Writes a mapping's bytes back: those of the application's storage as they are now, those of a copy in place. */
static cl_int write_back(cl_command_queue queue, cl_mem mem, const struct mapping *m, cl_uint count,
			 const cl_event *waits, cl_event *event)
{
	struct transfer t = region_transfer(mem, m->origin, m->region);

	t.queue = queue;
	t.write = true;
	t.type = CL_COMMAND_UNMAP_MEM_OBJECT;
	t.wait_count = count;
	t.waits = waits;
	t.event = event;
	t.layout = mapped_layout(mem, m->at, m->region);
	t.staging = m->staging;
	return transfer_run(&t);
}

cl_int clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem mem, void *at, cl_uint count, const cl_event *waits,
			       cl_event *event)
{
	struct mapping *m;
	cl_int status;

	if (!object_is(queue, KIND_QUEUE))
		return CL_INVALID_COMMAND_QUEUE;
	if (!object_is(mem, KIND_MEM))
		return CL_INVALID_MEM_OBJECT;
	if (mem->context != queue->context)
		return CL_INVALID_CONTEXT;
	status = command_check(queue, count, waits);
	if (status != CL_SUCCESS)
		return status;
	pthread_mutex_lock(&mem->lock);
	m = take_mapping(mem, at);
	pthread_mutex_unlock(&mem->lock);
	if (!m)
		return CL_INVALID_VALUE;
	if (root_of(mem)->storage.size)
		status = unmap_storage(queue, mem, m, count, waits, event);
	else if (m->flags & WRITES && !(m->read && pending_has(m->read)))
		status = write_back(queue, mem, m, count, waits, event);
	else
		status = empty_command(queue, mem, m->origin, CL_COMMAND_UNMAP_MEM_OBJECT, false, m->staging, count,
				       waits, event);
	if (status != CL_SUCCESS)
		staging_drop_later(session_of(mem), m->staging);
	object_drop(m->read);
	free(m);
	return status;
}

void map_forget_all(cl_mem mem)
{
	while (mem->mappings) {
		struct mapping *m = mem->mappings;

		mem->mappings = m->next;
		staging_drop_later(session_of(mem), m->staging);
		object_drop(m->read);
		free(m);
	}
}
