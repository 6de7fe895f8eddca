package io.sluice.channel.nvidia.relay;

import io.sluice.abi.RefusedException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.rm.RmIoctl;
import io.sluice.abi.rm.RmStatus;
import io.sluice.abi.rm.alloc.MemoryAlloc;
import io.sluice.abi.rm.ioctl.Nvos00Free;
import io.sluice.abi.rm.ioctl.Nvos55DupObject;
import io.sluice.abi.rm.ioctl.Nvos64Alloc;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.channel.nvidia.relay.link.Denial;
import io.sluice.channel.nvidia.rm.SpareMemory;
import io.sluice.channel.nvidia.rm.SystemPages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;

/** RM's calls for memory that no processor maps, in video memory or in system memory. */
final class PoolCalls {
  private static final long VIDEO_PAGE_BYTES = 2L << 20;

  private final ProgramDriver driver;

  PoolCalls(ProgramDriver driver) {
    this.driver = driver;
  }

  /**
   * Makes system memory, with the largest pages that the host can give, if it can spare it.
   *
   * @return RM's status
   */
  int makeSystem(ProgramFile control, RmObject.Name name, int parent, long bytes) {
    int status = RmStatus.NO_MEMORY.code();
    if (!SpareMemory.hasRoom(driver.kernel(), bytes)) {
      return status;
    }
    for (SystemPages pages : SystemPages.of(bytes)) {
      status =
          make(
              control,
              name,
              parent,
              ProgramClass.NV01_MEMORY_SYSTEM,
              block -> pages.fill(block, driver.port().real(name.client()), bytes));
      if (status == RmStatus.OK.code()) {
        return status;
      }
    }
    return status;
  }

  /** The bytes of video memory, whole pages. */
  static long roundedUp(long bytes) throws Denial {
    if (bytes <= 0 || bytes > Long.MAX_VALUE - VIDEO_PAGE_BYTES) {
      throw new Denial(RmStatus.INVALID_ARGUMENT, "memory of " + bytes + " bytes");
    }
    return bytes + VIDEO_PAGE_BYTES - 1 & -VIDEO_PAGE_BYTES;
  }

  /**
   * Makes system memory that the GPU has cleared.
   *
   * @return RM's status
   */
  int makeZeros(ProgramFile control, RmObject.Name name, int parent, long bytes) {
    int status = makeSystem(control, name, parent, bytes);
    if (status != RmStatus.OK.code()) {
      return status;
    }
    boolean cleared = false;
    try {
      driver.copier().clear(driver.port().real(name.client()), name.handle(), bytes);
      cleared = true;
      return status;
    } catch (RefusedException e) {
      return RmStatus.NO_MEMORY.code();
    } finally {
      if (!cleared) {
        int _ = free(control, name, parent);
      }
    }
  }

  /**
   * Makes video memory as {@code cudaMalloc} asks for it.
   *
   * @return RM's status
   */
  int makeVideo(ProgramFile control, RmObject.Name name, int parent, long bytes) {
    return make(
        control,
        name,
        parent,
        ProgramClass.NV01_MEMORY_LOCAL_USER,
        block -> {
          MemoryAlloc.OWNER.setBits(block, driver.port().real(name.client()));
          MemoryAlloc.TYPE.setBits(block, MemoryAlloc.TYPE_IMAGE);
          MemoryAlloc.FLAGS.setBits(
              block,
              MemoryAlloc.FLAGS_IGNORE_BANK_PLACEMENT
                  | MemoryAlloc.FLAGS_ALIGNMENT_FORCE
                  | MemoryAlloc.FLAGS_MEMORY_HANDLE_PROVIDED
                  | MemoryAlloc.FLAGS_MAP_NOT_REQUIRED
                  | MemoryAlloc.FLAGS_PERSISTENT_VIDMEM);
          MemoryAlloc.ATTR.setBits(block, MemoryAlloc.ATTR_PHYSICALITY_ALLOW_NONCONTIGUOUS);
          MemoryAlloc.SIZE_BYTES.set(block, bytes);
          MemoryAlloc.ALIGNMENT.set(block, VIDEO_PAGE_BYTES);
          MemoryAlloc.LIMIT.set(block, bytes - 1);
        });
  }

  /** What the driver refuses with an errno counts as refused by RM. */
  private int make(
      ProgramFile control,
      RmObject.Name name,
      int parent,
      ProgramClass type,
      Consumer<MemorySegment> fill) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment block = arena.allocate(MemoryAlloc.LAYOUT);
      fill.accept(block);
      MemorySegment argument = arena.allocate(Nvos64Alloc.LAYOUT);
      Nvos64Alloc.H_ROOT.setBits(argument, name.client());
      Nvos64Alloc.H_PARENT.setBits(argument, parent);
      Nvos64Alloc.H_OBJECT.setBits(argument, name.handle());
      Nvos64Alloc.H_CLASS.setBits(argument, type.number());
      Nvos64Alloc.PARAMS.set(argument, block.address());
      return driver.call(control, ProgramEscape.ALLOC, List.of(argument, block));
    } catch (SyscallException e) {
      return RmStatus.NO_MEMORY.code();
    }
  }

  /**
   * Frees an object; what it had is given back by whoever forgets it.
   *
   * @return RM's status
   */
  int free(ProgramFile control, RmObject.Name name, int parent) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(Nvos00Free.LAYOUT);
      Nvos00Free.H_ROOT.setBits(argument, name.client());
      Nvos00Free.H_PARENT.setBits(argument, parent);
      Nvos00Free.H_OBJECT.setBits(argument, name.handle());
      return driver.call(control, ProgramEscape.FREE, argument);
    }
  }

  /**
   * Has an object take another one's name, which is freed.
   *
   * @throws IllegalStateException when RM refuses: the name has no object now
   */
  void rename(ProgramFile control, RmObject.Name from, RmObject.Name to, int parent) {
    int status = free(control, to, parent);
    if (status == RmStatus.OK.code()) {
      status = duplicate(control, from, to, parent);
    }
    int _ = free(control, from, parent);
    if (status != RmStatus.OK.code()) {
      throw new IllegalStateException("RM renames no memory, " + RmStatus.nameOf(status));
    }
  }

  private int duplicate(ProgramFile control, RmObject.Name from, RmObject.Name to, int parent) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment argument = arena.allocate(Nvos55DupObject.LAYOUT);
      Nvos55DupObject.H_CLIENT.setBits(argument, to.client());
      Nvos55DupObject.H_PARENT.setBits(argument, parent);
      Nvos55DupObject.H_OBJECT.setBits(argument, to.handle());
      Nvos55DupObject.H_CLIENT_SRC.setBits(argument, from.client());
      Nvos55DupObject.H_OBJECT_SRC.setBits(argument, from.handle());
      return driver.call(control, RmIoctl.RM_DUP_OBJECT, argument, Nvos55DupObject.STATUS);
    }
  }
}
