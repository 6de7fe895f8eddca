package io.sluice.testbed.attack;

import io.sluice.abi.sys.Fd;
import io.sluice.testbed.attack.Descriptors.Kind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Attacks that try anything. */
final class RandomAttacks {
  private static final int MESSAGES = 100;
  private static final int CALLS = 100;
  private static final int SUBMISSIONS = 60;
  private static final int COMMANDS = 20;
  private static final int MOST_FDS = 4;
  private static final int[] SIZES = {0, 4, 16, 20, 24, 32, 40, 64};
  private static final long[] EDGES = {
    0, 1, 4, 16, 24, 32, 4095, 4096, 1L << 20, 1L << 32, 1L << 40, 1L << 63, -4096, -1
  };
  private static final Kind[] KINDS = Kind.values();

  private RandomAttacks() {}

  private static long word(RandomGenerator random) {
    return random.nextInt(8) == 0 ? random.nextLong() : EDGES[random.nextInt(EDGES.length)];
  }

  private static byte[] body(RandomGenerator random) {
    int size = SIZES[random.nextInt(SIZES.length)];
    Object[] words = new Object[size / 4];
    for (int i = 0; i < words.length; i++) {
      words[i] = i == 0 && random.nextInt(4) > 0 ? (Object) size : (Object) (int) word(random);
    }
    return Bytes.of(words);
  }

  static void messages(Means means) {
    RandomGenerator random = means.random();
    try (RawGuest guest = new RawGuest(means.kernel(), means.socket())) {
      if (random.nextInt(8) > 0) {
        guest.negotiate();
      }
      for (int i = 0; i < MESSAGES; i++) {
        message(means, guest);
      }
    }
  }

  private static void message(Means means, RawGuest guest) {
    RandomGenerator random = means.random();
    int command = random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(COMMANDS);
    byte[] body =
        command == RawGuest.DMA_MAP && random.nextBoolean()
            ? Bytes.of(32, random.nextInt(4), word(random), word(random), word(random))
            : body(random);
    List<Fd> fds = new ArrayList<>();
    List<Kind> kinds = new ArrayList<>();
    for (int i = random.nextInt(3) == 0 ? random.nextInt(MOST_FDS) + 1 : 0; i > 0; i--) {
      // Lingering ones are an attack of their own: one in a hundred here.
      Kind kind = KINDS[random.nextInt(random.nextInt(100) == 0 ? KINDS.length : KINDS.length - 1)];
      kinds.add(kind);
      fds.add(means.descriptors().make(kind, random, guest.socket()));
    }
    try {
      int size = 16 + body.length + (random.nextInt(16) == 0 ? random.nextInt(64) - 32 : 0);
      int flags = random.nextInt(16) == 0 ? random.nextInt() : 0;
      guest.sendRaw(Bytes.of(guest.header(command, size, flags), body), fds.toArray(Fd[]::new));
      for (int i = 0; i < fds.size(); i++) {
        means.descriptors().afterwards(kinds.get(i), fds.get(i));
      }
      if (size == 16 + body.length && flags == 0) {
        List<Fd> came = new ArrayList<>();
        try {
          RawGuest.Reply _ = guest.receive(came);
        } finally {
          came.forEach(Fd::close);
        }
      } else if (size != 16 + body.length || random.nextInt(4) == 0) {
        // After a length that is not the message's, either side would wait for the other.
        throw new RawGuest.Refused("leaves in the middle");
      }
    } finally {
      for (int i = 0; i < fds.size(); i++) {
        means.descriptors().release(kinds.get(i), fds.get(i));
      }
    }
  }

  static void calls(Means means) {
    RandomGenerator random = means.random();
    try (RawGuest guest = RawGuest.attach(means.kernel(), means.socket());
        var _ = guest.share(1L << 32, 1 << 20)) {
      MemorySegment bar = guest.bar(1);
      for (int i = 0; i < CALLS; i++) {
        Object[] args = new Object[random.nextInt(12)];
        for (int k = 0; k < args.length; k++) {
          args[k] =
              switch (random.nextInt(4)) {
                case 0 -> (Object) random.nextInt(8);
                case 1 -> (Object) ((1L << 32) + random.nextInt(256) * 4096L);
                case 2 -> (Object) word(random);
                default -> (Object) (int) word(random);
              };
        }
        int slot = random.nextInt(64);
        guest.post(slot, random.nextInt(24), Bytes.of(args));
        long at = (long) random.nextInt(64) * RawGuest.SLOT_BYTES + random.nextInt(64) * 4L;
        bar.set(ValueLayout.JAVA_INT, at, (int) word(random));
        if (random.nextInt(4) == 0) {
          try {
            var _ = guest.await(slot);
          } catch (RawGuest.Refused _) {
            // one of many
          }
        }
      }
    }
  }

  static void ring(Means means) {
    RandomGenerator random = means.random();
    try (RawGuest guest = RawGuest.attach(means.kernel(), means.socket())) {
      RawChannel channel = new RawChannel(guest, guest.space());
      channel.submit(Launches.bind());
      for (int i = 0; i < SUBMISSIONS; i++) {
        int[] words = new int[random.nextInt(64) + 1];
        for (int k = 0; k < words.length; k++) {
          words[k] =
              switch (random.nextInt(4)) {
                case 0 -> random.nextInt();
                case 1 -> 0x2000_0000 | random.nextInt(8) << 16 | random.nextInt(1 << 16);
                case 2 -> (int) channel.address + random.nextInt(1 << 18);
                default -> random.nextInt(256);
              };
        }
        channel.submit(words);
        for (int k = random.nextInt(32); k > 0; k--) {
          channel.write(random.nextInt(1 << 12), random.nextInt());
        }
        switch (random.nextInt(16)) {
          case 0 -> channel.entry(random.nextInt(64), random.nextLong(), random.nextInt(1 << 20));
          case 1 -> channel.put(random.nextInt());
          case 2 -> channel.control(random.nextInt(1024) * 4, random.nextInt());
          default -> {}
        }
      }
    }
  }

  static void programs(Means means) {
    RandomGenerator random = means.random();
    try (RawGuest guest = RawGuest.attach(means.kernel(), means.socket())) {
      int space = guest.space();
      RawGuest.Video code = guest.video(1 << 16);
      long address = guest.map(space, code.handle());
      MemorySegment words = guest.bar(2).asSlice(code.aperture(), 1 << 16);
      for (long at = 0; at < words.byteSize(); at += 8) {
        words.set(ValueLayout.JAVA_LONG, at, instruction(random));
      }
      RawChannel channel = new RawChannel(guest, space);
      channel.submit(Launches.bind());
      for (int i = 0; i < SUBMISSIONS / 10; i++) {
        channel.submit(
            Launches.words(
                new Launches.Launch(
                    address + random.nextInt(1 << 13) * 8L,
                    1 + random.nextInt(8),
                    1 << random.nextInt(11),
                    random.nextInt(64),
                    (int) word(random) & 0xf_ffff,
                    (int) word(random) & 0xffff)));
      }
    }
  }

  /** Any word, or one of a few that go on, so that something is executed before it ends. */
  private static long instruction(RandomGenerator random) {
    return switch (random.nextInt(8)) {
      case 0 -> Launches.EXIT;
      case 1 -> Launches.BRANCH_TO_ITSELF;
      case 2, 3 -> random.nextLong() & ~0x3f_fc00L | 0x1c00; // always executed
      default -> random.nextLong();
    };
  }
}
