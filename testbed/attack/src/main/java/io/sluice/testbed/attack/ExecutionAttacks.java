package io.sluice.testbed.attack;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Attacks by what the GPU executes. */
final class ExecutionAttacks {
  private static final int STACK = 1 << 20;
  private static final int BLOCK = 1024;
  private static final int CHANNELS = 64;

  private ExecutionAttacks() {}

  /** A program that does not end, in grids with the largest call stack. */
  static void callStacks(Means means) {
    grids(means, STACK);
  }

  /** As many channels as there may be, each with a grid that does not end. */
  static void channels(Means means) {
    grids(means, 0);
  }

  private static void grids(Means means, int stack) {
    try (RawGuest guest = RawGuest.attach(means.kernel(), means.socket())) {
      int space = guest.space();
      RawGuest.Video code = guest.video(4096);
      long program = guest.map(space, code.handle());
      guest.bar(2).set(ValueLayout.JAVA_LONG, code.aperture(), Launches.BRANCH_TO_ITSELF);
      guest.bar(2).set(ValueLayout.JAVA_LONG, code.aperture() + 8, Launches.EXIT);
      int[] launch = Launches.words(new Launches.Launch(program, 256, BLOCK, 16, stack, 0));
      List<RawChannel> channels = new ArrayList<>();
      try {
        while (channels.size() < CHANNELS) {
          RawChannel channel = new RawChannel(guest, space);
          channels.add(channel);
          channel.submit(Launches.bind());
          channel.submit(launch);
        }
      } catch (RawGuest.Refused _) {
        // as many as there may be
      }
      MemoryAttacks.hold(means);
    }
  }
}
