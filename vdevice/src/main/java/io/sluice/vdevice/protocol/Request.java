package io.sluice.vdevice.protocol;

import io.sluice.abi.Iova;
import java.lang.foreign.MemorySegment;

/**
 * A message of the client, parsed and with all that can be said without knowing the device
 * validated: sizes, flags, argsz. {@link RequestDecoder} makes them.
 *
 * <p>REGION_READ, REGION_WRITE and REGION_WRITE_MULTI are not here: they are the data path, which
 * allocates nothing, and are taken straight from the message by the connection.
 */
public sealed interface Request {
  /** VERSION. */
  record Version(int major, int minor, ClientCapabilities capabilities) implements Request {}

  /**
   * DMA_MAP.
   *
   * @param fileOffset where the map starts in the file that came along
   */
  record DmaMap(Iova address, long sizeBytes, long fileOffset, boolean readable, boolean writable)
      implements Request {}

  /**
   * DMA_UNMAP.
   *
   * @param all every map; address and size are 0 then
   */
  record DmaUnmap(Iova address, long sizeBytes, boolean all) implements Request {}

  /** DEVICE_GET_INFO. */
  record GetInfo() implements Request {}

  /**
   * DEVICE_GET_REGION_INFO.
   *
   * @param replyBytes most the client takes in the reply (argsz)
   */
  record GetRegionInfo(int index, long replyBytes) implements Request {}

  /** DEVICE_GET_REGION_IO_FDS. */
  record GetRegionIoFds(int index) implements Request {}

  /** DEVICE_GET_IRQ_INFO. */
  record GetIrqInfo(int index) implements Request {}

  /**
   * DEVICE_SET_IRQS.
   *
   * @param selected with {@link IrqData#BOOL}: one bit for each of {@code count} sub-indexes
   */
  record SetIrqs(int index, int start, int count, IrqData data, IrqAction action, long selected)
      implements Request {}

  /** DEVICE_RESET. */
  record Reset() implements Request {}

  /**
   * DEVICE_FEATURE.
   *
   * @param replyBytes most the client takes in the reply (argsz)
   * @param data of the feature, as they stand in the message
   */
  record DeviceFeature(
      int feature, boolean get, boolean set, boolean probe, long replyBytes, MemorySegment data)
      implements Request {}

  /** MIG_DATA_READ. */
  record MigrationRead(int sizeBytes) implements Request {}

  /**
   * MIG_DATA_WRITE.
   *
   * @param data as they stand in the message
   */
  record MigrationWrite(MemorySegment data) implements Request {}

  /** The data that DEVICE_SET_IRQS brings for each sub-index. */
  enum IrqData {
    NONE,
    BOOL,
    EVENTFD
  }

  /** The action of DEVICE_SET_IRQS on each sub-index. */
  enum IrqAction {
    MASK,
    UNMASK,
    TRIGGER
  }
}
