/* Answers to queries: from here, or from the host and then kept. */
#include "objects.h"

#include <stdlib.h>

#define FIRST_BYTES 4096u
#define MOST_TRIES 8

cl_int info_bytes(const void *from, size_t bytes, size_t size, void *value, size_t *size_ret)
{
	if (value && size < bytes)
		return CL_INVALID_VALUE;
	if (value && bytes)
		memcpy(value, from, bytes);
	if (size_ret)
		*size_ret = bytes;
	return CL_SUCCESS;
}

/* Asks with room for so many bytes; *bytes becomes how many the answer has. */
static cl_int ask_with(const struct query *q, size_t room, void **data, size_t *bytes)
{
	struct answer answer = { 0 };
	struct range out;
	cl_int status;

	if (!arena_alloc(q->session, room, &out))
		return CL_OUT_OF_RESOURCES;
	status = q->ask(q, out, &answer);
	*bytes = (size_t)answer.values[0];
	if (status == CL_SUCCESS && *bytes <= room) {
		*data = malloc(*bytes + 1);
		if (*data)
			memcpy(*data, arena_at(q->session, out), *bytes);
		else
			status = CL_OUT_OF_HOST_MEMORY;
	}
	arena_free(q->session, out);
	return status;
}

/* Again with more room, as often as the answer has grown: the session may have moved. */
cl_int query_ask(const struct query *q, void **data, size_t *bytes)
{
	size_t room = FIRST_BYTES;
	cl_int status;
	int tries;

	*data = NULL;
	*bytes = 0;
	status = ask_with(q, room, data, bytes);
	for (tries = 1; tries < MOST_TRIES && !*data && *bytes > room; tries++) {
		if (status != CL_SUCCESS && status != CL_INVALID_VALUE)
			return status;
		room = *bytes;
		status = ask_with(q, room, data, bytes);
	}
	return status == CL_SUCCESS && !*data ? CL_OUT_OF_RESOURCES : status;
}

cl_int query_info(const struct query *q, size_t size, void *value, size_t *size_ret)
{
	size_t bytes;
	void *data;
	cl_int status = query_ask(q, &data, &bytes);

	if (status == CL_SUCCESS)
		status = info_bytes(data, bytes, size, value, size_ret);
	free(data);
	return status;
}

static const struct fact *fact_find(const struct facts *facts, uint64_t key)
{
	const struct fact *f = __atomic_load_n(&facts->first, __ATOMIC_ACQUIRE);

	while (f && f->key != key)
		f = f->next;
	return f;
}

cl_int query_fact(struct facts *facts, uint64_t key, const struct query *q, const struct fact **fact)
{
	struct fact *f;
	size_t bytes;
	void *data;
	cl_int status;

	*fact = fact_find(facts, key);
	if (*fact)
		return CL_SUCCESS;
	if (!q->session)
		return CL_DEVICE_NOT_AVAILABLE;
	status = query_ask(q, &data, &bytes);
	if (status != CL_SUCCESS)
		return status;
	f = malloc(sizeof(*f) + bytes + 1);
	if (f) {
		f->key = key;
		f->bytes = bytes;
		memcpy(f->data, data, bytes);
		f->data[bytes] = 0;
		f->next = __atomic_load_n(&facts->first, __ATOMIC_RELAXED);
		while (!__atomic_compare_exchange_n(&facts->first, &f->next, f, true, __ATOMIC_RELEASE,
						    __ATOMIC_RELAXED))
			;
	}
	free(data);
	*fact = f;
	return f ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

cl_int query_cached(struct facts *facts, uint64_t key, const struct query *q, size_t size, void *value,
		    size_t *size_ret)
{
	const struct fact *fact;
	cl_int status = query_fact(facts, key, q, &fact);

	return status ? status : info_bytes(fact->data, fact->bytes, size, value, size_ret);
}

void facts_free(struct facts *facts)
{
	struct fact *f = facts->first;

	while (f) {
		struct fact *next = f->next;

		free(f);
		f = next;
	}
}
