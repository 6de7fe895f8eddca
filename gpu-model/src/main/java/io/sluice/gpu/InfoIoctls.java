package io.sluice.gpu;

import io.sluice.abi.Errno;
import io.sluice.abi.drm.DrmVersion;
import io.sluice.abi.pscnv.ExtEventRead;
import io.sluice.abi.pscnv.ExtFileQuery;
import io.sluice.abi.pscnv.ExtInfo;
import io.sluice.abi.pscnv.PscnvGetparam;
import io.sluice.abi.pscnv.PscnvParam;
import io.sluice.gpu.engine.GridLauncher;
import io.sluice.gpu.engine.TimeShare;
import java.lang.foreign.MemorySegment;

/** The ioctls that only tell: what the card is, what the driver is, what is used. */
final class InfoIoctls {
  /** Most extents in one GEM_IMPORT_PAGES. */
  static final int MAX_EXTENTS = 256;

  private static final int PCI_VENDOR_NVIDIA = 0x10de;
  private static final int PCI_DEVICE_GTX480 = 0x06c0;
  private static final int[] TP_COUNTS = {3, 4, 4, 4};
  private static final int MP_COUNT = 15;
  private static final int DRIVER_PATCH_LEVEL = 16;
  private static final int DRIVER_NAME_LENGTH = "pscnv".length();
  private static final int DRIVER_DATE_LENGTH = "20121007".length();
  private static final int DRIVER_DESCRIPTION_LENGTH = "nVidia NV50".length();

  private InfoIoctls() {}

  /**
   * VERSION: 0.0.16, as pscnv. An argument block carries no pointers across this seam, so the
   * strings are not written, only their lengths.
   */
  static void version(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    DrmVersion.VERSION_MAJOR.set(argument, 0);
    DrmVersion.VERSION_MINOR.set(argument, 0);
    DrmVersion.VERSION_PATCHLEVEL.set(argument, DRIVER_PATCH_LEVEL);
    DrmVersion.NAME_LEN.set(argument, DRIVER_NAME_LENGTH);
    DrmVersion.DATE_LEN.set(argument, DRIVER_DATE_LENGTH);
    DrmVersion.DESC_LEN.set(argument, DRIVER_DESCRIPTION_LENGTH);
  }

  /** GEM_FLINK and GEM_OPEN: names would let one guest open what another one made. */
  static void noNames(GpuFile file, IoctlCall call) {
    throw call.refuse(Errno.EOPNOTSUPP, "buffers have no global names");
  }

  static void getparam(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    long param = PscnvGetparam.PARAM.get(argument);
    PscnvGetparam.VALUE.set(argument, parameter(file, call, param));
  }

  private static long parameter(GpuFile file, IoctlCall call, long param) {
    int id = (int) param;
    int index = (int) (param >>> 32);
    if (index != 0 && id != PscnvParam.TP_COUNT_IDX) {
      throw call.refuse(Errno.EINVAL, "param=" + param);
    }
    return switch (id) {
      case PscnvParam.PCI_VENDOR -> PCI_VENDOR_NVIDIA;
      case PscnvParam.PCI_DEVICE -> PCI_DEVICE_GTX480;
      case PscnvParam.BUS_TYPE -> PscnvParam.BUS_TYPE_PCIE;
      case PscnvParam.FB_SIZE -> file.card().config().vramBytes();
      case PscnvParam.CHIPSET_ID -> PscnvParam.CHIPSET_GTX480;
      case PscnvParam.PTIMER_TIME -> file.card().clock().getAsLong();
      case PscnvParam.GPC_COUNT -> TP_COUNTS.length;
      case PscnvParam.TP_COUNT_IDX -> {
        if (index < 0 || index >= TP_COUNTS.length) {
          throw call.refuse(Errno.EINVAL, "gpc=" + index);
        }
        yield TP_COUNTS[index];
      }
      case PscnvParam.MP_COUNT -> MP_COUNT;
      default -> throw call.refuse(Errno.EINVAL, "param=" + param);
    };
  }

  static void extensions(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    ExtInfo.VERSION.setBits(argument, ExtInfo.VERSION_1);
    ExtInfo.FEATURES.set(argument, 0);
    ExtInfo.CONTROL_PAGES.setBits(argument, GpuFile.CONTROL_PAGES);
    ExtInfo.MAX_EXTENTS.setBits(argument, MAX_EXTENTS);
    ExtInfo.CONTROL_MAP_HANDLE.set(argument, GpuFile.CONTROL_MAP_HANDLE);
    ExtInfo.VRAM_MAP_HANDLE.set(argument, GpuFile.VRAM_MAP_HANDLE);
    ExtInfo.VRAM_APERTURE_BYTES.set(argument, file.vram().sizeBytes());
    ExtInfo.MAX_RECORDS.setBits(argument, ExtEventRead.MAX_RECORDS);
  }

  static void usage(GpuFile file, IoctlCall call) {
    MemorySegment argument = call.argument();
    long total = file.card().config().vramBytes();
    ExtFileQuery.VRAM_BYTES.set(argument, file.vramBytes);
    ExtFileQuery.SYSTEM_BYTES.set(argument, file.systemBytes);
    ExtFileQuery.VRAM_TOTAL.set(argument, total);
    ExtFileQuery.VRAM_FREE.set(argument, total - file.card().vramUsedBytes());
    TimeShare share = file.share;
    int threads = file.card().computeThreads();
    ExtFileQuery.GPU_NS.set(
        argument, share.engine().usedNs() + share.multiprocessors().usedNs() / threads);
    ExtFileQuery.WAIT_NS.set(
        argument, share.engine().waitedNs() + share.multiprocessors().waitedNs());
    ExtFileQuery.GRID_HEAP_BYTES.set(argument, file.card().launcher().heapBytes(share));
    ExtFileQuery.GRID_HEAP_LIMIT.set(argument, file.card().config().gridHeapBytes());
    GridLauncher.ProgramCounts programs = file.card().launcher().programs(share);
    ExtFileQuery.PROGRAMS.set(argument, programs.kept());
    ExtFileQuery.PROGRAM_LIMIT.set(argument, programs.limit());
    ExtFileQuery.PROGRAM_BYTES.set(argument, programs.bytes());
    ExtFileQuery.PROGRAM_BYTES_LIMIT.set(argument, programs.limitBytes());
    ExtFileQuery.INTERPRETED.set(argument, programs.interpreted());
  }
}
