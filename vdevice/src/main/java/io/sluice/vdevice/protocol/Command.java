package io.sluice.vdevice.protocol;

import static io.sluice.vdevice.protocol.Limits.MAX_BODY_BYTES;
import static io.sluice.vdevice.protocol.Limits.MAX_FEATURE_BYTES;
import static io.sluice.vdevice.protocol.Limits.MAX_MULTI_WRITES;
import static io.sluice.vdevice.protocol.Limits.MAX_PADDED_BYTES;
import static io.sluice.vdevice.protocol.Limits.MAX_VERSION_BYTES;

import org.jspecify.annotations.Nullable;

/**
 * The commands of the vfio-user protocol ("Commands" of its specification): for each how long its
 * body may be and how many descriptors may come along. A message outside these bounds is refused
 * before anything of it is looked at or allocated for.
 */
public enum Command {
  VERSION(1, 4, 4 + MAX_VERSION_BYTES, 0),
  DMA_MAP(2, 32, MAX_PADDED_BYTES, 1),
  /** A descriptor that comes along, as with libvfio-user's clients, is closed. */
  DMA_UNMAP(3, 24, MAX_PADDED_BYTES, 1),
  DEVICE_GET_INFO(4, 16, MAX_PADDED_BYTES, 0),
  DEVICE_GET_REGION_INFO(5, 32, MAX_PADDED_BYTES, 0),
  DEVICE_GET_REGION_IO_FDS(6, 16, MAX_PADDED_BYTES, 0),
  DEVICE_GET_IRQ_INFO(7, 16, MAX_PADDED_BYTES, 0),
  DEVICE_SET_IRQS(8, 20, 20 + Limits.MAX_VECTORS, Limits.MAX_MESSAGE_FDS),
  REGION_READ(9, 16, 16, 0),
  REGION_WRITE(10, 16 + 1, MAX_BODY_BYTES, 0),
  /** From server to client only; a client that sends it is refused. */
  DMA_READ(11, 0, MAX_BODY_BYTES, 0),
  /** From server to client only; a client that sends it is refused. */
  DMA_WRITE(12, 0, MAX_BODY_BYTES, 0),
  DEVICE_RESET(13, 0, 0, 0),
  /** Gone from the specification; old clients still know it. */
  DIRTY_PAGES(14, 0, MAX_BODY_BYTES, 0),
  REGION_WRITE_MULTI(15, 8, 8 + 24 * MAX_MULTI_WRITES, 0),
  DEVICE_FEATURE(16, 8, 8 + MAX_FEATURE_BYTES, 0),
  MIG_DATA_READ(17, 8, 8, 0),
  MIG_DATA_WRITE(18, 8, MAX_BODY_BYTES, 0);

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
