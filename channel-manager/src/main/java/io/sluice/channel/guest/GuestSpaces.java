package io.sluice.channel.guest;

import io.sluice.abi.GpuVa;

/** The address spaces of a guest. Methods may be called from any thread. */
public final class GuestSpaces {
  private final GuestLock lock;
  private final SpaceTable spaces;

  GuestSpaces(GuestLock lock, GuestState state) {
    this.lock = lock;
    this.spaces = state.spaces;
  }

  /** A new, empty address space; ENOMEM, EDQUOT as {@link io.sluice.channel.CardSlots} says. */
  public int create() {
    return lock.call(() -> spaces.create().vid);
  }

  /** Gives the id back; channels keep the address space until they are freed. ENOENT. */
  public void free(int vid) {
    lock.run(() -> spaces.free(vid));
  }

  /**
   * Maps a whole buffer at the first free range. ENOENT vid, EBADF handle, EINVAL range or a
   * registered buffer that is not full, ENOMEM no room.
   *
   * @param start lowest address allowed
   * @param end first address not allowed
   * @param back search from the top
   */
  public GpuVa map(int vid, int handle, GpuVa start, GpuVa end, boolean back) {
    return lock.call(() -> spaces.map(vid, handle, start, end, back));
  }

  /** Unmaps what contains the address; the GPU has no access when this returns. ENOENT. */
  public void unmap(int vid, GpuVa address) {
    lock.run(() -> spaces.unmap(vid, address));
  }
}
