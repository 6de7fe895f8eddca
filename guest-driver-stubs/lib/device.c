/* Everything that makes calls: device, buffers, address spaces. */
#include "sluice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define FIRST_CARD 0
#define LAST_CARD 15

int sluice_open_with(struct sluice_dev *dev, const struct sluice_transport *transport,
		     const char *path)
{
	int ret;

	*dev = (struct sluice_dev){ .transport = transport, .fd = -1 };
	ret = transport->open(dev, path);
	if (ret)
		sluice_close(dev);
	return ret;
}

static bool is_socket(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISSOCK(status.st_mode);
}

int sluice_open(struct sluice_dev *dev, const char *path)
{
	char card[32];
	int i;

	if (!path)
		path = getenv("SLUICE_DEVICE");
	if (path && *path)
		return sluice_open_with(dev, is_socket(path) ? &sluice_transport_vfio_user :
							       &sluice_transport_drm, path);
	for (i = FIRST_CARD; i <= LAST_CARD; i++) {
		snprintf(card, sizeof(card), "/dev/dri/card%d", i);
		if (sluice_open_with(dev, &sluice_transport_drm, card) == 0)
			return 0;
	}
	return -ENODEV;
}

void sluice_close(struct sluice_dev *dev)
{
	if (dev->transport)
		dev->transport->close(dev);
	*dev = (struct sluice_dev){ .fd = -1 };
}

int sluice_ioctl(struct sluice_dev *dev, unsigned long request, void *arg)
{
	return dev->transport ? dev->transport->ioctl(dev, request, arg) : -ENODEV;
}

int sluice_map(struct sluice_dev *dev, uint64_t offset, uint64_t size, void **map)
{
	return dev->transport ? dev->transport->map(dev, offset, size, map) : -ENODEV;
}

bool sluice_gone(struct sluice_dev *dev)
{
	return dev->transport && dev->transport->gone && dev->transport->gone(dev);
}

void sluice_unmap(struct sluice_dev *dev, void *map, uint64_t size)
{
	if (map && dev->transport)
		dev->transport->unmap(dev, map, size);
}

int sluice_doorbell_map(struct sluice_dev *dev, void **map)
{
	return sluice_map(dev, SLUICE_MAP_DOORBELL, 4096, map);
}

int sluice_getparam(struct sluice_dev *dev, uint64_t param, uint64_t *value)
{
	struct drm_pscnv_getparam req = { .param = param };
	int ret = sluice_ioctl(dev, DRM_IOCTL_PSCNV_GETPARAM, &req);

	*value = req.value;
	return ret;
}

/* ---- buffers ----------------------------------------------------------------------------------- */

int sluice_bo_new(struct sluice_dev *dev, uint32_t flags, uint64_t size, struct sluice_bo *bo)
{
	struct drm_pscnv_gem_info req = { .flags = flags | PSCNV_GEM_MAPPABLE, .size = size };
	int ret = sluice_ioctl(dev, DRM_IOCTL_PSCNV_GEM_NEW, &req);

	if (ret)
		return ret;
	*bo = (struct sluice_bo){ .dev = dev, .handle = req.handle, .size = req.size };
	return 0;
}

int sluice_bo_map(struct sluice_bo *bo)
{
	if (bo->map)
		return 0;
	return sluice_map(bo->dev, (uint64_t)bo->handle << PSCNV_MAP_BUFFER_SHIFT, bo->size,
			  &bo->map);
}

int sluice_bo_name(struct sluice_bo *bo, uint32_t *name)
{
	struct drm_gem_flink req = { .handle = bo->handle };
	int ret = sluice_ioctl(bo->dev, DRM_IOCTL_GEM_FLINK, &req);

	*name = req.name;
	return ret;
}

int sluice_bo_open(struct sluice_dev *dev, uint32_t name, struct sluice_bo *bo)
{
	struct drm_gem_open req = { .name = name };
	int ret = sluice_ioctl(dev, DRM_IOCTL_GEM_OPEN, &req);

	if (ret)
		return ret;
	*bo = (struct sluice_bo){ .dev = dev, .handle = req.handle, .size = req.size };
	return 0;
}

void sluice_bo_free(struct sluice_bo *bo)
{
	struct drm_gem_close req = { .handle = bo->handle };

	if (bo->map)
		sluice_unmap(bo->dev, bo->map, bo->size);
	if (bo->handle)
		sluice_ioctl(bo->dev, DRM_IOCTL_GEM_CLOSE, &req);
	*bo = (struct sluice_bo){ 0 };
}

/* ---- address spaces ---------------------------------------------------------------------------- */

int sluice_vspace_new(struct sluice_dev *dev, struct sluice_vspace_id *vs)
{
	struct drm_pscnv_vspace_req req = { 0 };
	int ret = sluice_ioctl(dev, DRM_IOCTL_PSCNV_VSPACE_NEW, &req);

	if (ret)
		return ret;
	*vs = (struct sluice_vspace_id){ .dev = dev, .vid = req.vid };
	return 0;
}

void sluice_vspace_free(struct sluice_vspace_id *vs)
{
	struct drm_pscnv_vspace_req req = { .vid = vs->vid };

	if (vs->vid)
		sluice_ioctl(vs->dev, DRM_IOCTL_PSCNV_VSPACE_FREE, &req);
	vs->vid = 0;
}

int sluice_vspace_map(struct sluice_vspace_id *vs, struct sluice_bo *bo, uint64_t *address)
{
	struct drm_pscnv_vspace_map req = {
		.vid = vs->vid,
		.handle = bo->handle,
		.start = SLUICE_VA_START,
		.end = SLUICE_VA_END,
	};
	int ret = sluice_ioctl(vs->dev, DRM_IOCTL_PSCNV_VSPACE_MAP, &req);

	*address = req.offset;
	return ret;
}

int sluice_vspace_unmap(struct sluice_vspace_id *vs, uint64_t address)
{
	struct drm_pscnv_vspace_unmap req = { .vid = vs->vid, .offset = address };

	return sluice_ioctl(vs->dev, DRM_IOCTL_PSCNV_VSPACE_UNMAP, &req);
}
