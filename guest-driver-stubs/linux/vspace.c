// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address spaces of the GPU, and which buffers they map: the host would keep a mapped buffer too,
 * but only this driver can keep the pages behind it.
 */
#include <linux/slab.h>

#include <drm/drm_file.h>

#include "sluice.h"

struct sluice_mapping {
	u64 start; /* GPU address */
	struct sluice_bo *bo; /* with a reference */
	struct sluice_user *holder;
};

static void mapping_free(struct sluice_device *sd, struct sluice_mapping *mapping)
{
	sluice_uncharge(sd, mapping->holder, SLUICE_MAPPINGS, 1);
	kfree(mapping);
}

/* ---- life ------------------------------------------------------------------------------------ */

static void vspace_release(struct kref *ref)
{
	struct sluice_vspace *vs = container_of(ref, struct sluice_vspace, ref);
	struct sluice_mapping *mapping;
	unsigned long address = 0;
	bool gone;

	gone = sluice_give_back(vs->sd, vs->epoch, SLUICE_CALL_VSPACE_FREE, vs->vid) &&
	       !READ_ONCE(vs->held_by_host);
	sluice_uncharge(vs->sd, vs->holder, SLUICE_SPACES, 1);
	mt_for_each(&vs->mappings, mapping, address, ULONG_MAX) {
		if (!gone)
			WRITE_ONCE(mapping->bo->held_by_host, true);
		drm_gem_object_put(&mapping->bo->base);
		mapping_free(vs->sd, mapping);
	}
	mtree_destroy(&vs->mappings);
	mutex_destroy(&vs->lock);
	kfree(vs);
}

void sluice_vspace_put(struct sluice_vspace *vs)
{
	kref_put(&vs->ref, vspace_release);
}

/* Returns the file's address space with a reference, or NULL. */
struct sluice_vspace *sluice_vspace_find(struct sluice_device *sd, struct drm_file *file, u32 vid)
{
	struct sluice_vspace *vs;

	xa_lock(&sd->vspaces);
	vs = xa_load(&sd->vspaces, vid);
	if (vs && vs->owner == file)
		kref_get(&vs->ref);
	else
		vs = NULL;
	xa_unlock(&sd->vspaces);
	return vs;
}

/* Takes the id from the file. Returns whether it was the one to do so. */
static bool vspace_unlist(struct sluice_device *sd, struct sluice_vspace *vs)
{
	return xa_cmpxchg(&sd->vspaces, vs->vid, vs, NULL, GFP_KERNEL) == vs;
}

/* Frees the address spaces of a file that is closed or, with NULL, all: void after a reset. */
void sluice_vspaces_close(struct sluice_device *sd, struct drm_file *file)
{
	struct sluice_vspace *vs;
	unsigned long vid;

	xa_lock(&sd->vspaces);
	xa_for_each(&sd->vspaces, vid, vs) {
		if (file && vs->owner != file)
			continue;
		kref_get(&vs->ref);
		xa_unlock(&sd->vspaces);
		if (vspace_unlist(sd, vs))
			sluice_vspace_put(vs);
		sluice_vspace_put(vs);
		xa_lock(&sd->vspaces);
	}
	xa_unlock(&sd->vspaces);
}

int sluice_vspace_new_ioctl(struct drm_device *dev, void *data, struct drm_file *file)
{
	struct sluice_device *sd = to_sluice(dev);
	struct drm_pscnv_vspace_req *req = data;
	struct sluice_handle args = {};
	struct sluice_vspace *vs;
	int ret;

	vs = kzalloc_obj(*vs);
	if (!vs)
		return -ENOMEM;
	kref_init(&vs->ref);
	mutex_init(&vs->lock);
	mt_init(&vs->mappings);
	vs->sd = sd;
	vs->owner = file;
	vs->epoch = READ_ONCE(sd->epoch);
	vs->holder = sluice_charge(sd, SLUICE_SPACES, 1);
	if (IS_ERR(vs->holder)) {
		kfree(vs);
		return -ENOMEM; /* as below */
	}
	ret = sluice_call(sd, vs->epoch, SLUICE_CALL_VSPACE_NEW, &args, sizeof(args));
	if (ret) {
		sluice_uncharge(sd, vs->holder, SLUICE_SPACES, 1);
		kfree(vs);
		return ret == -EDQUOT ? -ENOMEM : ret; /* pscnv knows no quota */
	}
	vs->vid = args.handle;
	req->vid = vs->vid;
	ret = xa_insert(&sd->vspaces, vs->vid, vs, GFP_KERNEL);
	if (ret) {
		sluice_vspace_put(vs);
		return ret == -EBUSY ? -EPROTO : ret;
	}
	return 0;
}

int sluice_vspace_free_ioctl(struct drm_device *dev, void *data, struct drm_file *file)
{
	struct sluice_device *sd = to_sluice(dev);
	struct drm_pscnv_vspace_req *req = data;
	struct sluice_vspace *vs = sluice_vspace_find(sd, file, req->vid);
	int ret = 0;

	if (!vs)
		return -ENOENT;
	if (vspace_unlist(sd, vs))
		sluice_vspace_put(vs); /* of the file; channels may have more */
	else
		ret = -ENOENT;
	sluice_vspace_put(vs);
	return ret;
}

/* ---- mappings -------------------------------------------------------------------------------- */

/* Returns the buffer at an address with a reference, and the byte in it, or NULL. */
struct sluice_bo *sluice_vspace_lookup(struct sluice_vspace *vs, u64 address, u64 *offset)
{
	struct sluice_mapping *mapping;
	struct sluice_bo *bo = NULL;

	mutex_lock(&vs->lock);
	mapping = mtree_load(&vs->mappings, address);
	if (mapping) {
		bo = mapping->bo;
		*offset = address - mapping->start;
		drm_gem_object_get(&bo->base);
	}
	mutex_unlock(&vs->lock);
	return bo;
}

/* With the lock held. Takes over the caller's reference to the buffer if it succeeds. */
static int mapping_add(struct sluice_vspace *vs, struct sluice_bo *bo,
		       struct drm_pscnv_vspace_map *req)
{
	struct sluice_vspace_map args = {
		.vid = vs->vid,
		.handle = bo->handle,
		.back = req->back != 0,
		.start = req->start,
		.end = req->end,
	};
	struct sluice_vspace_unmap undo = { .vid = vs->vid };
	struct sluice_mapping *mapping;
	bool unknown;
	int ret;

	mapping = kmalloc(sizeof(*mapping), GFP_KERNEL_ACCOUNT);
	if (!mapping)
		return -ENOMEM;
	mapping->bo = bo;
	mapping->holder = sluice_charge(vs->sd, SLUICE_MAPPINGS, 1);
	if (IS_ERR(mapping->holder)) {
		kfree(mapping);
		return -ENOMEM; /* pscnv knows no quota */
	}
	ret = sluice_call_told(vs->sd, vs->epoch, SLUICE_CALL_VSPACE_MAP, &args, sizeof(args),
			       &unknown);
	if (ret)
		goto free;
	mapping->start = args.offset;
	ret = mtree_insert_range(&vs->mappings, args.offset, args.offset + bo->base.size - 1,
				 mapping, GFP_KERNEL);
	if (ret == -EEXIST || ret == -EINVAL) {
		/* Not a mapping the host can have made; it may or may not be there. */
		WRITE_ONCE(bo->held_by_host, true);
		ret = -EPROTO;
		goto free;
	}
	if (ret) {
		undo.offset = args.offset;
		if (sluice_call(vs->sd, vs->epoch, SLUICE_CALL_VSPACE_UNMAP, &undo, sizeof(undo)))
			WRITE_ONCE(bo->held_by_host, true);
		goto free;
	}
	req->offset = args.offset;
	return 0;
free:
	/* The mapping may have been made. */
	if (unknown)
		WRITE_ONCE(bo->held_by_host, true);
	mapping_free(vs->sd, mapping);
	return ret;
}

int sluice_vspace_map_ioctl(struct drm_device *dev, void *data, struct drm_file *file)
{
	struct sluice_device *sd = to_sluice(dev);
	struct drm_pscnv_vspace_map *req = data;
	struct sluice_vspace *vs = sluice_vspace_find(sd, file, req->vid);
	struct drm_gem_object *obj;
	int ret = -EIO;

	if (!vs)
		return -ENOENT;
	obj = drm_gem_object_lookup(file, req->handle);
	if (!obj) {
		ret = -EBADF;
		goto put_vspace;
	}
	if (req->start >= req->end || req->end - req->start < obj->size) {
		ret = -ENOMEM; /* no room, as any other range that is full */
		goto put_object;
	}
	mutex_lock(&vs->lock);
	if (to_sluice_bo(obj)->epoch == vs->epoch)
		ret = mapping_add(vs, to_sluice_bo(obj), req);
	mutex_unlock(&vs->lock);
	if (ret == 0)
		obj = NULL; /* the mapping has the reference */
put_object:
	if (obj)
		drm_gem_object_put(obj);
put_vspace:
	sluice_vspace_put(vs);
	return ret;
}

/* With the lock held. Returns the buffer, whose reference is now the caller's. */
static struct sluice_bo *mapping_remove(struct sluice_vspace *vs, u64 address)
{
	struct sluice_vspace_unmap args = { .vid = vs->vid, .offset = address };
	struct sluice_mapping *mapping = mtree_load(&vs->mappings, address);
	struct sluice_bo *bo;
	int ret;

	if (!mapping)
		return ERR_PTR(-ENOENT);
	ret = sluice_call(vs->sd, vs->epoch, SLUICE_CALL_VSPACE_UNMAP, &args, sizeof(args));
	if (ret)
		return ERR_PTR(ret); /* still mapped, for all we know */
	mtree_erase(&vs->mappings, address);
	bo = mapping->bo;
	mapping_free(vs->sd, mapping);
	return bo;
}

int sluice_vspace_unmap_ioctl(struct drm_device *dev, void *data, struct drm_file *file)
{
	struct sluice_device *sd = to_sluice(dev);
	struct drm_pscnv_vspace_unmap *req = data;
	struct sluice_vspace *vs = sluice_vspace_find(sd, file, req->vid);
	struct sluice_bo *bo;

	if (!vs)
		return -ENOENT;
	mutex_lock(&vs->lock);
	bo = mapping_remove(vs, req->offset);
	mutex_unlock(&vs->lock);
	if (!IS_ERR(bo))
		drm_gem_object_put(&bo->base);
	sluice_vspace_put(vs);
	return PTR_ERR_OR_ZERO(bo);
}
