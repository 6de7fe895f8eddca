package io.sluice.abi.guest;

/**
 * The numbers of the guest ABI: one constant for each of sluice_abi.h, without the prefix. A test
 * compares them with the header.
 */
public final class GuestAbi {
  /** Pci vendor. */
  public static final int PCI_VENDOR = 0x1af4;

  /** Pci device. */
  public static final int PCI_DEVICE = 0x10f0;

  /** Pci class. */
  public static final int PCI_CLASS = 0x088000;

  /** Pci revision. */
  public static final int PCI_REVISION = 0x20;

  /** 16 KiB, trapped. */
  public static final int BAR_REGISTERS = 0;

  /** Mapped: call slots, event queue, pending bitmap. */
  public static final int BAR_CALLS = 1;

  /** 64 bit, prefetchable, mapped, sparse; absent without CAP_VRAM_APERTURE. */
  public static final int BAR_VRAM = 2;

  /** Mapped: one control page per channel. */
  public static final int BAR_CONTROL = 4;

  /** Mapped; absent without CAP_DOORBELL. */
  public static final int BAR_DOORBELL = 5;

  /** MAGIC. */
  public static final int REG_MAGIC = 0x000;

  /** Major &lt;&lt; 16 | minor. */
  public static final int REG_VERSION = 0x004;

  /** CAP_. */
  public static final int REG_CAPS_LO = 0x008;

  /** Reg caps hi. */
  public static final int REG_CAPS_HI = 0x00c;

  /** Never 0; changes when the device was reset or moved. */
  public static final int REG_GENERATION = 0x010;

  /** Call slots in BAR 1. */
  public static final int REG_NUM_SLOTS = 0x014;

  /** Of struct sluice_event_queue in BAR 1. */
  public static final int REG_EVENT_OFFSET = 0x018;

  /** A power of two. */
  public static final int REG_EVENT_ENTRIES = 0x01c;

  /** Of the pending bitmap in BAR 1. */
  public static final int REG_PENDING_OFFSET = 0x020;

  /** Channel ids are 1 .. this - 1; pages in BAR 4: this many. */
  public static final int REG_NUM_CHANNELS = 0x024;

  /** MSI-X vectors, vector 0 included. */
  public static final int REG_NUM_VECTORS = 0x028;

  /** Address-space ids are 1 .. this - 1. */
  public static final int REG_MAX_VSPACES = 0x02c;

  /** Memory handles are 1 .. this - 1. */
  public static final int REG_MAX_MEMORY = 0x030;

  /** Bytes of video memory this guest may use. */
  public static final int REG_VRAM_LO = 0x034;

  /** Reg vram hi. */
  public static final int REG_VRAM_HI = 0x038;

  /** GPU time in ns; reading LO latches HI. */
  public static final int REG_PTIMER_LO = 0x03c;

  /** Reg ptimer hi. */
  public static final int REG_PTIMER_HI = 0x040;

  /** PCI ids of the GPU behind the device. */
  public static final int REG_GPU_VENDOR = 0x044;

  /** Reg gpu device. */
  public static final int REG_GPU_DEVICE = 0x048;

  /** 0xc0 for a GTX 480. */
  public static final int REG_CHIPSET = 0x04c;

  /** Reg gpc count. */
  public static final int REG_GPC_COUNT = 0x050;

  /** Reg mp count. */
  public static final int REG_MP_COUNT = 0x054;

  /** + 4 GPC, 8 words. */
  public static final int REG_TP_COUNT = 0x060;

  /** W: index of a call slot that was filled. */
  public static final int REG_CALL = 0x100;

  /**
   * W: MAGIC frees everything this guest holds and zeroes BAR 1; posted like a call: GENERATION
   * changes when done.
   */
  public static final int REG_RESET = 0x104;

  /** W: handle of an API session whose host sleeps. */
  public static final int REG_API_DOORBELL = 0x108;

  /** Bar0 msix table. */
  public static final int BAR0_MSIX_TABLE = 0x1000;

  /** Bar0 msix pba. */
  public static final int BAR0_MSIX_PBA = 0x2000;

  /** Bar0 size. */
  public static final int BAR0_SIZE = 0x4000;

  /** "SLUC". */
  public static final int MAGIC = 0x43554c53;

  /** Abi major. */
  public static final int ABI_MAJOR = 1;

  /** Abi minor. */
  public static final int ABI_MINOR = 0;

  /** Cap vram aperture. */
  public static final int CAP_VRAM_APERTURE = (1 << 0);

  /** Cap doorbell. */
  public static final int CAP_DOORBELL = (1 << 1);

  /** MEM_REGISTER. */
  public static final int CAP_GUEST_MEMORY = (1 << 2);

  /** Interrupts of channels are delivered. */
  public static final int CAP_CHANNEL_EVENTS = (1 << 3);

  /** Control pages carry struct sluice_control. */
  public static final int CAP_CONTROL_WORDS = (1 << 4);

  /** A channel can be ended while it runs. */
  public static final int CAP_KILL = (1 << 5);

  /** API_OPEN. */
  public static final int CAP_API_SESSIONS = (1 << 6);

  /** Slot size. */
  public static final int SLOT_SIZE = 256;

  /** Slot args. */
  public static final int SLOT_ARGS = 240;

  /** Max slots. */
  public static final int MAX_SLOTS = 64;

  /** Bar1 slots. */
  public static final int BAR1_SLOTS = 0x0000;

  /** Bar1 events. */
  public static final int BAR1_EVENTS = 0x4000;

  /** Bar1 pending. */
  public static final int BAR1_PENDING = 0x6000;

  /** Bar1 size. */
  public static final int BAR1_SIZE = 0x8000;

  /** Status ok. */
  public static final int STATUS_OK = 0x00000001;

  /** | positive Linux errno. */
  public static final int STATUS_ERROR = 0x80000000;

  /** Call get param. */
  public static final int CALL_GET_PARAM = 1;

  /** Call mem alloc. */
  public static final int CALL_MEM_ALLOC = 2;

  /** Call mem info. */
  public static final int CALL_MEM_INFO = 3;

  /** Call mem free. */
  public static final int CALL_MEM_FREE = 4;

  /** Call vspace new. */
  public static final int CALL_VSPACE_NEW = 5;

  /** Call vspace free. */
  public static final int CALL_VSPACE_FREE = 6;

  /** Call chan new. */
  public static final int CALL_CHAN_NEW = 7;

  /** Call chan free. */
  public static final int CALL_CHAN_FREE = 8;

  /** Call vspace map. */
  public static final int CALL_VSPACE_MAP = 9;

  /** Call vspace unmap. */
  public static final int CALL_VSPACE_UNMAP = 10;

  /** ENOSYS on this GPU, as on NVC0. */
  public static final int CALL_OBJ_VDMA_NEW = 11;

  /** Call obj eng new. */
  public static final int CALL_OBJ_ENG_NEW = 12;

  /** ENODEV on this GPU, as on NVC0. */
  public static final int CALL_FIFO_INIT = 13;

  /** Call fifo init ib. */
  public static final int CALL_FIFO_INIT_IB = 14;

  /** Call mem register. */
  public static final int CALL_MEM_REGISTER = 15;

  /** Call mem pages. */
  public static final int CALL_MEM_PAGES = 16;

  /** Call chan query. */
  public static final int CALL_CHAN_QUERY = 17;

  /** Call quota query. */
  public static final int CALL_QUOTA_QUERY = 18;

  /** Call setup segment. */
  public static final int CALL_SETUP_SEGMENT = 19;

  /** Call ping. */
  public static final int CALL_PING = 20;

  /** Call api open. */
  public static final int CALL_API_OPEN = 21;

  /** Call api segment. */
  public static final int CALL_API_SEGMENT = 22;

  /** Call api close. */
  public static final int CALL_API_CLOSE = 23;

  /** Max extents. */
  public static final int MAX_EXTENTS = 256;

  /** Max setup words. */
  public static final int MAX_SETUP_WORDS = 8192;

  /** Api opencl. */
  public static final int API_OPENCL = 1;

  /** Api cuda. */
  public static final int API_CUDA = 2;

  /** Max api sessions. */
  public static final int MAX_API_SESSIONS = 64;

  /** Max api segments. */
  public static final int MAX_API_SEGMENTS = 64;

  /** Bytes of segment 0. */
  public static final int API_SEGMENT_LEAST = 0x49000;

  /** Word of segment 0: 0, or the errno that the session has ended with. */
  public static final int API_STATE = 0x1c0;

  /** Event entries. */
  public static final int EVENT_ENTRIES = 128;

  /** Id: channel; code: ERROR_; info, address as there. */
  public static final int EVENT_CHANNEL_ERROR = 2;

  /** Address: the new limit in bytes. */
  public static final int EVENT_QUOTA = 3;

  /** Code: the new generation. */
  public static final int EVENT_GENERATION = 4;

  /** Code: what touched is to be, never 0 nor TOUCH_KNOWN. */
  public static final int EVENT_TOUCH = 5;

  /** Touched of a guest that knows EVENT_TOUCH, after a reset. */
  public static final int TOUCH_KNOWN = 1;

  /** Userd reference. */
  public static final int USERD_REFERENCE = 0x48;

  /** Userd get. */
  public static final int USERD_GET = 0x44;

  /** Userd top level get. */
  public static final int USERD_TOP_LEVEL_GET = 0x58;

  /** Userd top level get hi. */
  public static final int USERD_TOP_LEVEL_GET_HI = 0x5c;

  /** Userd get hi. */
  public static final int USERD_GET_HI = 0x60;

  /** Userd gp get. */
  public static final int USERD_GP_GET = 0x88;

  /** Userd gp put. */
  public static final int USERD_GP_PUT = 0x8c;

  /** Control offset. */
  public static final int CONTROL_OFFSET = 0x200;

  /** No ring yet. */
  public static final int CHANNEL_NEW = 1;

  /** Channel running. */
  public static final int CHANNEL_RUNNING = 2;

  /** Takes no entries; its page stays live. */
  public static final int CHANNEL_SUSPENDED = 3;

  /** Its page is a shadow copy; for a move. */
  public static final int CHANNEL_DETACHED = 4;

  /** Ended by an error; free it. */
  public static final int CHANNEL_DEAD = 5;

  /** Info: fault reason | write &lt;&lt; 8 | unit &lt;&lt; 16; address: GPU address. */
  public static final int ERROR_PAGE_FAULT = 1;

  /** Info: method | subchannel &lt;&lt; 16; address: data word. */
  public static final int ERROR_ILLEGAL_METHOD = 2;

  /** Info: the pushbuffer word; address: where it was fetched. */
  public static final int ERROR_ILLEGAL_WORD = 3;

  /** Info: the upper word of the ring entry; address: its index. */
  public static final int ERROR_ILLEGAL_ENTRY = 4;

  /** Info: GP_PUT; address: entries in the ring. */
  public static final int ERROR_PUT_OVERFLOW = 5;

  /** Info: as ILLEGAL_METHOD. */
  public static final int ERROR_EMPTY_SUBCHANNEL = 6;

  /** Info: the operation word; address: the semaphore. */
  public static final int ERROR_SEMAPHORE = 7;

  /** As SEMAPHORE. */
  public static final int ERROR_SEMAPHORE_TIMEOUT = 8;

  /** Info: PGRAPH DATA_ERROR or copy engine error code; address: method. */
  public static final int ERROR_ENGINE = 9;

  /** Info: warp error; address: program counter. */
  public static final int ERROR_SM = 10;

  /** The engine does not do this yet; info: as ILLEGAL_METHOD. */
  public static final int ERROR_UNSUPPORTED = 11;

  /** Guest memory it used was taken away; address: bus address. */
  public static final int ERROR_REVOKED = 12;

  /** Killed: ran past its limit while others waited; info: ms. */
  public static final int ERROR_TIMEOUT = 13;

  /** Killed by the operator. */
  public static final int ERROR_OPERATOR = 14;

  /** The GPU failed. */
  public static final int ERROR_DEVICE = 15;

  private GuestAbi() {}
}
