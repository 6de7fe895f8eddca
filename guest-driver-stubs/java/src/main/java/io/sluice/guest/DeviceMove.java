package io.sluice.guest;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.vfio.DeviceFeature;
import io.sluice.abi.vfio.DmaLoggingControl;
import io.sluice.abi.vfio.DmaLoggingReport;
import io.sluice.abi.vfio.MigState;
import io.sluice.abi.vfio.MigrationFeature;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.BitSet;

/**
 * The move of a device from one server to another by VFIO's migration protocol, as a machine's
 * monitor would: what can be read while it runs is read first ({@link #copy}), then it is stopped,
 * the rest is read and written to the other server, and it goes on there ({@link #finish}). Memory
 * of this process that the device uses is shared with the other server too; buffers, channels and
 * address spaces of this process stay what they are.
 *
 * <p>Closing it before it has finished leaves the device where it was, running. Used by one thread;
 * nobody uses the device during {@link #finish}.
 */
public final class DeviceMove implements AutoCloseable {
  private static final long OFFERED = MigrationFeature.STOP_COPY | MigrationFeature.PRE_COPY;

  private final AttachedDevice device;
  private final Kernel kernel;
  private final VfioUserClient from;
  private final ByteArrayOutputStream data = new ByteArrayOutputStream();
  private boolean over;

  private DeviceMove(AttachedDevice device, Kernel kernel, VfioUserClient from) {
    this.device = device;
    this.kernel = kernel;
    this.from = from;
    byte[] flags = from.feature(DeviceFeature.MIGRATION, new byte[0], (int) MigrationFeature.SIZE);
    if ((MigrationFeature.FLAGS.get(MemorySegment.ofArray(flags)) & OFFERED) != OFFERED) {
      throw new DeviceLostException("the server does not offer to copy while the device runs");
    }
    setState(from, MigState.PRE_COPY);
  }

  /**
   * Begins to move a device; its process goes on using it until {@link #finish}.
   *
   * @throws IllegalStateException the device is the kernel's to move
   * @throws DeviceLostException the server does not offer it
   */
  public static DeviceMove begin(AttachedDevice device) {
    VfioUserClient from =
        device
            .client()
            .orElseThrow(() -> new IllegalStateException("the device is the kernel's to move"));
    return new DeviceMove(device, device.kernel(), from);
  }

  /**
   * Reads what can be read now; the device goes on.
   *
   * @return bytes read so far
   */
  public int copy() {
    read();
    return data.size();
  }

  /**
   * Stops the device here and has it go on at another server, to which nobody is attached yet.
   *
   * @throws CallFailedException when either server refuses: then it runs here
   */
  public void finish(Path socket) {
    setState(from, MigState.STOP_COPY);
    read();
    VfioUserClient to = VfioUserClient.connect(kernel, socket);
    boolean there = false;
    try {
      from.shares().forEach((iova, share) -> to.share(share.fd(), share.mapping(), iova));
      setState(to, MigState.RESUMING);
      write(to);
      setState(to, MigState.STOP);
      there = true;
    } finally {
      if (!there) {
        to.close();
      }
    }
    over = true;
    device.moved(to);
    setState(to, MigState.RUNNING);
  }

  private void read() {
    byte[] some = from.readMigration();
    while (some.length == VfioUserClient.MIGRATION_CHUNK) {
      data.writeBytes(some);
      some = from.readMigration();
    }
    data.writeBytes(some);
  }

  private void write(VfioUserClient to) {
    byte[] all = data.toByteArray();
    for (int at = 0; at < all.length; at += VfioUserClient.MIGRATION_CHUNK) {
      to.writeMigration(all, at, Math.min(VfioUserClient.MIGRATION_CHUNK, all.length - at));
    }
  }

  private static void setState(VfioUserClient client, int state) {
    byte[] request = new byte[(int) MigState.SIZE];
    MemorySegment segment = MemorySegment.ofArray(request);
    MigState.DEVICE_STATE.setBits(segment, state);
    MigState.DATA_FD.setBits(segment, -1);
    byte[] _ = client.setFeature(DeviceFeature.MIG_DEVICE_STATE, request);
  }

  /** Has the server remember, from now on, which pages of shared memory the device writes. */
  public void logWrites() {
    byte[] request = new byte[(int) DmaLoggingControl.SIZE];
    DmaLoggingControl.PAGE_SIZE.set(MemorySegment.ofArray(request), VfioUserClient.PAGE_BYTES);
    byte[] _ = from.setFeature(DeviceFeature.DMA_LOGGING_START, request);
  }

  /**
   * Pages that the device wrote since {@link #logWrites}, or since this was asked last.
   *
   * @param iova bus address of the first page
   * @param pages how many, at most 256 Ki
   */
  public BitSet written(long iova, int pages) {
    byte[] request = new byte[(int) DmaLoggingReport.SIZE];
    MemorySegment segment = MemorySegment.ofArray(request);
    DmaLoggingReport.IOVA.set(segment, iova);
    DmaLoggingReport.LENGTH.set(segment, (long) pages * VfioUserClient.PAGE_BYTES);
    DmaLoggingReport.PAGE_SIZE.set(segment, VfioUserClient.PAGE_BYTES);
    int bitmapBytes = (pages + 63) / 64 * 8;
    byte[] reply =
        from.feature(
            DeviceFeature.DMA_LOGGING_REPORT, request, (int) DmaLoggingReport.SIZE + bitmapBytes);
    return BitSet.valueOf(
        java.nio.ByteBuffer.wrap(reply, (int) DmaLoggingReport.SIZE, bitmapBytes));
  }

  /** Unless it has moved, the device goes on where it is. */
  @Override
  public void close() {
    if (!over) {
      over = true;
      setState(from, MigState.RUNNING);
    }
  }
}
