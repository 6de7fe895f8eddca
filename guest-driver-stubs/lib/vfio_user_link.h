/*
 * A connection to a device over vfio-user: what the transport of plain processes stands on. One
 * request at a time; functions return 0 or a negative errno, and -EIO once the server is gone.
 */
#ifndef VFIO_USER_LINK_H
#define VFIO_USER_LINK_H

#include <stdint.h>

struct vfio_user_link {
	int socket;
	uint16_t next_id;
};

/* Connects and agrees on the protocol's version. The socket is the caller's to close, also after an error. */
int vfio_user_connect(struct vfio_user_link *link, const char *path);

/* A region, and with memory behind it the file to map it by (else -1), which is the caller's. */
struct vfio_user_region {
	uint64_t size;   /* bytes, for address decoding */
	uint64_t offset; /* of the region in the file */
	int fd;
};

int vfio_user_region(struct vfio_user_link *link, uint32_t index, struct vfio_user_region *region);
int vfio_user_read32(struct vfio_user_link *link, uint32_t region, uint64_t offset, uint32_t *value);
int vfio_user_write32(struct vfio_user_link *link, uint32_t region, uint64_t offset, uint32_t value);

/* Shares all of a file of size bytes with the device, at a bus address of the caller's choice. */
int vfio_user_dma_map(struct vfio_user_link *link, int fd, uint64_t iova, uint64_t size);
/* When it returns the device cannot reach it any more. */
int vfio_user_dma_unmap(struct vfio_user_link *link, uint64_t iova, uint64_t size);

/* Which eventfd an MSI-X vector signals. */
int vfio_user_vector(struct vfio_user_link *link, uint32_t vector, int eventfd);

#endif /* VFIO_USER_LINK_H */
