package io.sluice.guest;

import io.sluice.abi.GpuVa;
import java.util.List;

/** A GPU address space of this guest. */
public final class Space implements AutoCloseable {
  /** Where pscnv's user library starts. */
  static final long START = 0x2000_0000L;

  static final long END = 1L << 40;

  private final AttachedDevice device;
  private final int vid;

  Space(AttachedDevice device, int vid) {
    this.device = device;
    this.vid = vid;
  }

  /** The guest's id of it. */
  public int id() {
    return vid;
  }

  /** Maps a whole buffer at the lowest free address. */
  public GpuVa map(Buffer buffer) {
    return map(buffer, START, END);
  }

  /** Maps a whole buffer at the lowest free address of a range. */
  public GpuVa map(Buffer buffer, long start, long end) {
    long[] address = new long[1];
    device.call(
        DeviceCalls.vspaceMap(vid, buffer.handle(), start, end, mapped -> address[0] = mapped));
    return new GpuVa(address[0]);
  }

  /** Unmaps what contains an address. */
  public void unmap(GpuVa address) {
    device.call(DeviceCalls.vspaceUnmap(vid, address.value()));
  }

  /**
   * Makes buffers and maps them, waiting for the host as often as for one.
   *
   * @throws CallFailedException when the host refuses one; then there is none of them
   */
  public BufferSet allocate(List<BufferRequest> requests) {
    return BufferSet.make(device, this, requests);
  }

  /** A new channel with a ring and a pushbuffer in this process' memory. */
  public ClientChannel newChannel() {
    return ClientChannel.create(device, this);
  }

  @Override
  public void close() {
    device.call(DeviceCalls.vspaceFree(vid));
  }
}
