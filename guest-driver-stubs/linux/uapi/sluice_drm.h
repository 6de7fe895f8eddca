/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR Apache-2.0 */
/*
 * What user programs see of the driver: the ioctls of pscnv, with pscnv's numbers, sizes and
 * field offsets, and one of our own. The driver dispatches on the number alone and copies what
 * the caller's number says, so every call is best made in its read-and-write form, the one
 * defined here.
 *
 * Ids (vid, cid) are numbers of the device, not of the file; they are valid only in the file that
 * made them. GEM handles are numbers of the file, with GEM_CLOSE, GEM_FLINK and GEM_OPEN of
 * <drm/drm.h>.
 */
#ifndef SLUICE_DRM_H
#define SLUICE_DRM_H

#ifdef __has_include
#if __has_include("drm/drm.h")
#include <drm/drm.h>
#else
#include "sluice_drm_core.h" /* some systems keep it in a package of its own */
#endif
#else
#include <drm/drm.h>
#endif

#define DRM_PSCNV_GETPARAM 0x00
#define DRM_PSCNV_GEM_NEW 0x20
#define DRM_PSCNV_GEM_INFO 0x21
#define DRM_PSCNV_VSPACE_NEW 0x22
#define DRM_PSCNV_VSPACE_FREE 0x23
#define DRM_PSCNV_VSPACE_MAP 0x24
#define DRM_PSCNV_VSPACE_UNMAP 0x25
#define DRM_PSCNV_CHAN_NEW 0x26
#define DRM_PSCNV_CHAN_FREE 0x27
#define DRM_PSCNV_OBJ_VDMA_NEW 0x28
#define DRM_PSCNV_FIFO_INIT 0x29
#define DRM_PSCNV_OBJ_ENG_NEW 0x2a
#define DRM_PSCNV_FIFO_INIT_IB 0x2b
/* From here on those that only Gdev's pscnv has. */
#define DRM_PSCNV_VM_READ32 0x2c
#define DRM_PSCNV_VM_WRITE32 0x2d
#define DRM_PSCNV_VM_READ 0x2e
#define DRM_PSCNV_VM_WRITE 0x2f
#define DRM_PSCNV_VM_MAP 0x30
#define DRM_PSCNV_VM_UNMAP 0x31
#define DRM_PSCNV_PHYS_GETADDR 0x32
#define DRM_SLUICE_CHAN_WAIT 0x38 /* not pscnv's */

/* GETPARAM */
#define PSCNV_PARAM_PCI_VENDOR 3
#define PSCNV_PARAM_PCI_DEVICE 4
#define PSCNV_PARAM_BUS_TYPE 5 /* 0 AGP, 1 PCI, 2 PCI Express */
#define PSCNV_PARAM_FB_SIZE 8 /* bytes of video memory */
#define PSCNV_PARAM_CHIPSET_ID 11
#define PSCNV_PARAM_PTIMER_TIME 14 /* ns */
#define PSCNV_PARAM_GPC_COUNT 15
#define PSCNV_PARAM_TP_COUNT_IDX 16 /* GPC index in the upper half of param */
#define PSCNV_PARAM_MP_COUNT 100

struct drm_pscnv_getparam {
	__u64 param; /* 0x00 in */
	__u64 value; /* 0x08 out */
};

/* GEM_NEW, GEM_INFO: flags */
#define PSCNV_GEM_CONTIG 0x1
#define PSCNV_GEM_MAPPABLE 0x2
#define PSCNV_GEM_MEMTYPE_MASK 0xc
#define PSCNV_GEM_VRAM_SMALL 0x0
#define PSCNV_GEM_SYSRAM_SNOOP 0x4
#define PSCNV_GEM_VRAM_LARGE 0x8
#define PSCNV_GEM_SYSRAM_NOSNOOP 0xc

struct drm_pscnv_gem_info {
	__u32 handle;     /* 0x00 out (NEW), in (INFO) */
	__u32 cookie;     /* 0x04 in (NEW), out (INFO), as all below */
	__u32 flags;      /* 0x08 */
	__u32 tile_flags; /* 0x0c */
	__u64 size;       /* 0x10 in and out: bytes, rounded up */
	__u64 map_handle; /* 0x18 out: offset for mmap */
	__u32 user[8];    /* 0x20 kept for the program */
};

struct drm_pscnv_vspace_req {
	__u32 vid; /* 0x00 out (NEW), in (FREE) */
};

struct drm_pscnv_vspace_map {
	__u32 vid;    /* 0x00 in */
	__u32 handle; /* 0x04 in */
	__u64 start;  /* 0x08 in: lowest address allowed */
	__u64 end;    /* 0x10 in: first address not allowed */
	__u32 back;   /* 0x18 in: highest address first when not 0 */
	__u32 flags;  /* 0x1c ignored */
	__u64 offset; /* 0x20 out: GPU address */
};

struct drm_pscnv_vspace_unmap {
	__u32 vid;    /* 0x00 in */
	__u32 pad;    /* 0x04 */
	__u64 offset; /* 0x08 in: any address inside the mapping */
};

struct drm_pscnv_chan_new {
	__u32 vid;        /* 0x00 in */
	__u32 cid;        /* 0x04 out */
	__u64 map_handle; /* 0x08 out: offset for mmap of its control page, 4096 bytes */
};

struct drm_pscnv_chan_free {
	__u32 cid; /* 0x00 in */
};

struct drm_pscnv_obj_vdma_new {
	__u32 cid;    /* 0x00 in */
	__u32 handle; /* 0x04 in */
	__u32 oclass; /* 0x08 in */
	__u32 flags;  /* 0x0c in */
	__u64 start;  /* 0x10 in */
	__u64 size;   /* 0x18 in */
};

struct drm_pscnv_fifo_init {
	__u32 cid;       /* 0x00 in */
	__u32 pb_handle; /* 0x04 in */
	__u32 flags;     /* 0x08 in */
	__u32 slimask;   /* 0x0c in */
	__u64 pb_start;  /* 0x10 in */
};

struct drm_pscnv_obj_eng_new {
	__u32 cid;    /* 0x00 in */
	__u32 handle; /* 0x04 in */
	__u32 oclass; /* 0x08 in */
	__u32 flags;  /* 0x0c in */
};

struct drm_pscnv_fifo_init_ib {
	__u32 cid;       /* 0x00 in */
	__u32 pb_handle; /* 0x04 ignored */
	__u32 flags;     /* 0x08 ignored */
	__u32 slimask;   /* 0x0c in: 1 */
	__u64 ib_start;  /* 0x10 in: GPU address of the ring */
	__u32 ib_order;  /* 0x18 in: ring of 1 << ib_order entries */
	__u32 pad;       /* 0x1c */
};

/* Reads or writes what a GPU address of the address space means. */
struct drm_pscnv_vm_rw32 {
	__u32 vid;    /* 0x00 in */
	__u32 handle; /* 0x04 in: any buffer of the file */
	__u64 addr;   /* 0x08 in: GPU address */
	__u32 val;    /* 0x10 out (READ32), in (WRITE32) */
	__u32 pad;    /* 0x14 */
};

struct drm_pscnv_vm_rw {
	__u32 vid;    /* 0x00 in */
	__u32 handle; /* 0x04 in: any buffer of the file */
	__u64 addr;   /* 0x08 in: GPU address */
	__u32 size;   /* 0x10 in: bytes, at most PSCNV_MAX_RW_BYTES */
	__u32 pad;    /* 0x14 */
	__u64 buf_rd; /* 0x18 in (READ): where the bytes go to in the program */
	__u64 buf_wr; /* 0x20 in (WRITE): where they come from */
};

#define PSCNV_MAX_RW_BYTES 0x400000

/*
 * MAP makes a buffer mappable that was not made so, UNMAP takes its pages from the programs that
 * map it; the next access of a program has them again.
 */
struct drm_pscnv_vm_map {
	__u32 vid;        /* 0x00 in: any address space of the file */
	__u32 handle;     /* 0x04 in */
	__u64 map_handle; /* 0x08 out (MAP): offset for mmap */
};

/* Where on the bus a byte of a buffer is, for other devices. */
struct drm_pscnv_phys_getaddr {
	__u32 vid;    /* 0x00 in: any address space of the file */
	__u32 handle; /* 0x04 in */
	__u64 addr;   /* 0x08 ignored: where the buffer is mapped */
	__u32 offset; /* 0x10 in: byte offset in the buffer */
	__u32 pad;    /* 0x14 */
	__u64 phys;   /* 0x18 out: bus address */
};

/*
 * Waits until the channel was interrupted again, or ended.
 *
 * The driver counts the interrupts of each channel; interrupts that come close together count as
 * one. The call returns at once when the count differs from `seen`, and stores the count there,
 * so that a program reads the count (timeout_ms 0), submits, waits, and looks at memory after
 * each return: an interrupt is a hint. Returns 0, or an error; the outputs are stored in both
 * cases:
 *   ENOENT no such channel of this file, or it was freed meanwhile
 *   ETIME  nothing happened in timeout_ms
 *   EINTR  a signal; timeout_ms holds what is left
 *   EINVAL flags or pad is not 0
 *   EIO    the device is gone
 * A channel that ended gives 0 at once, with state SLUICE_CHANNEL_DEAD and the reason.
 */
struct drm_sluice_chan_wait {
	__u32 cid;        /* 0x00 in */
	__u32 flags;      /* 0x04 in: 0 */
	__u32 timeout_ms; /* 0x08 in: 0 does not wait, ~0 has no end; out: what is left */
	__u32 seen;       /* 0x0c in: count already acted on; out: count now */
	__u32 state;      /* 0x10 out: SLUICE_CHANNEL_* of sluice_abi.h */
	__u32 reason;     /* 0x14 out: SLUICE_ERROR_*, 0 while it lives */
	__u32 info;       /* 0x18 out: detail of the reason */
	__u32 pad;        /* 0x1c in: 0 */
	__u64 address;    /* 0x20 out: detail of the reason */
};

#define DRM_PSCNV_IOWR(nr, type) DRM_IOWR(DRM_COMMAND_BASE + (nr), type)

#define DRM_IOCTL_PSCNV_GETPARAM DRM_PSCNV_IOWR(DRM_PSCNV_GETPARAM, struct drm_pscnv_getparam)
#define DRM_IOCTL_PSCNV_GEM_NEW DRM_PSCNV_IOWR(DRM_PSCNV_GEM_NEW, struct drm_pscnv_gem_info)
#define DRM_IOCTL_PSCNV_GEM_INFO DRM_PSCNV_IOWR(DRM_PSCNV_GEM_INFO, struct drm_pscnv_gem_info)
#define DRM_IOCTL_PSCNV_VSPACE_NEW DRM_PSCNV_IOWR(DRM_PSCNV_VSPACE_NEW, struct drm_pscnv_vspace_req)
#define DRM_IOCTL_PSCNV_VSPACE_FREE \
	DRM_PSCNV_IOWR(DRM_PSCNV_VSPACE_FREE, struct drm_pscnv_vspace_req)
#define DRM_IOCTL_PSCNV_VSPACE_MAP DRM_PSCNV_IOWR(DRM_PSCNV_VSPACE_MAP, struct drm_pscnv_vspace_map)
#define DRM_IOCTL_PSCNV_VSPACE_UNMAP \
	DRM_PSCNV_IOWR(DRM_PSCNV_VSPACE_UNMAP, struct drm_pscnv_vspace_unmap)
#define DRM_IOCTL_PSCNV_CHAN_NEW DRM_PSCNV_IOWR(DRM_PSCNV_CHAN_NEW, struct drm_pscnv_chan_new)
#define DRM_IOCTL_PSCNV_CHAN_FREE DRM_PSCNV_IOWR(DRM_PSCNV_CHAN_FREE, struct drm_pscnv_chan_free)
#define DRM_IOCTL_PSCNV_OBJ_VDMA_NEW \
	DRM_PSCNV_IOWR(DRM_PSCNV_OBJ_VDMA_NEW, struct drm_pscnv_obj_vdma_new)
#define DRM_IOCTL_PSCNV_FIFO_INIT DRM_PSCNV_IOWR(DRM_PSCNV_FIFO_INIT, struct drm_pscnv_fifo_init)
#define DRM_IOCTL_PSCNV_OBJ_ENG_NEW \
	DRM_PSCNV_IOWR(DRM_PSCNV_OBJ_ENG_NEW, struct drm_pscnv_obj_eng_new)
#define DRM_IOCTL_PSCNV_FIFO_INIT_IB \
	DRM_PSCNV_IOWR(DRM_PSCNV_FIFO_INIT_IB, struct drm_pscnv_fifo_init_ib)
#define DRM_IOCTL_PSCNV_VM_READ32 DRM_PSCNV_IOWR(DRM_PSCNV_VM_READ32, struct drm_pscnv_vm_rw32)
#define DRM_IOCTL_PSCNV_VM_WRITE32 DRM_PSCNV_IOWR(DRM_PSCNV_VM_WRITE32, struct drm_pscnv_vm_rw32)
#define DRM_IOCTL_PSCNV_VM_READ DRM_PSCNV_IOWR(DRM_PSCNV_VM_READ, struct drm_pscnv_vm_rw)
#define DRM_IOCTL_PSCNV_VM_WRITE DRM_PSCNV_IOWR(DRM_PSCNV_VM_WRITE, struct drm_pscnv_vm_rw)
#define DRM_IOCTL_PSCNV_VM_MAP DRM_PSCNV_IOWR(DRM_PSCNV_VM_MAP, struct drm_pscnv_vm_map)
#define DRM_IOCTL_PSCNV_VM_UNMAP DRM_PSCNV_IOWR(DRM_PSCNV_VM_UNMAP, struct drm_pscnv_vm_map)
#define DRM_IOCTL_PSCNV_PHYS_GETADDR \
	DRM_PSCNV_IOWR(DRM_PSCNV_PHYS_GETADDR, struct drm_pscnv_phys_getaddr)
#define DRM_IOCTL_SLUICE_CHAN_WAIT \
	DRM_PSCNV_IOWR(DRM_SLUICE_CHAN_WAIT, struct drm_sluice_chan_wait)

/* Offsets for mmap: a buffer is its handle in the upper half; a control page this, with the cid. */
#define PSCNV_MAP_CHANNEL 0xc0000000u
#define PSCNV_MAP_CHANNEL_SHIFT 16
#define PSCNV_MAP_CHANNEL_MASK 0x7f0000u
#define PSCNV_MAP_BUFFER_SHIFT 32

/*
 * Not pscnv's: the doorbell's page, 4096 bytes, of a GPU that wants to be told of what was put; ENODEV
 * on others. A program that holds a channel stores the doorbell token of its control page there.
 */
#define SLUICE_MAP_DOORBELL 0xd0000000u

#endif /* SLUICE_DRM_H */
