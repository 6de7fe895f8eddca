/*
 * Address spaces of a plain process, and what is mapped in them.
 */
#include "process.h"

#include <errno.h>
#include <stdlib.h>

struct space *process_space_of(struct device *d, uint32_t vid)
{
	return vid < d->num_spaces ? d->spaces[vid] : NULL;
}

int process_vspace_new(struct device *d, struct drm_pscnv_vspace_req *req)
{
	struct space *space = calloc(1, sizeof(*space));
	struct sluice_handle args = { 0 };
	int ret;

	if (!space)
		return -ENOMEM;
	ret = process_call(d, SLUICE_CALL_VSPACE_NEW, &args, sizeof(args));
	if (ret == 0 && (args.handle == 0 || args.handle >= d->num_spaces))
		ret = -EIO;
	if (ret) {
		free(space);
		return ret;
	}
	space->users = 1;
	d->spaces[args.handle] = space;
	req->vid = args.handle;
	return 0;
}

/* The host frees an address space with its last user, and then what it mapped is nobody's. */
void process_space_put(struct device *d, struct space *space)
{
	struct mapping **at = &d->mappings;

	if (--space->users)
		return;
	while (*at) {
		struct mapping *m = *at;

		if (m->space != space) {
			at = &m->next;
			continue;
		}
		*at = m->next;
		process_buffer_put(d, m->buffer);
		free(m);
	}
	free(space);
}

int process_vspace_free(struct device *d, const struct drm_pscnv_vspace_req *req)
{
	struct space *space = process_space_of(d, req->vid);
	int ret;

	if (!space)
		return -ENOENT;
	ret = process_free_call(d, SLUICE_CALL_VSPACE_FREE, req->vid);
	if (ret)
		return ret;
	d->spaces[req->vid] = NULL;
	process_space_put(d, space);
	return 0;
}

int process_vspace_map(struct device *d, struct drm_pscnv_vspace_map *req)
{
	struct sluice_vspace_map args = {
		.vid = req->vid, .handle = req->handle, .back = req->back != 0,
		.start = req->start, .end = req->end,
	};
	struct space *space = process_space_of(d, req->vid);
	struct buffer *b = process_buffer_of(d, req->handle);
	struct mapping *m;
	int ret;

	if (!space)
		return -ENOENT;
	if (!b)
		return -EBADF;
	if (req->start >= req->end || req->end - req->start < b->info.size)
		return -ENOMEM;
	m = calloc(1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	ret = process_call(d, SLUICE_CALL_VSPACE_MAP, &args, sizeof(args));
	if (ret) {
		free(m);
		return ret;
	}
	*m = (struct mapping){
		.next = d->mappings, .buffer = b, .space = space, .address = args.offset
	};
	d->mappings = m;
	b->users++;
	req->offset = args.offset;
	return 0;
}

int process_vspace_unmap(struct device *d, const struct drm_pscnv_vspace_unmap *req)
{
	struct sluice_vspace_unmap args = { .vid = req->vid, .offset = req->offset };
	struct space *space = process_space_of(d, req->vid);
	struct mapping **at = &d->mappings;
	struct mapping *m;
	int ret;

	if (!space)
		return -ENOENT;
	while (*at && ((*at)->space != space ||
		       req->offset - (*at)->address >= (*at)->buffer->info.size))
		at = &(*at)->next;
	m = *at;
	if (!m)
		return -ENOENT;
	ret = process_call(d, SLUICE_CALL_VSPACE_UNMAP, &args, sizeof(args));
	if (ret)
		return ret;
	*at = m->next;
	process_buffer_put(d, m->buffer);
	free(m);
	return 0;
}
