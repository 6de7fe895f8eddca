/*
 * What the driver must refuse, and with which error. Prints a line for each case and "refuse: ok"
 * at the end.
 */
#include "check.h"
#include "sluice.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_IDS 4096 /* more than any device offers */

/* ---- shorter forms of the calls -------------------------------------------------------------- */

static int gem_new(struct sluice_dev *dev, uint32_t flags, uint32_t tile_flags, uint64_t size)
{
	struct drm_pscnv_gem_info req = { .flags = flags, .tile_flags = tile_flags, .size = size };

	return sluice_ioctl(dev, DRM_IOCTL_PSCNV_GEM_NEW, &req);
}

static int gem_info(struct sluice_dev *dev, uint32_t handle)
{
	struct drm_pscnv_gem_info req = { .handle = handle };

	return sluice_ioctl(dev, DRM_IOCTL_PSCNV_GEM_INFO, &req);
}

static int vspace_free(struct sluice_dev *dev, uint32_t vid)
{
	struct drm_pscnv_vspace_req req = { .vid = vid };

	return sluice_ioctl(dev, DRM_IOCTL_PSCNV_VSPACE_FREE, &req);
}

static int vspace_map(struct sluice_dev *dev, uint32_t vid, uint32_t handle, uint64_t start,
		      uint64_t end, uint64_t *address)
{
	struct drm_pscnv_vspace_map req = {
		.vid = vid, .handle = handle, .start = start, .end = end
	};
	int ret = sluice_ioctl(dev, DRM_IOCTL_PSCNV_VSPACE_MAP, &req);

	if (address)
		*address = req.offset;
	return ret;
}

static int vspace_unmap(struct sluice_dev *dev, uint32_t vid, uint64_t address)
{
	struct drm_pscnv_vspace_unmap req = { .vid = vid, .offset = address };

	return sluice_ioctl(dev, DRM_IOCTL_PSCNV_VSPACE_UNMAP, &req);
}

static int chan_new(struct sluice_dev *dev, uint32_t vid, uint32_t *cid)
{
	struct drm_pscnv_chan_new req = { .vid = vid };
	int ret = sluice_ioctl(dev, DRM_IOCTL_PSCNV_CHAN_NEW, &req);

	if (cid)
		*cid = req.cid;
	return ret;
}

static int chan_free(struct sluice_dev *dev, uint32_t cid)
{
	struct drm_pscnv_chan_free req = { .cid = cid };

	return sluice_ioctl(dev, DRM_IOCTL_PSCNV_CHAN_FREE, &req);
}

static int eng_new(struct sluice_dev *dev, uint32_t cid, uint32_t oclass)
{
	struct drm_pscnv_obj_eng_new req = { .cid = cid, .handle = 1, .oclass = oclass };

	return sluice_ioctl(dev, DRM_IOCTL_PSCNV_OBJ_ENG_NEW, &req);
}

static int fifo_init_ib(struct sluice_dev *dev, uint32_t cid, uint64_t start, uint32_t order)
{
	struct drm_pscnv_fifo_init_ib req = {
		.cid = cid, .slimask = 1, .ib_start = start, .ib_order = order
	};

	return sluice_ioctl(dev, DRM_IOCTL_PSCNV_FIFO_INIT_IB, &req);
}

static int chan_wait(struct sluice_dev *dev, uint32_t cid, uint32_t flags, uint32_t timeout_ms)
{
	struct drm_sluice_chan_wait req = { .cid = cid, .flags = flags, .timeout_ms = timeout_ms };

	return sluice_ioctl(dev, DRM_IOCTL_SLUICE_CHAN_WAIT, &req);
}

static int try_mmap(struct sluice_dev *dev, uint64_t size, int flags, uint64_t offset)
{
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, dev->fd, (off_t)offset);

	if (map == MAP_FAILED)
		return -errno;
	munmap(map, size);
	return 0;
}

static uint64_t channel_offset(uint32_t cid)
{
	return PSCNV_MAP_CHANNEL | (uint64_t)cid << PSCNV_MAP_CHANNEL_SHIFT;
}

static uint64_t bo_offset(uint32_t handle)
{
	return (uint64_t)handle << PSCNV_MAP_BUFFER_SHIFT;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void sizes(struct sluice_dev *dev)
{
	struct {
		struct drm_pscnv_getparam req;
		char more[48];
	} large = { .req.param = PSCNV_PARAM_CHIPSET_ID };
	uint64_t small = PSCNV_PARAM_CHIPSET_ID;
	uint64_t value;

	expect("GETPARAM unknown", EINVAL, sluice_getparam(dev, 9999, &value));
	expect("GETPARAM with half a structure", 0, sluice_ioctl(dev, _IOC(_IOC_READ | _IOC_WRITE,
		'd', DRM_COMMAND_BASE + DRM_PSCNV_GETPARAM, sizeof(small)), &small));
	expect("GETPARAM with a larger structure", 0, sluice_ioctl(dev, _IOC(_IOC_READ | _IOC_WRITE,
		'd', DRM_COMMAND_BASE + DRM_PSCNV_GETPARAM, sizeof(large)), &large));
	expect("GETPARAM at no address", EFAULT,
	       sluice_ioctl(dev, DRM_IOCTL_PSCNV_GETPARAM, (void *)8));
	expect("unknown ioctl", EINVAL, sluice_ioctl(dev, DRM_IOWR(DRM_COMMAND_BASE + 0x1f, uint64_t),
						     &small));
}

static void buffers(struct sluice_dev *dev, struct sluice_bo *bo)
{
	expect("GEM_NEW without a size", ENOMEM, gem_new(dev, SLUICE_SYSRAM, 0, 0));
	expect("GEM_NEW of video memory without a size", ENOMEM, gem_new(dev, SLUICE_VRAM, 0, 0));
	expect("GEM_NEW of 2^40 bytes", ENOMEM, gem_new(dev, SLUICE_VRAM, 0, 1ull << 40));
	expect("GEM_NEW of more video memory than there is", ENOMEM,
	       gem_new(dev, SLUICE_VRAM, 0, 1ull << 39));
	expect("GEM_NEW of more guest RAM than there is", ENOMEM,
	       gem_new(dev, SLUICE_SYSRAM, 0, 1ull << 39));
	expect("GEM_NEW with a tile flag of no kind", ENOMEM,
	       gem_new(dev, SLUICE_VRAM, 0x100, PAGE));
	expect("GEM_NEW of guest RAM with another tile flag", ENOMEM,
	       gem_new(dev, SLUICE_SYSRAM, 0x12, PAGE));
	expect("GEM_INFO of nothing", EBADF, gem_info(dev, NOBODY));
	expect("GEM_INFO", 0, gem_info(dev, bo->handle));
}

static void vspaces(struct sluice_dev *dev, uint32_t vid, struct sluice_bo *bo)
{
	uint64_t start = SLUICE_VA_START, end = SLUICE_VA_END;
	uint64_t address = 0, second;

	expect("VSPACE_FREE of 0", ENOENT, vspace_free(dev, 0));
	expect("VSPACE_FREE of nothing", ENOENT, vspace_free(dev, NOBODY));
	expect("VSPACE_MAP in nothing", ENOENT,
	       vspace_map(dev, NOBODY, bo->handle, start, end, NULL));
	expect("VSPACE_MAP of nothing", EBADF, vspace_map(dev, vid, NOBODY, start, end, NULL));
	expect("VSPACE_MAP into a range that is too small", ENOMEM,
	       vspace_map(dev, vid, bo->handle, start, start + bo->size - 1, NULL));
	expect("VSPACE_MAP into a range backwards", ENOMEM,
	       vspace_map(dev, vid, bo->handle, end, start, NULL));
	expect("VSPACE_MAP", 0, vspace_map(dev, vid, bo->handle, start, start + bo->size, &address));
	expect("VSPACE_MAP where no room is left", ENOMEM,
	       vspace_map(dev, vid, bo->handle, start, start + bo->size, NULL));
	expect("VSPACE_MAP twice", 0, vspace_map(dev, vid, bo->handle, start, end, &second));
	expect("VSPACE_UNMAP in nothing", ENOENT, vspace_unmap(dev, NOBODY, address));
	expect("VSPACE_UNMAP of nothing", ENOENT, vspace_unmap(dev, vid, end - PAGE));
	expect("VSPACE_UNMAP by an address inside", 0,
	       vspace_unmap(dev, vid, address + bo->size - 1));
	expect("VSPACE_UNMAP again", ENOENT, vspace_unmap(dev, vid, address));
	expect("VSPACE_UNMAP of the second", 0, vspace_unmap(dev, vid, second));
}

static void channels(struct sluice_dev *dev, uint32_t vid, uint32_t cid, struct sluice_bo *bo)
{
	struct drm_pscnv_obj_vdma_new vdma = { .cid = cid };
	struct drm_pscnv_fifo_init fifo = { .cid = cid };
	uint64_t ring;

	expect("CHAN_NEW in nothing", ENOENT, chan_new(dev, NOBODY, NULL));
	expect("CHAN_FREE of 0", ENOENT, chan_free(dev, 0));
	expect("CHAN_FREE of nothing", ENOENT, chan_free(dev, NOBODY));
	expect("OBJ_VDMA_NEW", ENOSYS, sluice_ioctl(dev, DRM_IOCTL_PSCNV_OBJ_VDMA_NEW, &vdma));
	expect("FIFO_INIT", ENODEV, sluice_ioctl(dev, DRM_IOCTL_PSCNV_FIFO_INIT, &fifo));
	expect("OBJ_ENG_NEW for nothing", ENOENT, eng_new(dev, NOBODY, 0x9039));
	expect("OBJ_ENG_NEW of no class", ENODEV, eng_new(dev, cid, 0x1234));
	expect("OBJ_ENG_NEW", 0, eng_new(dev, cid, 0x9039));
	must("ring", vspace_map(dev, vid, bo->handle, SLUICE_VA_START, SLUICE_VA_END, &ring));
	expect("FIFO_INIT_IB for nothing", ENOENT, fifo_init_ib(dev, NOBODY, ring, 3));
	expect("FIFO_INIT_IB of order 30", EINVAL, fifo_init_ib(dev, cid, ring, 30));
	expect("FIFO_INIT_IB", 0, fifo_init_ib(dev, cid, ring, 3));
	expect("FIFO_INIT_IB again", EBUSY, fifo_init_ib(dev, cid, ring, 3));
	expect("CHAN_WAIT for nothing", ENOENT, chan_wait(dev, NOBODY, 0, 0));
	expect("CHAN_WAIT with flags", EINVAL, chan_wait(dev, cid, 1, 0));
	expect("CHAN_WAIT without an end in sight", ETIME, chan_wait(dev, cid, 0, 20));
}

static void mappings(struct sluice_dev *dev, uint32_t cid, struct sluice_bo *bo)
{
	expect("mmap of no object", EINVAL, try_mmap(dev, PAGE, MAP_SHARED, 0));
	expect("mmap between the kinds", EINVAL, try_mmap(dev, PAGE, MAP_SHARED, 0xc8000000u));
	expect("mmap of a doorbell that is not there", ENODEV,
	       try_mmap(dev, PAGE, MAP_SHARED, SLUICE_MAP_DOORBELL));
	expect("mmap of a control page", 0, try_mmap(dev, PAGE, MAP_SHARED, channel_offset(cid)));
	expect("mmap of two control pages", EINVAL,
	       try_mmap(dev, 2 * PAGE, MAP_SHARED, channel_offset(cid)));
	expect("mmap of nobody's control page", ENOENT,
	       try_mmap(dev, PAGE, MAP_SHARED, channel_offset(0)));
	expect("mmap of a buffer", 0, try_mmap(dev, bo->size, MAP_SHARED, bo_offset(bo->handle)));
	expect("mmap of more than a buffer", EINVAL,
	       try_mmap(dev, bo->size + PAGE, MAP_SHARED, bo_offset(bo->handle)));
	expect("mmap of a buffer as a private copy", EINVAL,
	       try_mmap(dev, bo->size, MAP_PRIVATE, bo_offset(bo->handle)));
	expect("mmap of no buffer", ENOENT, try_mmap(dev, PAGE, MAP_SHARED, bo_offset(0x7ffffff0)));
}

/* What another file of the same device gets of ids that are not its own. */
static void foreign(struct sluice_dev *other, uint32_t vid, uint32_t cid, struct sluice_bo *bo)
{
	expect("foreign VSPACE_FREE", ENOENT, vspace_free(other, vid));
	expect("foreign VSPACE_MAP", ENOENT,
	       vspace_map(other, vid, bo->handle, SLUICE_VA_START, SLUICE_VA_END, NULL));
	expect("foreign VSPACE_UNMAP", ENOENT, vspace_unmap(other, vid, SLUICE_VA_START));
	expect("foreign CHAN_NEW", ENOENT, chan_new(other, vid, NULL));
	expect("foreign CHAN_FREE", ENOENT, chan_free(other, cid));
	expect("foreign FIFO_INIT_IB", ENOENT, fifo_init_ib(other, cid, SLUICE_VA_START, 3));
	expect("foreign OBJ_ENG_NEW", ENOENT, eng_new(other, cid, 0x9039));
	expect("foreign CHAN_WAIT", ENOENT, chan_wait(other, cid, 0, 0));
	expect("foreign GEM_INFO", EBADF, gem_info(other, bo->handle));
	expect("foreign mmap of a control page", ENOENT,
	       try_mmap(other, PAGE, MAP_SHARED, channel_offset(cid)));
	expect("foreign mmap of a buffer", ENOENT,
	       try_mmap(other, PAGE, MAP_SHARED, bo_offset(bo->handle)));
}

/* The control page of a channel that was freed is not there any more. */
static void freed(struct sluice_dev *dev, uint32_t vid)
{
	volatile uint32_t *page;
	uint32_t cid;
	int status;
	pid_t child;

	must("CHAN_NEW", chan_new(dev, vid, &cid));
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, dev->fd, (off_t)channel_offset(cid));
	if (page == MAP_FAILED)
		must("mmap", -errno);
	page[SLUICE_USERD_GP_PUT / 4] = 0;
	expect("CHAN_FREE", 0, chan_free(dev, cid));
	expect("CHAN_FREE again", ENOENT, chan_free(dev, cid));
	child = fork();
	if (child == 0) {
		signal(SIGBUS, SIG_DFL);
		page[SLUICE_USERD_GP_PUT / 4] = 1;
		_exit(0);
	}
	waitpid(child, &status, 0);
	expect("control page after CHAN_FREE", 0,
	       WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS ? 0 : -EILSEQ);
	munmap((void *)page, PAGE);
}

/*
 * A channel that does what it must not ends, says why, and wakes who waits for it; the file's other
 * channel goes on.
 */
static void errors(struct sluice_dev *dev)
{
	struct sluice_vspace_id vs;
	struct sluice_channel bad, good;
	struct sluice_channel_state state;
	struct sluice_report fence;
	uint32_t words[16];
	struct sluice_words w = { .word = words, .capacity = 16 };

	must("address space", sluice_vspace_new(dev, &vs));
	must("channel", sluice_channel_new(&vs, &bad));
	must("channel", sluice_channel_new(&vs, &good));
	sluice_build_release(&w, SLUICE_VA_END - PAGE, 1); /* nothing is mapped there */
	must("submit", sluice_submit(&bad, words, w.count, 1000));
	expect("release to an address that is not mapped", EIO, sluice_wait_interrupt(&bad, 1, 5000));
	sluice_channel_query(&bad, &state);
	expect("reason", 0, state.error == SLUICE_ERROR_PAGE_FAULT ? 0 : -EILSEQ);
	expect("address", 0, state.address == SLUICE_VA_END - PAGE ? 0 : -EILSEQ);
	expect("CHAN_WAIT for a channel that has ended", 0, chan_wait(dev, bad.cid, 0, 1000));
	/* As while the host moves the channel: the page is not to be believed, the host is asked. */
	__atomic_store_n(&good.control[SLUICE_CONTROL_OFFSET / 4], 0, __ATOMIC_RELEASE);
	expect("CHAN_WAIT while the control page says nothing", ETIME, chan_wait(dev, good.cid, 0, 20));
	w.count = 0;
	fence = sluice_next_fence(&good);
	sluice_build_release(&w, fence.address, fence.payload);
	must("submit", sluice_submit(&good, words, w.count, 1000));
	expect("the other channel", 0, sluice_wait_poll(&good, fence.payload, 5000));
	sluice_channel_free(&bad);
	sluice_channel_free(&good);
	sluice_vspace_free(&vs);
}

/* Ids run out with an error, and come back when the file is closed. */
static void exhaustion(void)
{
	struct sluice_dev dev;
	uint32_t vid = 0;
	int round, made, ret;

	for (round = 0; round < 2; round++) {
		struct drm_pscnv_vspace_req req = { 0 };

		must("open", sluice_open(&dev, NULL));
		for (made = 0; made < MAX_IDS; made++) {
			ret = sluice_ioctl(&dev, DRM_IOCTL_PSCNV_VSPACE_NEW, &req);
			if (ret)
				break;
			vid = req.vid;
		}
		expect("VSPACE_NEW until none is left", ENOMEM, made > 1 ? ret : -EILSEQ);
		for (made = 0; made < MAX_IDS; made++) {
			ret = chan_new(&dev, vid, NULL);
			if (ret)
				break;
		}
		expect("CHAN_NEW until none is left", ENOMEM, made > 1 ? ret : -EILSEQ);
		sluice_close(&dev);
	}
}

int main(void)
{
	struct sluice_dev dev, other;
	struct sluice_vspace_id vs;
	struct sluice_bo bo;
	uint32_t cid;

	must("open", sluice_open(&dev, NULL));
	must("open again", sluice_open(&other, NULL));
	must("address space", sluice_vspace_new(&dev, &vs));
	must("buffer", sluice_bo_new(&dev, SLUICE_SYSRAM, 4 * PAGE, &bo));
	must("channel", chan_new(&dev, vs.vid, &cid));
	sizes(&dev);
	buffers(&dev, &bo);
	vspaces(&dev, vs.vid, &bo);
	channels(&dev, vs.vid, cid, &bo);
	mappings(&dev, cid, &bo);
	foreign(&other, vs.vid, cid, &bo);
	freed(&dev, vs.vid);
	errors(&dev);
	/* Left to the end of the file: a channel that runs, an address space and a mapped buffer. */
	sluice_close(&dev);
	sluice_close(&other);
	exhaustion();
	return report("refuse");
}
