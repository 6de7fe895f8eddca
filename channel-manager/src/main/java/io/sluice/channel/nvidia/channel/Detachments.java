package io.sluice.channel.nvidia.channel;

import java.util.List;

/**
 * The drain of all detached channels of a guest together. One may wait for a semaphore that the
 * guest has yet to have another one release, of which we hold back what it submits. So none is
 * poisoned before all of them have come to their ends and wait for nothing; and while one has
 * waited for a millisecond what the guest has put meanwhile is passed on to all.
 */
public final class Detachments {
  private Detachments() {}

  /** Takes each as far as it goes now. */
  static void poll(List<Detachment> all, long nowNs) {
    all.forEach(each -> each.lookForEnd(nowNs));
    boolean ended = all.stream().noneMatch(each -> each.state() == DetachmentState.FETCHING);
    if (all.stream().anyMatch(each -> each.isPatienceOver(nowNs))) {
      all.forEach(each -> each.passOn(nowNs));
    }
    if (ended) {
      all.forEach(each -> each.poisonIfFetched(nowNs));
    }
    all.forEach(each -> each.lookAtPoison(nowNs));
  }
}
