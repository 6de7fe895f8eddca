package io.sluice.testbed.attack;

import io.sluice.abi.sys.Fd;
import io.sluice.testbed.attack.Descriptors.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** Attacks by many descriptors at once, of every kind. */
final class DescriptorAttacks {
  /** With one message: as many as the host takes, and up to what Linux carries. */
  private static final int[] COUNTS = {16, 17, 32, 48, 100, 253};

  private static final int[] COMMANDS = {
    RawGuest.VERSION,
    RawGuest.DMA_MAP,
    RawGuest.DMA_UNMAP,
    RawGuest.SET_IRQS,
    RawGuest.REGION_READ,
    RawGuest.DEVICE_FEATURE
  };
  private static final int MOST_PARTS = 4;
  private static final int NEGOTIATED = 3; // of four
  private static final int BODY = 32;
  private static final long IOVA = 1L << 33;

  /** Each lingering one needs a full socket. */
  private static final int SELDOM = 16;

  private DescriptorAttacks() {}

  /** A file of each kind, which is sent as often as is wanted. */
  private static final class Assortment implements AutoCloseable {
    private final Means means;
    private final Map<Kind, Fd> files = new EnumMap<>(Kind.class);

    Assortment(Means means, Fd socket) {
      this.means = means;
      RandomGenerator random = means.random();
      for (Kind kind : Kind.values()) {
        if (kind != Kind.LINGERING || random.nextInt(SELDOM) == 0) {
          files.put(kind, means.descriptors().make(kind, random, socket));
        }
      }
    }

    Fd[] many() {
      RandomGenerator random = means.random();
      List<Fd> all = List.copyOf(files.values());
      Fd[] many = new Fd[COUNTS[random.nextInt(COUNTS.length)]];
      Arrays.setAll(many, _ -> all.get(random.nextInt(all.size())));
      return many;
    }

    void afterwards() {
      files.forEach(means.descriptors()::afterwards);
    }

    @Override
    public void close() {
      files.forEach(means.descriptors()::release);
    }
  }

  /** More than are taken, with a message or with parts of one. */
  static void many(Means means) {
    RandomGenerator random = means.random();
    List<Fd> came = new ArrayList<>();
    try (RawGuest guest = new RawGuest(means.kernel(), means.socket())) {
      if (random.nextInt(NEGOTIATED + 1) > 0) {
        guest.negotiate();
      }
      try (Assortment files = new Assortment(means, guest.socket())) {
        int command = COMMANDS[random.nextInt(COMMANDS.length)];
        byte[] header = guest.header(command, RawGuest.HEADER + BODY, 0);
        byte[] message = Bytes.of(header, Bytes.of(BODY, 3, 0L, IOVA, 4096L));
        int parts = 1 + random.nextInt(MOST_PARTS);
        for (int i = 0; i < parts; i++) {
          guest.sendRaw(
              Arrays.copyOfRange(
                  message, message.length * i / parts, message.length * (i + 1) / parts),
              files.many());
        }
        files.afterwards();
        RawGuest.Reply _ = guest.receive(came);
      }
    } finally {
      came.forEach(Fd::close);
    }
  }

  /**
   * Clients that come faster than they are accepted, while another one is attached: each sends some
   * and goes.
   */
  static void unaccepted(Means means) {
    RandomGenerator random = means.random();
    try (RawGuest _ = RawGuest.attach(means.kernel(), means.socket())) {
      while (!means.over().getAsBoolean()) {
        try (RawGuest one = new RawGuest(means.kernel(), means.socket());
            Assortment files = new Assortment(means, one.socket())) {
          byte[] header = one.header(RawGuest.VERSION, RawGuest.HEADER + BODY, 0);
          one.sendRaw(Arrays.copyOf(header, 1 + random.nextInt(header.length)), files.many());
          files.afterwards();
        }
      }
    }
  }
}
