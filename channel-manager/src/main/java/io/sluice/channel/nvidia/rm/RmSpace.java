package io.sluice.channel.nvidia.rm;

import io.sluice.abi.rm.HopperMethods;
import io.sluice.abi.rm.RmClass;
import io.sluice.abi.rm.alloc.MemoryVirtualAlloc;

/**
 * An address space as RM has it. Whoever maps chooses the address. Guarded by the open's lock.
 *
 * @param client whose it is
 * @param object RM's handle
 * @param virtual what is mapped in
 */
public record RmSpace(RmClient client, int object, int virtual) {
  /** First address beyond what a ring entry can name. */
  public static final long END = 1L << HopperMethods.PUSHBUFFER_ADDRESS_BITS;

  public static RmSpace create(RmClient client) {
    int space = client.alloc(client.device(), RmClass.FERMI_VASPACE_A, _ -> {});
    boolean complete = false;
    try {
      int virtual =
          client.alloc(
              client.device(),
              RmClass.NV01_MEMORY_VIRTUAL,
              block -> MemoryVirtualAlloc.H_VA_SPACE.setBits(block, space));
      complete = true;
      return new RmSpace(client, space, virtual);
    } finally {
      if (!complete) {
        client.free(client.device(), space);
      }
    }
  }

  /** Maps an object of RM where nothing is. */
  public void map(int memory, long bytes, long address) {
    map(memory, bytes, address, 0);
  }

  /**
   * @param flags of {@link io.sluice.abi.rm.ioctl.Nvos46MapMemoryDma}
   */
  public void map(int memory, long bytes, long address, int flags) {
    client.mapDma(virtual, memory, bytes, address, flags);
  }

  public void unmap(int memory, long bytes, long address) {
    client.unmapDma(virtual, memory, bytes, address);
  }

  /** Frees one that nothing uses. */
  public void release() {
    client.free(client.device(), virtual);
    client.free(client.device(), object);
  }
}
