package io.sluice.vdevice.protocol;

import static io.sluice.vdevice.protocol.Limits.MAX_BODY_BYTES;
import static io.sluice.vdevice.protocol.Limits.MAX_FEATURE_BYTES;
import static io.sluice.vdevice.protocol.Limits.MAX_MULTI_WRITES;
import static io.sluice.vdevice.protocol.Limits.MAX_PADDED_BYTES;
import static io.sluice.vdevice.protocol.Limits.MAX_VERSION_BYTES;

import io.sluice.abi.vfio.VfioUserCommand;
import org.jspecify.annotations.Nullable;

/**
 * The commands of the vfio-user protocol ("Commands" of its specification): for each how long its
 * body may be and how many descriptors may come along. A message outside these bounds is refused
 * before anything of it is looked at or allocated for.
 */
public enum Command {
  VERSION(VfioUserCommand.VERSION, 4, 4 + MAX_VERSION_BYTES, 0),
  DMA_MAP(VfioUserCommand.DMA_MAP, 32, MAX_PADDED_BYTES, 1),
  /** A descriptor that comes along, as with libvfio-user's clients, is closed. */
  DMA_UNMAP(VfioUserCommand.DMA_UNMAP, 24, MAX_PADDED_BYTES, 1),
  DEVICE_GET_INFO(VfioUserCommand.DEVICE_GET_INFO, 16, MAX_PADDED_BYTES, 0),
  DEVICE_GET_REGION_INFO(VfioUserCommand.DEVICE_GET_REGION_INFO, 32, MAX_PADDED_BYTES, 0),
  DEVICE_GET_REGION_IO_FDS(VfioUserCommand.DEVICE_GET_REGION_IO_FDS, 16, MAX_PADDED_BYTES, 0),
  DEVICE_GET_IRQ_INFO(VfioUserCommand.DEVICE_GET_IRQ_INFO, 16, MAX_PADDED_BYTES, 0),
  DEVICE_SET_IRQS(
      VfioUserCommand.DEVICE_SET_IRQS, 20, 20 + Limits.MAX_VECTORS, Limits.MAX_MESSAGE_FDS),
  REGION_READ(VfioUserCommand.REGION_READ, 16, 16, 0),
  REGION_WRITE(VfioUserCommand.REGION_WRITE, 16 + 1, MAX_BODY_BYTES, 0),
  /** From server to client only; a client that sends it is refused. */
  DMA_READ(VfioUserCommand.DMA_READ, 0, MAX_BODY_BYTES, 0),
  /** From server to client only; a client that sends it is refused. */
  DMA_WRITE(VfioUserCommand.DMA_WRITE, 0, MAX_BODY_BYTES, 0),
  DEVICE_RESET(VfioUserCommand.DEVICE_RESET, 0, 0, 0),
  /** Gone from the specification; old clients still know it. */
  DIRTY_PAGES(VfioUserCommand.DIRTY_PAGES, 0, MAX_BODY_BYTES, 0),
  REGION_WRITE_MULTI(VfioUserCommand.REGION_WRITE_MULTI, 8, 8 + 24 * MAX_MULTI_WRITES, 0),
  DEVICE_FEATURE(VfioUserCommand.DEVICE_FEATURE, 8, 8 + MAX_FEATURE_BYTES, 0),
  MIG_DATA_READ(VfioUserCommand.MIG_DATA_READ, 8, 8, 0),
  MIG_DATA_WRITE(VfioUserCommand.MIG_DATA_WRITE, 8, MAX_BODY_BYTES, 0);

  private static final @Nullable Command[] BY_CODE = new @Nullable Command[19];

  static {
    for (Command command : values()) {
      BY_CODE[command.code] = command;
    }
  }

  private final int code;
  private final int minBodyBytes;
  private final int maxBodyBytes;
  private final int maxFds;

  Command(int code, int minBodyBytes, int maxBodyBytes, int maxFds) {
    this.code = code;
    this.minBodyBytes = minBodyBytes;
    this.maxBodyBytes = maxBodyBytes;
    this.maxFds = maxFds;
  }

  /** The number on the wire. */
  public int code() {
    return code;
  }

  /** Whether a body of this length can be one of this command. */
  public boolean allowsBody(int bytes) {
    return bytes >= minBodyBytes && bytes <= maxBodyBytes;
  }

  /** Most descriptors that may come with it. */
  public int maxFds() {
    return maxFds;
  }

  /** The command of a number; null when there is none. */
  public static @Nullable Command of(int code) {
    return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
  }
}
