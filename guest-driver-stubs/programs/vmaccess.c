/*
 * The calls that only Gdev's pscnv has: reading and writing GPU memory by its GPU address, mapping
 * buffers late, bus addresses. Wrong ones first. Prints a line for each case and "vmaccess: ok" at
 * the end.
 */
#include "check.h"
#include "sluice.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#define BYTES (3 * PAGE)
#define NOWHERE ((void *)8) /* no program has memory there */

/* What a case works on: an address space with a buffer in it. */
struct place {
	struct sluice_dev *dev;
	struct sluice_vspace_id vs;
	struct sluice_bo bo;
	uint64_t address;
};

static int rw32(struct place *p, unsigned long request, uint64_t address, uint32_t *val)
{
	struct drm_pscnv_vm_rw32 req = {
		.vid = p->vs.vid, .handle = p->bo.handle, .addr = address, .val = *val
	};
	int ret = sluice_ioctl(p->dev, request, &req);

	*val = req.val;
	return ret;
}

static int rw(struct place *p, unsigned long request, uint64_t address, void *buffer, uint32_t size)
{
	struct drm_pscnv_vm_rw req = {
		.vid = p->vs.vid, .handle = p->bo.handle, .addr = address, .size = size,
		.buf_rd = (uintptr_t)buffer, .buf_wr = (uintptr_t)buffer,
	};

	return sluice_ioctl(p->dev, request, &req);
}

static int map(struct place *p, unsigned long request, uint64_t *map_handle)
{
	struct drm_pscnv_vm_map req = { .vid = p->vs.vid, .handle = p->bo.handle };
	int ret = sluice_ioctl(p->dev, request, &req);

	if (map_handle)
		*map_handle = req.map_handle;
	return ret;
}

static int phys(struct place *p, uint32_t offset, uint64_t *address)
{
	struct drm_pscnv_phys_getaddr req = {
		.vid = p->vs.vid, .handle = p->bo.handle, .addr = p->address, .offset = offset
	};
	int ret = sluice_ioctl(p->dev, DRM_IOCTL_PSCNV_PHYS_GETADDR, &req);

	if (address)
		*address = req.phys;
	return ret;
}

/* Each call, for something that is not there. */
static void nothing(const char *what, int expected, struct place *p)
{
	uint32_t word = 0;
	char name[80];
	int i;
	struct {
		const char *call;
		int ret;
	} results[] = {
		{ "VM_READ32", rw32(p, DRM_IOCTL_PSCNV_VM_READ32, p->address, &word) },
		{ "VM_WRITE32", rw32(p, DRM_IOCTL_PSCNV_VM_WRITE32, p->address, &word) },
		{ "VM_READ", rw(p, DRM_IOCTL_PSCNV_VM_READ, p->address, &word, 4) },
		{ "VM_WRITE", rw(p, DRM_IOCTL_PSCNV_VM_WRITE, p->address, &word, 4) },
		{ "VM_MAP", map(p, DRM_IOCTL_PSCNV_VM_MAP, NULL) },
		{ "VM_UNMAP", map(p, DRM_IOCTL_PSCNV_VM_UNMAP, NULL) },
		{ "PHYS_GETADDR", phys(p, 0, NULL) },
	};

	for (i = 0; i < (int)(sizeof(results) / sizeof(results[0])); i++) {
		snprintf(name, sizeof(name), "%s %s", results[i].call, what);
		expect(name, expected, results[i].ret);
	}
}

static void wrong(struct place *right, struct sluice_dev *other)
{
	struct place p = *right;
	uint64_t end = right->address + right->bo.size;
	uint32_t word = 0;
	char *buffer = malloc(BYTES + 1);

	p.vs.vid = NOBODY;
	nothing("in no address space", ENOENT, &p);
	p.vs.vid = right->vs.vid;
	p.bo.handle = NOBODY;
	nothing("with no buffer", EBADF, &p);
	p.bo.handle = right->bo.handle;
	p.dev = other;
	nothing("in a foreign address space", ENOENT, &p);
	p.dev = right->dev;
	expect("VM_READ32 where nothing is mapped", EFAULT,
	       rw32(&p, DRM_IOCTL_PSCNV_VM_READ32, end, &word));
	expect("VM_WRITE32 across the end", EFAULT,
	       rw32(&p, DRM_IOCTL_PSCNV_VM_WRITE32, end - 2, &word));
	expect("VM_READ32 at the end of all addresses", EFAULT,
	       rw32(&p, DRM_IOCTL_PSCNV_VM_READ32, ~0ull - 1, &word));
	expect("VM_READ of a byte too many", EFAULT,
	       rw(&p, DRM_IOCTL_PSCNV_VM_READ, p.address, buffer, BYTES + 1));
	expect("VM_READ to no address", EFAULT,
	       rw(&p, DRM_IOCTL_PSCNV_VM_READ, p.address, NOWHERE, PAGE));
	expect("VM_WRITE from no address", EFAULT,
	       rw(&p, DRM_IOCTL_PSCNV_VM_WRITE, p.address, NOWHERE, PAGE));
	expect("VM_READ of more than 4 MiB", ENOMEM,
	       rw(&p, DRM_IOCTL_PSCNV_VM_READ, p.address, buffer, PSCNV_MAX_RW_BYTES + 1));
	expect("VM_WRITE of 4 GiB", ENOMEM,
	       rw(&p, DRM_IOCTL_PSCNV_VM_WRITE, p.address, buffer, ~0u));
	expect("VM_READ of nothing", 0, rw(&p, DRM_IOCTL_PSCNV_VM_READ, end, NOWHERE, 0));
	expect("PHYS_GETADDR outside", EINVAL, phys(&p, (uint32_t)p.bo.size, NULL));
	free(buffer);
}

static void right(struct place *p)
{
	uint32_t *memory = p->bo.map;
	uint32_t word = 0x12345678;
	uint32_t *buffer = malloc(BYTES);
	int i;

	expect("VM_WRITE32", 0, rw32(p, DRM_IOCTL_PSCNV_VM_WRITE32, p->address + PAGE + 4, &word));
	expect_true("it is in the buffer", memory[PAGE / 4 + 1] == 0x12345678);
	memory[1] = 0xcafe;
	expect("VM_READ32", 0, rw32(p, DRM_IOCTL_PSCNV_VM_READ32, p->address + 4, &word));
	expect_true("it was in the buffer", word == 0xcafe);
	memory[PAGE / 4 - 1] = 0x44332211;
	memory[PAGE / 4] = 0x88776655;
	expect("VM_READ32 across pages", 0,
	       rw32(p, DRM_IOCTL_PSCNV_VM_READ32, p->address + PAGE - 2, &word));
	expect_true("both halves are right", word == 0x66554433);
	for (i = 0; i < BYTES / 4; i++)
		buffer[i] = 0x10000u + (uint32_t)i;
	expect("VM_WRITE of all", 0, rw(p, DRM_IOCTL_PSCNV_VM_WRITE, p->address, buffer, BYTES));
	expect_true("all is in the buffer", memcmp(memory, buffer, BYTES) == 0);
	memset(buffer, 0, BYTES);
	expect("VM_READ of a part", 0,
	       rw(p, DRM_IOCTL_PSCNV_VM_READ, p->address + PAGE - 3, buffer, PAGE + 7));
	expect_true("the part is right and no more was written",
		    memcmp(buffer, (char *)memory + PAGE - 3, PAGE + 7) == 0 &&
			    ((char *)buffer)[PAGE + 7] == 0);
	free(buffer);
}

/* Two buffers side by side are one range to the GPU, and so to these calls. */
static void neighbours(struct place *p)
{
	struct sluice_bo second;
	struct drm_pscnv_vspace_map req;
	uint64_t *buffer = malloc(2 * BYTES);

	must("second buffer", sluice_bo_new(p->dev, SLUICE_SYSRAM, BYTES, &second));
	req = (struct drm_pscnv_vspace_map){
		.vid = p->vs.vid, .handle = second.handle,
		.start = p->address + BYTES, .end = p->address + 2 * BYTES,
	};
	must("its place", sluice_ioctl(p->dev, DRM_IOCTL_PSCNV_VSPACE_MAP, &req));
	sluice_fill(buffer, 2 * BYTES, 5);
	expect("VM_WRITE across buffers", 0,
	       rw(p, DRM_IOCTL_PSCNV_VM_WRITE, p->address, buffer, 2 * BYTES));
	must("map", sluice_bo_map(&second));
	expect_true("each has its part", memcmp(p->bo.map, buffer, BYTES) == 0 &&
		    memcmp(second.map, (char *)buffer + BYTES, BYTES) == 0);
	must("unmap", sluice_vspace_unmap(&p->vs, req.offset));
	sluice_bo_free(&second);
	free(buffer);
}

static bool is_mappable(struct place *p)
{
	struct drm_pscnv_gem_info info = { .handle = p->bo.handle };

	must("GEM_INFO", sluice_ioctl(p->dev, DRM_IOCTL_PSCNV_GEM_INFO, &info));
	return info.flags & PSCNV_GEM_MAPPABLE;
}

/* Pages go and come back with what is in them. */
static void late_mapping(struct place *p)
{
	uint32_t *memory = p->bo.map;
	uint32_t word = 0xabcd;
	uint64_t map_handle;
	void *again;

	memory[0] = 0x5eed;
	expect("VM_UNMAP while a program maps it", 0, map(p, DRM_IOCTL_PSCNV_VM_UNMAP, NULL));
	expect_true("it is not mappable by its flags", !is_mappable(p));
	expect_true("the page comes back at the next access", memory[0] == 0x5eed);
	expect("VM_UNMAP again", 0, map(p, DRM_IOCTL_PSCNV_VM_UNMAP, NULL));
	expect("VM_WRITE32 while no program has the page", 0,
	       rw32(p, DRM_IOCTL_PSCNV_VM_WRITE32, p->address + 4, &word));
	expect_true("it is seen by the next access", memory[1] == 0xabcd && memory[0] == 0x5eed);
	expect("VM_MAP", 0, map(p, DRM_IOCTL_PSCNV_VM_MAP, &map_handle));
	expect_true("it is mappable by its flags", is_mappable(p));
	expect_true("the offset is pscnv's", map_handle == (uint64_t)p->bo.handle << 32);
	again = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, p->dev->fd, (off_t)map_handle);
	expect_true("mmap of it", again != MAP_FAILED && *(uint32_t *)again == 0x5eed);
	if (again != MAP_FAILED)
		munmap(again, BYTES);
}

static void bus_addresses(struct place *p)
{
	uint64_t first, inside;

	expect("PHYS_GETADDR", 0, phys(p, 0, &first));
	expect_true("of the start of a page", first != 0 && first % PAGE == 0);
	expect("PHYS_GETADDR inside", 0, phys(p, 5, &inside));
	expect_true("is that far into the page", inside == first + 5);
	expect("PHYS_GETADDR of the last byte", 0, phys(p, BYTES - 1, &inside));
	expect_true("is at the end of a page", inside % PAGE == PAGE - 1);
}

static void kind(const char *name, struct sluice_dev *dev, struct sluice_dev *other, uint32_t flags)
{
	struct place p = { .dev = dev };

	printf("memory: %s\n", name);
	must("address space", sluice_vspace_new(dev, &p.vs));
	must("buffer", sluice_bo_new(dev, flags, BYTES, &p.bo));
	must("map", sluice_bo_map(&p.bo));
	must("address", sluice_vspace_map(&p.vs, &p.bo, &p.address));
	wrong(&p, other);
	right(&p);
	neighbours(&p);
	late_mapping(&p);
	bus_addresses(&p);
	sluice_bo_free(&p.bo);
	sluice_vspace_free(&p.vs);
}

int main(void)
{
	struct sluice_dev dev, other;

	must("open", sluice_open(&dev, NULL));
	must("open again", sluice_open(&other, NULL));
	kind("system", &dev, &other, SLUICE_SYSRAM);
	kind("video", &dev, &other, SLUICE_VRAM);
	sluice_close(&dev);
	sluice_close(&other);
	return report("vmaccess");
}
