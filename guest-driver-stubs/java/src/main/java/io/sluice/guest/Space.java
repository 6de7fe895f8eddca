package io.sluice.guest;

import io.sluice.abi.GpuVa;

/** A GPU address space of this guest. */
public final class Space implements AutoCloseable {
  /** Where pscnv's user library starts. */
  private static final long START = 0x2000_0000L;

  private static final long END = 1L << 40;

  private final GuestDevice device;
  private final int vid;

  Space(GuestDevice device, int vid) {
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
    return new GpuVa(device.mapBuffer(vid, buffer.handle(), start, end));
  }

  /** Unmaps what contains an address. */
  public void unmap(GpuVa address) {
    device.unmapBuffer(vid, address.value());
  }

  /** A new channel with a ring and a pushbuffer in this process' memory. */
  public ClientChannel newChannel() {
    return ClientChannel.create(device, this);
  }

  @Override
  public void close() {
    device.freeSpace(vid);
  }
}
