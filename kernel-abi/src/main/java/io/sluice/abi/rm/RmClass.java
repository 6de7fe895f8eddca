package io.sluice.abi.rm;

import io.sluice.abi.rm.alloc.ChannelAlloc;
import io.sluice.abi.rm.alloc.ChannelGroupAlloc;
import io.sluice.abi.rm.alloc.ContextShareAlloc;
import io.sluice.abi.rm.alloc.CopyAlloc;
import io.sluice.abi.rm.alloc.EventAlloc;
import io.sluice.abi.rm.alloc.MemoryAlloc;
import io.sluice.abi.rm.alloc.MemoryVirtualAlloc;
import io.sluice.abi.rm.alloc.Nv0080Alloc;
import io.sluice.abi.rm.alloc.Nv2080Alloc;
import io.sluice.abi.rm.alloc.UsermodeAlloc;
import io.sluice.abi.rm.alloc.VaspaceAlloc;
import java.lang.foreign.StructLayout;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The classes of RM's objects that Sluice makes. Source: NVIDIA's class headers, cl*.h. */
public enum RmClass {
  /** Memory in system memory, by RM. */
  NV01_MEMORY_SYSTEM(0x003e, MemoryAlloc.LAYOUT),

  /** Video memory. */
  NV01_MEMORY_LOCAL_USER(0x0040, MemoryAlloc.LAYOUT),

  /** A client: the root of all else. */
  NV01_ROOT_CLIENT(0x0041, null),

  /** The name of an address space in mappings. */
  NV01_MEMORY_VIRTUAL(0x0070, MemoryVirtualAlloc.LAYOUT),

  /** Memory that the caller has mapped; made by RM_ALLOC_MEMORY. */
  NV01_MEMORY_SYSTEM_OS_DESCRIPTOR(0x0071, null),

  /** Wakes a descriptor. */
  NV01_EVENT_OS_EVENT(0x0079, EventAlloc.LAYOUT),

  /** A GPU. */
  NV01_DEVICE_0(0x0080, Nv0080Alloc.LAYOUT),

  /** A GPU of a device that has several; here always the first. */
  NV20_SUBDEVICE_0(0x2080, Nv2080Alloc.LAYOUT),

  /** A subcontext of a channel group. */
  FERMI_CONTEXT_SHARE_A(0x9067, ContextShareAlloc.LAYOUT),

  /** An address space. */
  FERMI_VASPACE_A(0x90f1, VaspaceAlloc.LAYOUT),

  /** Channels that are scheduled together. */
  KEPLER_CHANNEL_GROUP_A(0xa06c, ChannelGroupAlloc.LAYOUT),

  /** The page of doorbell and GPU time. */
  HOPPER_USERMODE_A(0xc661, UsermodeAlloc.LAYOUT),

  /** A channel. */
  HOPPER_CHANNEL_GPFIFO_A(0xc86f, ChannelAlloc.LAYOUT),

  /** Copying. */
  HOPPER_DMA_COPY_A(0xc8b5, CopyAlloc.LAYOUT),

  /** Computing. */
  HOPPER_COMPUTE_A(0xcbc0, null);

  private final int number;
  private final @Nullable StructLayout layout;

  RmClass(int number, @Nullable StructLayout layout) {
    this.number = number;
    this.layout = layout;
  }

  /** The class number. */
  public int number() {
    return number;
  }

  /** The block in the oldest version that {@link RmAbi} knows; empty if there is none. */
  Optional<StructLayout> oldest() {
    return Optional.ofNullable(layout);
  }
}
