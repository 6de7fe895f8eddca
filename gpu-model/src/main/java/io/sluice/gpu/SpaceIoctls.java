package io.sluice.gpu;

import io.sluice.abi.Errno;
import io.sluice.abi.pscnv.PscnvVspaceMap;
import io.sluice.abi.pscnv.PscnvVspaceReq;
import io.sluice.abi.pscnv.PscnvVspaceUnmap;
import io.sluice.gpu.mmu.GpuAddressSpace;
import io.sluice.gpu.mmu.GpuBuffer;
import java.lang.foreign.MemorySegment;

/** The ioctls of address spaces. */
final class SpaceIoctls {
  private SpaceIoctls() {}

  static void create(GpuFile file, IoctlCall call) {
    int vid = file.card().vids().take();
    if (vid == IdPool.NONE) {
      throw call.refuse(Errno.ENOMEM, "no address space left");
    }
    file.vspaces.put(vid, new Vspace(vid));
    PscnvVspaceReq.VID.setBits(call.argument(), vid);
  }

  /** VSPACE_FREE: the address space lives on while a channel uses it. */
  static void free(GpuFile file, IoctlCall call) {
    Vspace vspace = file.vspace(call, PscnvVspaceReq.VID.bits(call.argument()));
    vspace.freed = true;
    file.releaseIfUnused(call, vspace);
  }

  static void map(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    Vspace vspace = file.vspace(call, PscnvVspaceMap.VID.bits(argument));
    GemObject object = file.object(call, PscnvVspaceMap.HANDLE.bits(argument), Errno.EBADF);
    if (!object.backing().isComplete()) {
      throw call.refuse(Errno.EINVAL, "a buffer with pages missing, handle=" + object.handle);
    }
    if (file.mappings == OpenLimits.MAX_MAPPINGS) {
      throw call.refuse(Errno.ENOMEM, "too many mappings, limit=" + OpenLimits.MAX_MAPPINGS);
    }
    if (vspace.space.count() == GpuAddressSpace.MAX_MAPPINGS) {
      throw call.refuse(
          Errno.ENOMEM, "too many mappings of a space, limit=" + GpuAddressSpace.MAX_MAPPINGS);
    }
    long address =
        vspace.space.map(
            object,
            PscnvVspaceMap.START.get(argument),
            PscnvVspaceMap.END.get(argument),
            PscnvVspaceMap.BACK.get(argument) != 0);
    if (address == GpuAddressSpace.NO_ROOM) {
      throw call.refuse(Errno.ENOMEM, "size=" + object.sizeBytes());
    }
    file.mappings++;
    PscnvVspaceMap.OFFSET.set(argument, address);
  }

  /** VSPACE_UNMAP: ENOENT also when nothing is mapped there, which real pscnv does not survive. */
  static void unmap(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    Vspace vspace = file.vspace(call, PscnvVspaceUnmap.VID.bits(argument));
    long address = PscnvVspaceUnmap.OFFSET.get(argument);
    GpuBuffer buffer = vspace.space.unmap(address);
    if (buffer == null) {
      throw call.refuse(Errno.ENOENT, "address=0x" + Long.toHexString(address));
    }
    call.afterwards(file.card().launcher().quiesce(vspace.space));
    file.unmapped(call, buffer);
  }
}
