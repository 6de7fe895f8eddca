package io.sluice.channel;

import io.sluice.quota.VideoBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A guest's part in the sharing of a GPU's video memory: what {@link MemoryQuotas} asks and does of
 * it, and when it asks them for room.
 *
 * <p>Methods may be called from any thread, none under the guest's lock: the lock of the quotas is
 * taken before it.
 */
final class GuestSharing {
  private final Guest guest;
  private final GuestLock lock;
  private final GuestTables tables;
  private final VideoMemoryShare share;

  /** Told when the use of memory changes, asked when there is no room. */
  private volatile @Nullable MemoryQuotas quotas;

  GuestSharing(Guest guest, GuestLock lock, GuestTables tables, VideoMemoryShare share) {
    this.guest = guest;
    this.lock = lock;
    this.tables = tables;
    this.share = share;
  }

  /** Who is told when the use of memory changes and asked for room; null for nobody. */
  void setQuotas(@Nullable MemoryQuotas keeper) {
    quotas = keeper;
  }

  /** Every buffer that was allocated in video memory, oldest first. */
  List<VideoBuffer> videoBuffers() {
    return lock.call(() -> tables.buffers.inVideoMemory(guest.name()));
  }

  /**
   * Moves buffers between video and system memory while the channels of the guest are suspended.
   * Buffers that are gone are passed over, as are those that would bring the guest over its limit.
   *
   * @param ids from {@link #videoBuffers}
   * @param moved runs when they have, before the guest's channels go on; must not block
   * @return how many moved
   */
  int moveBuffers(List<Long> ids, boolean toSystem, Runnable moved) {
    return lock.call(() -> share.move(ids, toSystem, moved));
  }

  /** Does something when other guests have made room for this one. */
  void withRoom(Runnable action) {
    MemoryQuotas keeper = quotas;
    if (keeper == null) {
      action.run();
    } else {
      keeper.arriving(guest, action);
    }
  }

  /**
   * An allocation, for which other guests make room where it is of video memory.
   *
   * @param flags pscnv GEM flags
   * @param sizeBytes as asked for
   */
  MemoryGrant allocating(int flags, long sizeBytes, MemoryQuotas.Attempt<MemoryGrant> attempt) {
    MemoryQuotas keeper = GemFlags.isSystem(flags) ? null : quotas;
    return keeper == null
        ? attempt.allocate(true)
        : keeper.allocating(guest, GemFlags.roundUp(flags, sizeBytes), attempt);
  }

  /** The use of memory has changed. */
  void changed() {
    MemoryQuotas keeper = quotas;
    if (keeper != null) {
      keeper.changed();
    }
  }
}
