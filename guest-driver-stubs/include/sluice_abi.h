/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR Apache-2.0 */
/*
 * The guest ABI of the Sluice virtual device: the one source. docs/abi.md explains it; the Java
 * mirror (io.sluice.abi.guest) is checked against this file by a test.
 *
 * All fields are little-endian. Fields of one word are read and written whole.
 */
#ifndef SLUICE_ABI_H
#define SLUICE_ABI_H

#ifdef __linux__ /* kernel and programs: the same types as every other header of the kernel */
#include <linux/types.h>
#else
#include <stdint.h>
typedef uint32_t __u32;
typedef uint64_t __u64;
typedef int32_t __s32;
#endif

/* ---- PCI identity ---------------------------------------------------------------------------- */

#define SLUICE_PCI_VENDOR 0x1af4
#define SLUICE_PCI_DEVICE 0x10f0
#define SLUICE_PCI_CLASS 0x088000
#define SLUICE_PCI_REVISION 0x20

#define SLUICE_BAR_REGISTERS 0 /* 16 KiB, trapped */
#define SLUICE_BAR_CALLS 1     /* mapped: call slots, event queue, pending bitmap */
#define SLUICE_BAR_VRAM 2      /* 64 bit, prefetchable, mapped, sparse; absent without SLUICE_CAP_VRAM_APERTURE */
#define SLUICE_BAR_CONTROL 4   /* mapped: one control page per channel */
#define SLUICE_BAR_DOORBELL 5  /* mapped; absent without SLUICE_CAP_DOORBELL */

/* ---- BAR 0: registers, 32 bit each, read-only except where marked W ---------------------------- */

#define SLUICE_REG_MAGIC 0x000 /* SLUICE_MAGIC */
#define SLUICE_REG_VERSION 0x004 /* major << 16 | minor */
#define SLUICE_REG_CAPS_LO 0x008 /* SLUICE_CAP_* */
#define SLUICE_REG_CAPS_HI 0x00c
#define SLUICE_REG_GENERATION 0x010 /* never 0; changes when the device was reset or moved */
#define SLUICE_REG_NUM_SLOTS 0x014 /* call slots in BAR 1 */
#define SLUICE_REG_EVENT_OFFSET 0x018 /* of struct sluice_event_queue in BAR 1 */
#define SLUICE_REG_EVENT_ENTRIES 0x01c /* a power of two */
#define SLUICE_REG_PENDING_OFFSET 0x020 /* of the pending bitmap in BAR 1 */
#define SLUICE_REG_NUM_CHANNELS 0x024 /* channel ids are 1 .. this - 1; pages in BAR 4: this many */
#define SLUICE_REG_NUM_VECTORS 0x028 /* MSI-X vectors, vector 0 included */
#define SLUICE_REG_MAX_VSPACES 0x02c /* address-space ids are 1 .. this - 1 */
#define SLUICE_REG_MAX_MEMORY 0x030 /* memory handles are 1 .. this - 1 */
#define SLUICE_REG_VRAM_LO 0x034 /* bytes of video memory this guest may use */
#define SLUICE_REG_VRAM_HI 0x038
#define SLUICE_REG_PTIMER_LO 0x03c /* GPU time in ns; reading LO latches HI */
#define SLUICE_REG_PTIMER_HI 0x040
#define SLUICE_REG_GPU_VENDOR 0x044 /* PCI ids of the GPU behind the device */
#define SLUICE_REG_GPU_DEVICE 0x048
#define SLUICE_REG_CHIPSET 0x04c /* 0xc0 for a GTX 480 */
#define SLUICE_REG_GPC_COUNT 0x050
#define SLUICE_REG_MP_COUNT 0x054
#define SLUICE_REG_TP_COUNT 0x060 /* + 4 * GPC, 8 words */
#define SLUICE_REG_CALL 0x100 /* W: index of a call slot that was filled */
#define SLUICE_REG_RESET 0x104 /* W: SLUICE_MAGIC frees everything this guest holds and zeroes BAR 1; posted like a call: GENERATION changes when done */
#define SLUICE_REG_API_DOORBELL 0x108 /* W: handle of an API session whose host sleeps */
#define SLUICE_BAR0_MSIX_TABLE 0x1000
#define SLUICE_BAR0_MSIX_PBA 0x2000
#define SLUICE_BAR0_SIZE 0x4000

#define SLUICE_MAGIC 0x43554c53 /* "SLUC" */
#define SLUICE_ABI_MAJOR 1
#define SLUICE_ABI_MINOR 0

#define SLUICE_CAP_VRAM_APERTURE (1u << 0)
#define SLUICE_CAP_DOORBELL (1u << 1)
#define SLUICE_CAP_GUEST_MEMORY (1u << 2) /* MEM_REGISTER */
#define SLUICE_CAP_CHANNEL_EVENTS (1u << 3) /* interrupts of channels are delivered */
#define SLUICE_CAP_CONTROL_WORDS (1u << 4) /* control pages carry struct sluice_control */
#define SLUICE_CAP_KILL (1u << 5) /* a channel can be ended while it runs */
#define SLUICE_CAP_API_SESSIONS (1u << 6) /* API_OPEN */

/* ---- BAR 1: calls ------------------------------------------------------------------------------ */

#define SLUICE_SLOT_SIZE 256
#define SLUICE_SLOT_ARGS 240
#define SLUICE_MAX_SLOTS 64
#define SLUICE_BAR1_SLOTS 0x0000
#define SLUICE_BAR1_EVENTS 0x4000
#define SLUICE_BAR1_PENDING 0x6000
#define SLUICE_BAR1_SIZE 0x8000

/*
 * A call is posted: the guest fills a free slot, stores seq last (release), writes the slot's index
 * to SLUICE_REG_CALL and goes on. The host copies the slot once, executes, writes the results into
 * args, then status, then done_seq (release), and raises vector 0. The slot is free again when
 * done_seq equals seq. A slot is executed once for each new seq; a doorbell for a slot whose seq was
 * executed already does nothing.
 */
struct sluice_slot {
	__u32 seq;      /* 0x00 guest: any value but 0, another one for each call in this slot */
	__u32 command;  /* 0x04 guest: SLUICE_CALL_* */
	__u32 status;   /* 0x08 host: SLUICE_STATUS_OK or SLUICE_STATUS_ERROR | errno */
	__u32 done_seq; /* 0x0c host: seq of the finished call */
	__u32 args[SLUICE_SLOT_ARGS / 4]; /* 0x10 */
};

#define SLUICE_STATUS_OK 0x00000001u
#define SLUICE_STATUS_ERROR 0x80000000u /* | positive Linux errno */

/* The commands of the thesis' guest driver keep their numbers. */
#define SLUICE_CALL_GET_PARAM 1
#define SLUICE_CALL_MEM_ALLOC 2
#define SLUICE_CALL_MEM_INFO 3
#define SLUICE_CALL_MEM_FREE 4
#define SLUICE_CALL_VSPACE_NEW 5
#define SLUICE_CALL_VSPACE_FREE 6
#define SLUICE_CALL_CHAN_NEW 7
#define SLUICE_CALL_CHAN_FREE 8
#define SLUICE_CALL_VSPACE_MAP 9
#define SLUICE_CALL_VSPACE_UNMAP 10
#define SLUICE_CALL_OBJ_VDMA_NEW 11 /* ENOSYS on this GPU, as on NVC0 */
#define SLUICE_CALL_OBJ_ENG_NEW 12
#define SLUICE_CALL_FIFO_INIT 13 /* ENODEV on this GPU, as on NVC0 */
#define SLUICE_CALL_FIFO_INIT_IB 14
#define SLUICE_CALL_MEM_REGISTER 15
#define SLUICE_CALL_MEM_PAGES 16
#define SLUICE_CALL_CHAN_QUERY 17
#define SLUICE_CALL_QUOTA_QUERY 18
#define SLUICE_CALL_SETUP_SEGMENT 19
#define SLUICE_CALL_PING 20
#define SLUICE_CALL_API_OPEN 21
#define SLUICE_CALL_API_SEGMENT 22
#define SLUICE_CALL_API_CLOSE 23

struct sluice_get_param { /* 1 */
	__u64 param; /* 0x00 in: pscnv parameter id, GPC index in the upper half */
	__u64 value; /* 0x08 out */
};

struct sluice_mem_alloc { /* 2 */
	__u32 flags;           /* 0x00 in: pscnv GEM flags; only VRAM memory types (others: MEM_REGISTER) */
	__u32 tile_flags;      /* 0x04 in */
	__u32 cookie;          /* 0x08 in */
	__u32 handle;          /* 0x0c out */
	__u64 size;            /* 0x10 in, out: bytes, rounded up */
	__u64 aperture_offset; /* 0x18 out: byte offset in BAR 2; ~0 without an aperture */
};

struct sluice_mem_info { /* 3 */
	__u32 handle;          /* 0x00 in */
	__u32 flags;           /* 0x04 out */
	__u32 tile_flags;      /* 0x08 out */
	__u32 cookie;          /* 0x0c out */
	__u64 size;            /* 0x10 out: bytes */
	__u64 aperture_offset; /* 0x18 out: ~0 when not in the aperture */
};

struct sluice_handle { /* 4, 5, 6, 8, 23: in or (5) out */
	__u32 handle; /* 0x00 memory handle, address-space id, channel id or API session */
	__u32 pad;    /* 0x04 */
};

struct sluice_chan_new { /* 7 */
	__u32 vid; /* 0x00 in */
	__u32 cid; /* 0x04 out: also the index of its page in BAR 4 */
};

struct sluice_vspace_map { /* 9 */
	__u32 vid;    /* 0x00 in */
	__u32 handle; /* 0x04 in */
	__u32 back;   /* 0x08 in: highest address first when not 0 */
	__u32 flags;  /* 0x0c in: must be 0 */
	__u64 start;  /* 0x10 in: lowest address allowed */
	__u64 end;    /* 0x18 in: first address not allowed */
	__u64 offset; /* 0x20 out: GPU address */
};

struct sluice_vspace_unmap { /* 10 */
	__u32 vid;    /* 0x00 in */
	__u32 pad;    /* 0x04 */
	__u64 offset; /* 0x08 in: any address inside the mapping */
};

struct sluice_obj_eng_new { /* 12 */
	__u32 cid;    /* 0x00 in */
	__u32 handle; /* 0x04 in */
	__u32 oclass; /* 0x08 in */
	__u32 flags;  /* 0x0c in */
};

struct sluice_fifo_init_ib { /* 14 */
	__u32 cid;      /* 0x00 in */
	__u32 flags;    /* 0x04 in: must be 0 */
	__u32 slimask;  /* 0x08 in: 1 */
	__u32 ib_order; /* 0x0c in: ring of 1 << ib_order entries */
	__u64 ib_start; /* 0x10 in: GPU address of the ring, mapped already */
};

/*
 * Memory of the guest as a GPU buffer, seen without a copy: MEM_REGISTER makes an empty buffer of a
 * size, MEM_PAGES fills it from a list in guest memory; it can be mapped once it is full.
 */
struct sluice_mem_register { /* 15 */
	__u32 flags;  /* 0x00 in: pscnv GEM flags; SYSRAM memory types */
	__u32 cookie; /* 0x04 in */
	__u64 size;   /* 0x08 in: bytes, a multiple of 4096 */
	__u32 handle; /* 0x10 out */
	__u32 pad;    /* 0x14 */
};

#define SLUICE_MAX_EXTENTS 256

struct sluice_extent {
	__u64 iova;  /* 0x00 bus address of guest memory, a multiple of 4096 */
	__u64 bytes; /* 0x08 a multiple of 4096 */
};

struct sluice_mem_pages { /* 16 */
	__u32 handle;    /* 0x00 in */
	__u32 count;     /* 0x04 in: extents in the list, 1 .. SLUICE_MAX_EXTENTS */
	__u64 offset;    /* 0x08 in: byte offset in the buffer where the first extent goes */
	__u64 list_iova; /* 0x10 in: bus address of struct sluice_extent[count], in one page */
};

struct sluice_chan_query { /* 17 */
	__u32 cid;           /* 0x00 in */
	__u32 state;         /* 0x04 out: SLUICE_CHANNEL_* */
	__u32 reason;        /* 0x08 out: SLUICE_ERROR_* */
	__u32 info;          /* 0x0c out: detail of the reason */
	__u64 address;       /* 0x10 out: address of a fault */
	__u64 entries;       /* 0x18 out: ring entries taken */
	__u64 busy_ns;       /* 0x20 out: GPU time used */
};

struct sluice_quota_query { /* 18 */
	__u64 vram_used;  /* 0x00 out: bytes */
	__u64 vram_limit; /* 0x08 out: bytes this guest may use now */
	__u64 vram_total; /* 0x10 out: bytes of the GPU */
	__u64 sysmem_used; /* 0x18 out: bytes registered */
};

/* The commands that set a channel's engines up; a move to another GPU may replay them. */
struct sluice_setup_segment { /* 19 */
	__u32 cid;   /* 0x00 in */
	__u32 words; /* 0x04 in: pushbuffer words, 0 takes the segment back, at most SLUICE_MAX_SETUP_WORDS */
	__u64 iova;  /* 0x08 in: bus address of the words, which are copied */
};

#define SLUICE_MAX_SETUP_WORDS 8192

struct sluice_ping { /* 20 */
	__u64 value; /* 0x00 in: anything */
	__u64 echo;  /* 0x08 out: the same */
};

/*
 * API sessions: what a process of the guest has made through an API such as OpenCL lives in a process
 * of the host. They share segments of the guest's memory, made of extents as in MEM_PAGES. Segment 0
 * has the ring; docs/abi.md says which words of it the device itself uses.
 */
struct sluice_api_open { /* 21 */
	__u32 api;       /* 0x00 in: SLUICE_API_* */
	__u32 count;     /* 0x04 in: extents of segment 0, 1 .. SLUICE_MAX_EXTENTS */
	__u64 bytes;     /* 0x08 in: of segment 0: the sum of its extents */
	__u64 list_iova; /* 0x10 in: bus address of struct sluice_extent[count], in one page */
	__u32 handle;    /* 0x18 out: of the session, 1 .. SLUICE_MAX_API_SESSIONS */
	__u32 pad;       /* 0x1c */
};

struct sluice_api_segment { /* 22 */
	__u32 handle;    /* 0x00 in */
	__u32 index;     /* 0x04 in: 1 .. SLUICE_MAX_API_SEGMENTS - 1; a segment stays as long as its session */
	__u32 count;     /* 0x08 in: as in API_OPEN */
	__u32 pad;       /* 0x0c */
	__u64 bytes;     /* 0x10 in */
	__u64 list_iova; /* 0x18 in */
};

#define SLUICE_API_OPENCL 1
#define SLUICE_API_CUDA 2 /* CUDA programs: docs/relay-protocol.md */

#define SLUICE_MAX_API_SESSIONS 64
#define SLUICE_MAX_API_SEGMENTS 64
#define SLUICE_API_SEGMENT_LEAST 0x49000 /* bytes of segment 0 */
#define SLUICE_API_STATE 0x1c0 /* word of segment 0: 0, or the errno that the session has ended with */

/* ---- BAR 1: events ----------------------------------------------------------------------------- */

#define SLUICE_EVENT_ENTRIES 128

#define SLUICE_EVENT_CHANNEL_ERROR 2 /* id: channel; code: SLUICE_ERROR_*; info, address as there */
#define SLUICE_EVENT_QUOTA 3        /* address: the new limit in bytes */
#define SLUICE_EVENT_GENERATION 4   /* code: the new generation */
#define SLUICE_EVENT_TOUCH 5        /* code: what touched is to be, never 0 nor SLUICE_TOUCH_KNOWN */

#define SLUICE_TOUCH_KNOWN 1 /* touched of a guest that knows SLUICE_EVENT_TOUCH, after a reset */

struct sluice_event {
	__u32 kind;    /* 0x00 SLUICE_EVENT_*; never 0 */
	__u32 id;      /* 0x04 */
	__u32 code;    /* 0x08 */
	__u32 info;    /* 0x0c */
	__u64 address; /* 0x10 */
	__u64 time_ns; /* 0x18 GPU time */
};

/*
 * head counts events the host has written (release), tail those the guest has taken. When the queue
 * is full the host drops the event and counts it in lost: everything an event tells can also be asked.
 *
 * SLUICE_EVENT_TOUCH asks the guest to write to each page of the memory it has registered, which
 * changes nothing (an atomic or with 0), and then to store the event's code in touched (release).
 * Whoever copies the machine's memory then knows that the pages have changed: what the GPU writes it
 * does not see. A guest that knows this event stores SLUICE_TOUCH_KNOWN after each reset; any other is not asked.
 */
struct sluice_event_queue {
	__u32 head;        /* 0x00 host */
	__u32 lost;        /* 0x04 host */
	__u32 pad0[14];
	__u32 tail;        /* 0x40 guest */
	__u32 touched;     /* 0x44 guest */
	__u32 pad1[14];
	struct sluice_event entries[SLUICE_EVENT_ENTRIES]; /* 0x80 */
};

/*
 * Pending bitmap: one bit per channel in 32-bit words. The host sets a channel's bit, then raises its
 * vector, 1 + cid % (vectors - 1); the guest takes a whole word by an atomic exchange with 0.
 * Interrupts are hints: a guest checks memory again.
 */

/* ---- BAR 4: control pages ---------------------------------------------------------------------- */

#define SLUICE_USERD_REFERENCE 0x48
#define SLUICE_USERD_GET 0x44
#define SLUICE_USERD_TOP_LEVEL_GET 0x58
#define SLUICE_USERD_TOP_LEVEL_GET_HI 0x5c
#define SLUICE_USERD_GET_HI 0x60
#define SLUICE_USERD_GP_GET 0x88
#define SLUICE_USERD_GP_PUT 0x8c

#define SLUICE_CONTROL_OFFSET 0x200

struct sluice_control { /* at SLUICE_CONTROL_OFFSET of a control page; written by the host only */
	__u32 generation;     /* 0x00 never 0 in a page that counts; 0: read again */
	__u32 doorbell_token; /* 0x04 what to write to the doorbell */
	__u32 state;          /* 0x08 SLUICE_CHANNEL_* */
	__u32 error;          /* 0x0c SLUICE_ERROR_*, 0 while the channel lives */
	__u32 error_info;     /* 0x10 */
	__u32 error_seq;      /* 0x14 counts errors; stored last (release) */
	__u64 error_address;  /* 0x18 */
	__u64 error_time_ns;  /* 0x20 GPU time */
};

#define SLUICE_CHANNEL_NEW 1       /* no ring yet */
#define SLUICE_CHANNEL_RUNNING 2
#define SLUICE_CHANNEL_SUSPENDED 3 /* takes no entries; its page stays live */
#define SLUICE_CHANNEL_DETACHED 4  /* its page is a shadow copy; for a move */
#define SLUICE_CHANNEL_DEAD 5      /* ended by an error; free it */

/* Why a channel ended; info and address depend on it. */
#define SLUICE_ERROR_PAGE_FAULT 1        /* info: fault reason | write << 8 | unit << 16; address: GPU address */
#define SLUICE_ERROR_ILLEGAL_METHOD 2    /* info: method | subchannel << 16; address: data word */
#define SLUICE_ERROR_ILLEGAL_WORD 3      /* info: the pushbuffer word; address: where it was fetched */
#define SLUICE_ERROR_ILLEGAL_ENTRY 4     /* info: the upper word of the ring entry; address: its index */
#define SLUICE_ERROR_PUT_OVERFLOW 5      /* info: GP_PUT; address: entries in the ring */
#define SLUICE_ERROR_EMPTY_SUBCHANNEL 6  /* info: as ILLEGAL_METHOD */
#define SLUICE_ERROR_SEMAPHORE 7         /* info: the operation word; address: the semaphore */
#define SLUICE_ERROR_SEMAPHORE_TIMEOUT 8 /* as SEMAPHORE */
#define SLUICE_ERROR_ENGINE 9            /* info: PGRAPH DATA_ERROR or copy engine error code; address: method */
#define SLUICE_ERROR_SM 10               /* info: warp error; address: program counter */
#define SLUICE_ERROR_UNSUPPORTED 11      /* the engine does not do this yet; info: as ILLEGAL_METHOD */
#define SLUICE_ERROR_REVOKED 12          /* guest memory it used was taken away; address: bus address */
#define SLUICE_ERROR_TIMEOUT 13          /* killed: ran past its limit while others waited; info: ms */
#define SLUICE_ERROR_OPERATOR 14         /* killed by the operator */
#define SLUICE_ERROR_DEVICE 15           /* the GPU failed */

#endif /* SLUICE_ABI_H */
