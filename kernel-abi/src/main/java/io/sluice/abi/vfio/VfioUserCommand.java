package io.sluice.abi.vfio;

/** The commands of vfio-user. Source: vfio-user specification, "Commands". */
public final class VfioUserCommand {
  /** Agrees on version and limits. */
  public static final int VERSION = 1;

  /** Gives the server a range of memory. */
  public static final int DMA_MAP = 2;

  /** Takes a range of memory back. */
  public static final int DMA_UNMAP = 3;

  /** Asks what the device is. */
  public static final int DEVICE_GET_INFO = 4;

  /** Asks of a region, and for its file. */
  public static final int DEVICE_GET_REGION_INFO = 5;

  /** Asks which writes to a region may go to eventfds. */
  public static final int DEVICE_GET_REGION_IO_FDS = 6;

  /** Asks of a kind of interrupt. */
  public static final int DEVICE_GET_IRQ_INFO = 7;

  /** Sets, masks or fires interrupts. */
  public static final int DEVICE_SET_IRQS = 8;

  /** Reads from a region. */
  public static final int REGION_READ = 9;

  /** Writes to a region. */
  public static final int REGION_WRITE = 10;

  /** Server to client: reads memory. */
  public static final int DMA_READ = 11;

  /** Server to client: writes memory. */
  public static final int DMA_WRITE = 12;

  /** Resets the device. */
  public static final int DEVICE_RESET = 13;

  /** No longer in the specification. */
  public static final int DIRTY_PAGES = 14;

  /** Writes to regions several times. */
  public static final int REGION_WRITE_MULTI = 15;

  /** Reads, writes or probes a feature. */
  public static final int DEVICE_FEATURE = 16;

  /** Reads migration data. */
  public static final int MIG_DATA_READ = 17;

  /** Writes migration data. */
  public static final int MIG_DATA_WRITE = 18;

  private VfioUserCommand() {}
}
