package io.sluice.gpu;

import io.sluice.abi.drm.DrmIoctl;
import io.sluice.abi.drm.DrmVersion;
import io.sluice.abi.drm.GemClose;
import io.sluice.abi.drm.GemFlink;
import io.sluice.abi.drm.GemOpen;
import io.sluice.abi.pscnv.PscnvIoctl;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Every ioctl the software GPU answers, by its number. */
final class IoctlTable {
  /**
   * @param name for messages
   * @param sizeBytes bytes of the argument
   * @param preparation what goes before, without a lock; it gives the handler
   * @param guard what it holds
   */
  record Entry(
      String name, long sizeBytes, IoctlHandler.Preparation preparation, IoctlGuard guard) {}

  private static final Map<Integer, Entry> ENTRIES = new HashMap<>();

  static {
    core("VERSION", DrmIoctl.VERSION, DrmVersion.SIZE, InfoIoctls::version);
    core("GEM_CLOSE", DrmIoctl.GEM_CLOSE, GemClose.SIZE, MemoryIoctls::close);
    core("GEM_FLINK", DrmIoctl.GEM_FLINK, GemFlink.SIZE, InfoIoctls::noNames);
    core("GEM_OPEN", DrmIoctl.GEM_OPEN, GemOpen.SIZE, InfoIoctls::noNames);
    put(PscnvIoctl.GETPARAM, InfoIoctls::getparam);
    prepared(PscnvIoctl.GEM_NEW, MemoryIoctls::prepareCreate);
    put(PscnvIoctl.GEM_INFO, MemoryIoctls::info);
    put(PscnvIoctl.VSPACE_NEW, SpaceIoctls::create);
    put(PscnvIoctl.VSPACE_FREE, SpaceIoctls::free);
    put(PscnvIoctl.VSPACE_MAP, SpaceIoctls::map);
    put(PscnvIoctl.VSPACE_UNMAP, SpaceIoctls::unmap);
    put(PscnvIoctl.CHAN_NEW, ChannelIoctls::create);
    put(PscnvIoctl.CHAN_FREE, ChannelIoctls::free);
    put(PscnvIoctl.OBJ_VDMA_NEW, ChannelIoctls::dmaObject);
    put(PscnvIoctl.FIFO_INIT, ChannelIoctls::startDma);
    put(PscnvIoctl.OBJ_ENG_NEW, ChannelIoctls::engineObject);
    put(PscnvIoctl.FIFO_INIT_IB, ChannelIoctls::start);
    put(PscnvIoctl.EXT_INFO, InfoIoctls::extensions);
    put(PscnvIoctl.EVENT_FD, EventIoctls::descriptor);
    put(PscnvIoctl.EVENT_READ, EventIoctls::read);
    prepared(PscnvIoctl.REGION_ADD, RegionIoctls::prepareAdd);
    put(PscnvIoctl.REGION_DEL, RegionIoctls::delete);
    put(PscnvIoctl.GEM_IMPORT, RegionIoctls::importBuffer);
    put(PscnvIoctl.GEM_IMPORT_PAGES, RegionIoctls::importPages);
    put(PscnvIoctl.CHAN_NEW_AT, ChannelIoctls::createAt);
    put(PscnvIoctl.CHAN_CONTROL, ControlIoctls::control);
    put(PscnvIoctl.CHAN_QUERY, ControlIoctls::query);
    put(PscnvIoctl.CHAN_STATE, ControlIoctls::state);
    prepared(PscnvIoctl.CHAN_PARAM, ControlIoctls::prepareParameter);
    put(PscnvIoctl.GEM_POOL, MemoryIoctls::pool);
    put(PscnvIoctl.DIRTY_READ, MemoryIoctls::dirty);
    put(PscnvIoctl.FILE_QUERY, InfoIoctls::usage);
    put(PscnvIoctl.GEM_NEW_AT, MemoryIoctls::createAt);
  }

  private IoctlTable() {}

  /** The ioctl of a request word, by its number; null when there is none. */
  static @Nullable Entry find(int request) {
    return ENTRIES.get(DrmIoctl.number(request));
  }

  private static void core(String name, int request, long sizeBytes, IoctlHandler handler) {
    ENTRIES.put(
        DrmIoctl.number(request),
        new Entry(name, sizeBytes, (_, _) -> handler, IoctlGuard.CHANNELS));
  }

  private static void put(PscnvIoctl ioctl, IoctlHandler handler) {
    prepared(ioctl, (_, _) -> handler);
  }

  private static void prepared(PscnvIoctl ioctl, IoctlHandler.Preparation preparation) {
    int number = DrmIoctl.COMMAND_BASE + ioctl.nr();
    IoctlGuard guard =
        switch (ioctl) {
          case EVENT_READ -> IoctlGuard.EVENTS;
          case CHAN_QUERY, CHAN_CONTROL -> IoctlGuard.LOOK;
          case FILE_QUERY, GEM_POOL -> IoctlGuard.TABLES;
          default -> IoctlGuard.CHANNELS;
        };
    ENTRIES.put(number, new Entry(ioctl.name(), ioctl.sizeBytes(), preparation, guard));
  }
}
