/* The transport over a DRM node: system calls. */
#include "sluice.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static int drm_ioctl(struct sluice_dev *dev, unsigned long request, void *arg)
{
	int ret;

	do
		ret = ioctl(dev->fd, request, arg);
	while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : 0;
}

static int drm_open(struct sluice_dev *dev, const char *path)
{
	char name[16] = "";
	struct drm_version version = { .name = name, .name_len = sizeof(name) - 1 };
	int ret;

	dev->fd = open(path, O_RDWR | O_CLOEXEC);
	if (dev->fd < 0)
		return -errno;
	ret = drm_ioctl(dev, DRM_IOCTL_VERSION, &version);
	if (ret)
		return ret;
	return strcmp(name, "pscnv") == 0 ? 0 : -ENODEV;
}

static int drm_map(struct sluice_dev *dev, uint64_t offset, uint64_t size, void **map)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, dev->fd, (off_t)offset);

	if (at == MAP_FAILED)
		return -errno;
	*map = at;
	return 0;
}

static void drm_unmap(struct sluice_dev *dev, void *map, uint64_t size)
{
	(void)dev;
	munmap(map, size);
}

static void drm_close(struct sluice_dev *dev)
{
	if (dev->fd >= 0)
		close(dev->fd);
}

const struct sluice_transport sluice_transport_drm = {
	.name = "drm",
	.open = drm_open,
	.ioctl = drm_ioctl,
	.map = drm_map,
	.unmap = drm_unmap,
	.close = drm_close,
};
