package io.sluice.guest;

import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.guest.HandleArgs;
import io.sluice.abi.guest.MemAlloc;
import io.sluice.abi.guest.MemPages;
import io.sluice.abi.guest.MemRegister;
import io.sluice.abi.guest.VspaceMap;
import io.sluice.abi.guest.VspaceUnmap;
import io.sluice.guest.CallPort.DeviceCall;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;

/** The calls for memory, to be made alone or together with others. */
final class DeviceCalls {
  /** pscnv's GEM flags: mappable, video memory. */
  private static final int MAPPABLE_VRAM = 2;

  /** pscnv's GEM flags: mappable, snooped system memory. */
  private static final int MAPPABLE_SYSRAM = 2 | 4;

  private DeviceCalls() {}

  /** The receiver of memory that was allocated. */
  @FunctionalInterface
  interface Allocated {
    /** Its handle, offset in the aperture, and size as it is. */
    void accept(int handle, long apertureOffset, long sizeBytes);
  }

  static DeviceCall memAlloc(long sizeBytes, Allocated result) {
    return new DeviceCall(
        "MEM_ALLOC",
        GuestAbi.CALL_MEM_ALLOC,
        a -> {
          MemAlloc.FLAGS.setBits(a, MAPPABLE_VRAM);
          MemAlloc.SIZE_FIELD.set(a, sizeBytes);
        },
        a ->
            result.accept(
                MemAlloc.HANDLE.bits(a),
                MemAlloc.APERTURE_OFFSET.get(a),
                MemAlloc.SIZE_FIELD.get(a)));
  }

  static DeviceCall memRegister(long sizeBytes, IntConsumer handle) {
    return new DeviceCall(
        "MEM_REGISTER",
        GuestAbi.CALL_MEM_REGISTER,
        a -> {
          MemRegister.FLAGS.setBits(a, MAPPABLE_SYSRAM);
          MemRegister.SIZE_FIELD.set(a, sizeBytes);
        },
        a -> handle.accept(MemRegister.HANDLE.bits(a)));
  }

  /**
   * Gives a buffer its pages.
   *
   * @param listIova where the list with its only extent is
   */
  static DeviceCall memPages(int handle, long listIova) {
    return new DeviceCall(
        "MEM_PAGES",
        GuestAbi.CALL_MEM_PAGES,
        a -> {
          MemPages.HANDLE.setBits(a, handle);
          MemPages.COUNT.set(a, 1);
          MemPages.OFFSET.set(a, 0);
          MemPages.LIST_IOVA.set(a, listIova);
        },
        _ -> {});
  }

  static DeviceCall vspaceMap(int vid, int handle, long start, long end, LongConsumer address) {
    return new DeviceCall(
        "VSPACE_MAP",
        GuestAbi.CALL_VSPACE_MAP,
        a -> {
          VspaceMap.VID.setBits(a, vid);
          VspaceMap.HANDLE.setBits(a, handle);
          VspaceMap.START.set(a, start);
          VspaceMap.END.set(a, end);
        },
        a -> address.accept(VspaceMap.OFFSET.get(a)));
  }

  static DeviceCall vspaceUnmap(int vid, long address) {
    return new DeviceCall(
        "VSPACE_UNMAP",
        GuestAbi.CALL_VSPACE_UNMAP,
        a -> {
          VspaceUnmap.VID.setBits(a, vid);
          VspaceUnmap.OFFSET.set(a, address);
        },
        _ -> {});
  }

  static DeviceCall memFree(int handle) {
    return free("MEM_FREE", GuestAbi.CALL_MEM_FREE, handle);
  }

  static DeviceCall vspaceFree(int vid) {
    return free("VSPACE_FREE", GuestAbi.CALL_VSPACE_FREE, vid);
  }

  static DeviceCall channelFree(int cid) {
    return free("CHAN_FREE", GuestAbi.CALL_CHAN_FREE, cid);
  }

  private static DeviceCall free(String name, int command, int handle) {
    return new DeviceCall(name, command, a -> HandleArgs.HANDLE.setBits(a, handle), _ -> {});
  }
}
