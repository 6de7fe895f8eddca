package io.sluice.migrate.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.guest.MemoryGrant;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.LinkPair;
import io.sluice.migrate.link.MigrationLink;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/** Video memory on its way from one card to another, over a link in memory. */
final class MovedMemory implements AutoCloseable {
  static final int PAGE = Fingerprint.PAGE_BYTES;
  private static final long CARD_BYTES = 16L << 20;

  private final Kernel kernel = RealKernel.create();
  final Card from = new Card(kernel, CARD_BYTES);
  final Card to = new Card(kernel, CARD_BYTES);
  final LinkPair link;
  final Lanes sending;
  final Lanes storing;
  final MemorySource source;
  final MemoryTarget target;

  /** Those that the guest has, newest last. */
  final List<MemoryGrant> buffers = new ArrayList<>();

  MovedMemory(int streams, int lanes) {
    this(streams, lanes, DirtyDetection.DEFAULT, link -> link, link -> link);
  }

  /**
   * @param sender makes the source's link of the pair's
   * @param receiver likewise the destination's
   */
  MovedMemory(
      int streams,
      int lanes,
      DirtyDetection detection,
      UnaryOperator<MigrationLink> sender,
      UnaryOperator<MigrationLink> receiver) {
    link = new LinkPair(() -> 0, streams);
    sending = new Lanes(lanes, Thread.ofPlatform().daemon().factory());
    storing = new Lanes(lanes, Thread.ofPlatform().daemon().factory());
    source =
        new MemorySource(
            from.guest.move(),
            from.vram.segment(),
            kernel,
            from.guest.capabilities(),
            sender.apply(link.source()),
            sending,
            detection,
            new SplittableRandom(1));
    target =
        new MemoryTarget(
            to.guest.move(),
            to.guest.move().receive(),
            to.guest
                .vramAperture()
                .map(file -> new MemoryTarget.MappedVideoMemory(file, to.vram.segment())),
            kernel,
            receiver.apply(link.target()),
            storing);
  }

  MemoryGrant allocate(int pages) {
    MemoryGrant grant = from.guest.buffers().allocate(2, 0, 0, (long) pages * PAGE);
    buffers.add(grant);
    return grant;
  }

  void free(MemoryGrant grant) {
    from.guest.buffers().free(grant.handle());
    buffers.remove(grant);
  }

  /** What the guest sees of a buffer. */
  MemorySegment bytes(MemoryGrant grant) {
    return from.vram.segment().asSlice(at(grant), grant.sizeBytes());
  }

  /** What has arrived of it. */
  MemorySegment arrived(MemoryGrant grant) {
    return to.vram.segment().asSlice(at(grant), grant.sizeBytes());
  }

  static long at(MemoryGrant grant) {
    return grant.apertureOffset().orElseThrow();
  }

  /** Takes all that has come. */
  void receive() {
    Frame frame = link.target().poll(MigrationLink.CONTROL);
    while (frame != null) {
      target.control(frame);
      frame = link.target().poll(MigrationLink.CONTROL);
    }
    while (target.work() > 0) {
      // There may be more.
    }
  }

  /** A whole pass. */
  void pass() {
    source.beginPass();
    while (source.isPassing()) {
      int _ = source.work(50);
      receive();
    }
    receive();
    assertThat(target.passReached()).isEqualTo(source.pass());
  }

  void assertArrived() {
    for (MemoryGrant buffer : buffers) {
      assertThat(arrived(buffer).mismatch(bytes(buffer)))
          .as("first byte that differs, of the buffer at 0x%x", at(buffer))
          .isEqualTo(-1);
    }
  }

  @Override
  public void close() {
    source.close();
    target.close();
    sending.close();
    storing.close();
    from.close();
    to.close();
  }
}
