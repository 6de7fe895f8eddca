/*
 * The binaries and the log of a program's build, as the application was told of them: it asks first for the size, then
 * for the bytes. Kept until the program is built again: the session may move between the two, and elsewhere they are
 * longer.
 */
#include "program.h"

#include <stdlib.h>

#define BINARIES 0
#define LOG(device) ((uint64_t)(device)->o.index << 1 | 1)

static struct fact *told_find(struct _cl_program *program, uint64_t key)
{
	struct fact *f = program->told;

	while (f && f->key != key)
		f = f->next;
	return f;
}

/* Unless it was built meanwhile, or another thread has told of it. */
static void told_keep(cl_program program, uint64_t key, uint32_t builds, const void *data, size_t bytes)
{
	struct fact *f = malloc(sizeof(*f) + bytes);

	if (!f)
		return;
	f->key = key;
	f->bytes = bytes;
	memcpy(f->data, data, bytes);
	pthread_mutex_lock(&program->lock);
	if (program->builds == builds && !told_find(program, key)) {
		f->next = program->told;
		program->told = f;
		f = NULL;
	}
	pthread_mutex_unlock(&program->lock);
	free(f);
}

/* A copy of what was told; NULL: nothing was. *builds: for told_keep. */
static void *told_copy(cl_program program, uint64_t key, size_t *bytes, uint32_t *builds)
{
	const struct fact *f;
	void *data = NULL;

	pthread_mutex_lock(&program->lock);
	*builds = program->builds;
	f = told_find(program, key);
	if (f && (data = malloc(f->bytes + 1))) {
		memcpy(data, f->data, f->bytes);
		*bytes = f->bytes;
	}
	pthread_mutex_unlock(&program->lock);
	return data;
}

void told_forget(cl_program program)
{
	struct fact *f;

	pthread_mutex_lock(&program->lock);
	program->builds++;
	while ((f = program->told)) {
		program->told = f->next;
		free(f);
	}
	pthread_mutex_unlock(&program->lock);
}

cl_int told_log(cl_program program, cl_device_id device, const struct query *q, size_t size, void *value,
		size_t *size_ret)
{
	uint32_t builds;
	size_t bytes;
	void *data = told_copy(program, LOG(device), &bytes, &builds);
	cl_int status = CL_SUCCESS;

	if (!data) {
		status = query_ask(q, &data, &bytes);
		if (status == CL_SUCCESS && !value)
			told_keep(program, LOG(device), builds, data, bytes);
	}
	if (status == CL_SUCCESS)
		status = info_bytes(data, bytes, size, value, size_ret);
	free(data);
	return status;
}

/* The sizes, one of each device, then the binaries; the caller's to free. */
static cl_int binaries_get(cl_program program, size_t **sizes, const uint8_t **first)
{
	size_t bytes, left, i;
	uint32_t builds;
	cl_int status = CL_SUCCESS;

	*sizes = told_copy(program, BINARIES, &bytes, &builds);
	if (!*sizes) {
		status = program_ask(program, CL_PROGRAM_BINARIES, (void **)sizes, &bytes);
		if (status == CL_SUCCESS)
			told_keep(program, BINARIES, builds, *sizes, bytes);
	}
	left = program->device_count * sizeof(**sizes);
	if (status == CL_SUCCESS && bytes < left)
		status = CL_OUT_OF_RESOURCES;
	if (status != CL_SUCCESS)
		return status;
	*first = (const uint8_t *)*sizes + left;
	left = bytes - left;
	for (i = 0; i < program->device_count; left -= (*sizes)[i++])
		if ((*sizes)[i] > left)
			return CL_OUT_OF_RESOURCES;
	return CL_SUCCESS;
}

cl_int told_sizes(cl_program program, const struct query *q, size_t size, void *value, size_t *size_ret)
{
	size_t needed = program->device_count * sizeof(size_t), *sizes;
	const uint8_t *first;
	cl_int status;

	if (value && size < needed)
		return CL_INVALID_VALUE;
	status = binaries_get(program, &sizes, &first);
	/* Of some programs a host knows the sizes and does not give the bytes. */
	status = status == CL_SUCCESS ? info_bytes(sizes, needed, size, value, size_ret) :
					query_info(q, size, value, size_ret);
	free(sizes);
	return status;
}

cl_int told_binaries(cl_program program, size_t size, void *value, size_t *size_ret)
{
	size_t needed = program->device_count * sizeof(unsigned char *), *sizes, i;
	unsigned char **to = value;
	const uint8_t *at;
	cl_int status;

	if (size_ret)
		*size_ret = needed;
	if (!value)
		return CL_SUCCESS;
	if (size < needed)
		return CL_INVALID_VALUE;
	status = binaries_get(program, &sizes, &at);
	for (i = 0; status == CL_SUCCESS && i < program->device_count; at += sizes[i++])
		if (to[i])
			memcpy(to[i], at, sizes[i]);
	free(sizes);
	return status;
}
