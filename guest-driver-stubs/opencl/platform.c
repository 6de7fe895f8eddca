/* Platforms and their devices, which a process keeps whatever session it has: the loader does. */
#include "objects.h"
#include "api.h"

#include <stdio.h>
#include <stdlib.h>

#define TOPOLOGY_BYTES 4096u

static cl_platform_id platforms[KIND_PLATFORM_MOST];
static uint32_t platform_count, device_count;

static void forever(struct object *o, uint32_t kind, uint32_t index)
{
	*o = (struct object){ .dispatch = &sluice_dispatch, .magic = OBJECT_MAGIC + kind, .kind = kind,
			      .index = index, .references = 1 };
}

static cl_platform_id platform_new(uint32_t index, uint32_t devices, uint32_t first_device)
{
	cl_platform_id p = calloc(1, sizeof(*p));
	uint32_t i;

	if (!p)
		return NULL;
	forever(&p->o, KIND_PLATFORM, index);
	p->devices = calloc(devices + 1, sizeof(cl_device_id));
	if (!p->devices)
		return NULL;
	for (i = 0; i < devices; i++) {
		cl_device_id d = calloc(1, sizeof(*d));

		if (!d)
			return NULL;
		forever(&d->o, KIND_DEVICE, first_device + i);
		d->platform = p;
		p->devices[i] = d;
	}
	p->device_count = devices;
	return p;
}

/* Makes them at the first session; those of a later one must be the same. */
static bool topology_take(const uint32_t *counts, uint32_t words)
{
	uint32_t i, devices = 0;

	if (words == 0 || counts[0] > KIND_PLATFORM_MOST || words < counts[0] + 1)
		return false;
	if (platform_count && platform_count != counts[0])
		return false;
	for (i = 0; i < counts[0]; i++) {
		if (!platforms[i])
			platforms[i] = platform_new(i + 1, counts[i + 1], devices + 1);
		if (!platforms[i] || platforms[i]->device_count != counts[i + 1])
			return false;
		devices += counts[i + 1];
	}
	platform_count = counts[0];
	device_count = devices;
	return true;
}

bool topology_read(struct session *s)
{
	struct answer answer = { 0 };
	struct call_topology call;
	bool done;

	if (!arena_alloc(s, TOPOLOGY_BYTES, &call.out))
		return false;
	done = call_topology(s, &call, &answer) == CL_SUCCESS && answer.values[0] <= TOPOLOGY_BYTES &&
	       topology_take(arena_at(s, call.out), (uint32_t)answer.values[0] / 4);
	arena_free(s, call.out);
	s->indices[KIND_DEVICE].next = device_count + 1;
	return done;
}

uint32_t platform_list(cl_platform_id **list)
{
	*list = platforms;
	return session_get() ? platform_count : 0;
}

/* ---- functions ---------------------------------------------------------------------------------- */

cl_int clIcdGetPlatformIDsKHR(cl_uint entries, cl_platform_id *list, cl_uint *count)
{
	cl_platform_id *mine;
	uint32_t i, have = platform_list(&mine);

	if ((list && entries == 0) || (!list && !count))
		return CL_INVALID_VALUE;
	if (have == 0)
		return CL_PLATFORM_NOT_FOUND_KHR;
	for (i = 0; list && i < have && i < entries; i++)
		list[i] = mine[i];
	if (count)
		*count = have;
	return CL_SUCCESS;
}

cl_int clGetPlatformIDs(cl_uint entries, cl_platform_id *list, cl_uint *count)
{
	cl_int status = clIcdGetPlatformIDsKHR(entries, list, count);

	if (status == CL_PLATFORM_NOT_FOUND_KHR && count) {
		*count = 0;
		return CL_SUCCESS;
	}
	return status;
}

static int32_t ask_platform(const struct query *q, struct range out, struct answer *answer)
{
	struct call_platform_info call = { .platform = q->index, .param = q->param, .out = out };

	return call_platform_info(q->session, &call, answer);
}

static cl_int platform_name(const struct fact *name, size_t size, void *value, size_t *size_ret)
{
	char text[256];

	snprintf(text, sizeof(text), "Sluice: %s", (const char *)name->data);
	return info_bytes(text, strlen(text) + 1, size, value, size_ret);
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info param, size_t size,
				void *value, size_t *size_ret)
{
	struct query q = { .param = param, .ask = ask_platform };
	const struct fact *fact;
	cl_platform_id *list;
	cl_int status;

	if (!platform && platform_list(&list))
		platform = list[0];
	if (!object_is(platform, KIND_PLATFORM))
		return CL_INVALID_PLATFORM;
	q.index = platform->o.index;
	q.session = session_get();
	switch (param) {
	case CL_PLATFORM_ICD_SUFFIX_KHR:
		return info_bytes("SLUICE", sizeof("SLUICE"), size, value, size_ret);
	case CL_PLATFORM_NAME:
		status = query_fact(&platform->facts, param, &q, &fact);
		return status ? status : platform_name(fact, size, value, size_ret);
	case CL_PLATFORM_EXTENSIONS:
		status = query_fact(&platform->facts, param, &q, &fact);
		return status ? status : extensions_info((const char *)fact->data, size, value, size_ret);
	case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
		status = query_fact(&platform->facts, param, &q, &fact);
		return status ? status : extension_versions_info(fact, size, value, size_ret);
	case CL_PLATFORM_PROFILE:
	case CL_PLATFORM_VERSION:
	case CL_PLATFORM_VENDOR:
	case CL_PLATFORM_HOST_TIMER_RESOLUTION:
	case CL_PLATFORM_NUMERIC_VERSION:
		return query_cached(&platform->facts, param, &q, size, value, size_ret);
	default:
		return CL_INVALID_VALUE;
	}
}

cl_int clUnloadPlatformCompiler(cl_platform_id platform)
{
	return object_is(platform, KIND_PLATFORM) ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

cl_int clUnloadCompiler(void)
{
	return CL_SUCCESS;
}
