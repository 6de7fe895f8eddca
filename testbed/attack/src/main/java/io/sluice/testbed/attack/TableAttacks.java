package io.sluice.testbed.attack;

import io.sluice.abi.sys.Mapping;
import java.lang.foreign.ValueLayout;
import java.util.random.RandomGenerator;

/** Attacks by tables: many entries in each, which go all at once. */
final class TableAttacks {
  private static final long PAGE = 4096;
  private static final long LIST = 0x10_0000;
  private static final long ONE_PAGE = 0x1000_0000;
  private static final int LEAST_SHIFT = 8;
  private static final int MOST_SHIFT = 17; // as many mappings as a guest may have
  private static final int MOST_HANDLES = 65_535;
  private static final int EXTENTS = 8192; // of a buffer
  private static final int EXTENTS_OF_AN_ENTRY = 4;
  private static final int EXTENTS_A_CALL = 256;
  private static final int MOST_SLOTS = 128;

  private TableAttacks() {}

  /** The way in which all of it goes. */
  private enum Going {
    RESET,
    REVOKED,
    FREED,
    WITH_THE_CONNECTION
  }

  /** Fills the tables, some rounds to the brim, and has all of it go. */
  static void filledAndFreed(Means means) {
    RandomGenerator random = means.random();
    int entries = 1 << random.nextInt(LEAST_SHIFT, MOST_SHIFT + 1);
    Going going = Going.values()[random.nextInt(Going.values().length)];
    try (RawGuest guest = RawGuest.attach(means.kernel(), means.socket());
        Mapping list = guest.share(LIST, 1 << 20);
        Mapping _ = guest.share(ONE_PAGE, PAGE)) {
      for (int i = 0; i < EXTENTS_A_CALL; i++) {
        list.segment().setAtIndex(ValueLayout.JAVA_LONG, 2L * i, ONE_PAGE);
        list.segment().setAtIndex(ValueLayout.JAVA_LONG, 2L * i + 1, PAGE);
      }
      int spaces = spaces(means, guest, Math.min(entries, MOST_SLOTS));
      extents(means, guest, entries);
      mappings(means, guest, spaces, entries);
      handles(means, guest, Math.min(entries, MOST_HANDLES));
      go(means, guest, going, spaces);
    }
  }

  /** Each has a channel while there are some; how many there are. Ids begin with 1. */
  private static int spaces(Means means, RawGuest guest, int most) {
    int spaces = 0;
    try {
      while (spaces < most && !means.over().getAsBoolean()) {
        int space = guest.space();
        spaces++;
        int _ = guest.channel(space);
      }
    } catch (RawGuest.Refused _) {
      // as many as there may be
    }
    return spaces;
  }

  private static void mappings(Means means, RawGuest guest, int spaces, int most) {
    try {
      int buffer = guest.video(PAGE).handle();
      int left = most;
      for (int space = 1; space <= spaces && left > 0; space++) {
        left -= guest.mapAgain(space, buffer, left / (spaces - space + 1), means.over());
      }
    } catch (RawGuest.Refused _) {
      // no heap is left for one more buffer
    }
  }

  private static void handles(Means means, RawGuest guest, int most) {
    int _ = guest.again(RawGuest.REGISTER, RawGuest.registered(PAGE), most, means.over());
  }

  private static void extents(Means means, RawGuest guest, int entries) {
    try {
      for (int left = entries * EXTENTS_OF_AN_ENTRY; left > 0; left -= EXTENTS) {
        int buffer = guest.register(EXTENTS * PAGE);
        for (int i = 0; i < EXTENTS; i += EXTENTS_A_CALL) {
          if (means.over().getAsBoolean()) {
            return;
          }
          guest.pages(buffer, EXTENTS_A_CALL, i * PAGE, LIST);
        }
      }
    } catch (RawGuest.Refused _) {
      // as many as there may be
    }
  }

  private static void go(Means means, RawGuest guest, Going going, int spaces) {
    switch (going) {
      case RESET -> guest.reset();
      case REVOKED -> {
        int _ = guest.dmaUnmap(ONE_PAGE, PAGE);
      }
      case FREED -> {
        guest.each(RawGuest.CHANNEL_FREE, spaces, means.over());
        guest.each(RawGuest.SPACE_FREE, spaces, means.over());
        guest.each(RawGuest.FREE, MOST_HANDLES, means.over());
      }
      case WITH_THE_CONNECTION -> {}
    }
  }
}
