package io.sluice.channel.pscnv;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The guest's ids of the card's channels. The card's numbers are shared by all guests; a guest's
 * are its own.
 */
final class ChannelIds {
  /** No channel of this guest. */
  static final int NONE = 0;

  /** The card's numbers fit in the seven bits that a map handle has for them. */
  private static final int CARD_IDS = 128;

  private final int limit;

  @GuardedBy("this")
  private final BitSet used = new BitSet();

  @GuardedBy("this")
  private final int[] guestIdOfCard = new int[CARD_IDS];

  /**
   * @param limit the guest's ids are 1 to this minus 1
   */
  ChannelIds(int limit) {
    this.limit = limit;
    Arrays.fill(guestIdOfCard, NONE);
  }

  /** The lowest id of the guest that is free; ENOMEM. For a card that does not choose it. */
  synchronized int lowestFree() {
    int id = used.nextClearBit(1);
    if (id >= limit) {
      throw new RefusedException(
          PscnvCode.NO_CHANNELS, Errno.ENOMEM, "no more channels, limit=" + (limit - 1), "");
    }
    return id;
  }

  synchronized void bind(int cardId, int guestId) {
    guestIdOfCard[cardId] = guestId;
    used.set(guestId);
  }

  synchronized void release(int cardId) {
    used.clear(guestIdOfCard[cardId]);
    guestIdOfCard[cardId] = NONE;
  }

  /** The guest's id, or {@link #NONE}. */
  synchronized int guestId(int cardId) {
    return cardId >= 0 && cardId < CARD_IDS ? guestIdOfCard[cardId] : NONE;
  }
}
