package io.sluice.abi.rm;

import io.sluice.abi.rm.ioctl.NvAllocOsEvent;
import io.sluice.abi.rm.ioctl.NvCardInfo;
import io.sluice.abi.rm.ioctl.NvRegisterFd;
import io.sluice.abi.rm.ioctl.NvVersion;
import io.sluice.abi.rm.ioctl.Nvos00Free;
import io.sluice.abi.rm.ioctl.Nvos02AllocMemory;
import io.sluice.abi.rm.ioctl.Nvos21Alloc;
import io.sluice.abi.rm.ioctl.Nvos30IdleChannels;
import io.sluice.abi.rm.ioctl.Nvos33MapMemory;
import io.sluice.abi.rm.ioctl.Nvos34UnmapMemory;
import io.sluice.abi.rm.ioctl.Nvos46MapMemoryDma;
import io.sluice.abi.rm.ioctl.Nvos47UnmapMemoryDma;
import io.sluice.abi.rm.ioctl.Nvos54Control;
import io.sluice.abi.rm.ioctl.Nvos55DupObject;
import io.sluice.abi.rm.ioctl.Nvos57Share;
import java.lang.foreign.MemoryLayout;

/**
 * The ioctls of RM's devices. All carry their argument both ways, and the driver refuses a size
 * that is not the argument's own.
 *
 * <p>An ioctl that returns 0 may have failed: the argument's status says so. Source: nv_escape.h,
 * nv-ioctl-numbers.h.
 */
public enum RmIoctl {
  /** Makes memory of what the caller has mapped; on a {@code /dev/nvidia<n>}. */
  RM_ALLOC_MEMORY(0x27, Nvos02AllocMemory.LAYOUT),

  /** Frees an object and what is below it. */
  RM_FREE(0x29, Nvos00Free.LAYOUT),

  /** Sends a command to an object. */
  RM_CONTROL(0x2a, Nvos54Control.LAYOUT),

  /** Makes an object. */
  RM_ALLOC(0x2b, Nvos21Alloc.LAYOUT),

  /** Gives another client an object. */
  RM_DUP_OBJECT(0x34, Nvos55DupObject.LAYOUT),

  /** Says who may do what with an object. */
  RM_SHARE(0x35, Nvos57Share.LAYOUT),

  /** Waits until a channel has nothing left to do, or a time is over. */
  RM_IDLE_CHANNELS(0x41, Nvos30IdleChannels.LAYOUT),

  /** Prepares a descriptor that mmap then maps. */
  RM_MAP_MEMORY(0x4e, Nvos33MapMemory.LAYOUT),

  /** Undoes RM_MAP_MEMORY. */
  RM_UNMAP_MEMORY(0x4f, Nvos34UnmapMemory.LAYOUT),

  /** Maps memory in a GPU address space. */
  RM_MAP_MEMORY_DMA(0x57, Nvos46MapMemoryDma.LAYOUT),

  /** Unmaps it. */
  RM_UNMAP_MEMORY_DMA(0x58, Nvos47UnmapMemoryDma.LAYOUT),

  /** Tells of the cards. */
  CARD_INFO(200, MemoryLayout.sequenceLayout(NvCardInfo.MAX_CARDS, NvCardInfo.LAYOUT)),

  /** Ties a new {@code /dev/nvidia<n>} to a {@code /dev/nvidiactl}. */
  REGISTER_FD(201, NvRegisterFd.LAYOUT),

  /** Makes a descriptor one that events wake. */
  ALLOC_OS_EVENT(206, NvAllocOsEvent.LAYOUT),

  /** Asks the driver's version. */
  CHECK_VERSION_STR(210, NvVersion.LAYOUT);

  private static final int MAGIC = 'F';
  private static final int READ_WRITE = 3;

  private final int nr;
  private final MemoryLayout layout;

  RmIoctl(int nr, MemoryLayout layout) {
    this.nr = nr;
    this.layout = layout;
  }

  /** The number in the request word. */
  public int nr() {
    return nr;
  }

  /** The argument in the oldest version that {@link RmAbi} knows. */
  MemoryLayout oldest() {
    return layout;
  }

  /** The request word for an argument of a size. */
  public long request(long sizeBytes) {
    return (long) READ_WRITE << 30 | sizeBytes << 16 | (long) MAGIC << 8 | nr;
  }
}
