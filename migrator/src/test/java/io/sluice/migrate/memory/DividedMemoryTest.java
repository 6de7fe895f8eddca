package io.sluice.migrate.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.channel.guest.MemoryGrant;
import io.sluice.migrate.link.ForwardingLink;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.testbed.fakes.Seeds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Video memory whose pages several threads look at, send and store. */
@ExtendWith(Seeds.class)
@Timeout(120)
final class DividedMemoryTest {
  private static final int PAGE = Fingerprint.PAGE_BYTES;

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void fill(MemorySegment memory, RandomGenerator random) {
    for (long at = 0; at < memory.byteSize(); at += Long.BYTES) {
      memory.set(ValueLayout.JAVA_LONG, at, random.nextLong());
    }
  }

  /** Words here and there; now and then a page of zeros. */
  private static void scribble(MemorySegment memory, RandomGenerator random) {
    long page = random.nextLong(memory.byteSize() / PAGE) * PAGE;
    if (random.nextInt(8) == 0) {
      memory.asSlice(page, PAGE).fill((byte) 0);
    } else {
      memory.set(
          ValueLayout.JAVA_LONG,
          page + Long.BYTES * random.nextLong(PAGE / Long.BYTES),
          random.nextLong());
    }
  }

  private static void change(MovedMemory memory, RandomGenerator random) {
    if (memory.buffers.size() > 2 && random.nextBoolean()) {
      memory.free(memory.buffers.get(random.nextInt(memory.buffers.size())));
    }
    while (memory.buffers.size() < 4) {
      MemoryGrant come = memory.allocate(1 + random.nextInt(400));
      if (random.nextBoolean()) {
        fill(memory.bytes(come), random);
      } else {
        memory.bytes(come).fill((byte) 0);
      }
    }
  }

  /** While a program writes: pages change as they are compared and copied. */
  private static void move(MovedMemory memory, RandomGenerator random) throws Exception {
    for (int pass = 0; pass < 5; pass++) {
      change(memory, random);
      AtomicBoolean stop = new AtomicBoolean();
      RandomGenerator writes = Seeds.generator(random.nextLong());
      Thread program =
          Thread.ofPlatform()
              .daemon()
              .start(() -> {
                while (!stop.get()) {
                  scribble(memory.bytes(memory.buffers.get(writes.nextInt(4))), writes);
                }
              });
      memory.pass();
      stop.set(true);
      program.join();
    }
    memory.pass();
    memory.assertArrived();
  }

  @ParameterizedTest
  @CsvSource({"1,1", "1,3", "2,2", "2,3", "4,4", "4,6", "3,16", "4,2"})
  void pass_writtenMeanwhile_lastOneHasAll(int lanes, int streams, RandomGenerator random)
      throws Exception {
    try (MovedMemory memory = new MovedMemory(streams, lanes)) {
      move(memory, random);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "true,false,true,true,true",
    "true,true,true,false,true",
    "false,true,true,true,false",
    "false,false,false,false,false"
  })
  void pass_eachWayToFindChanges_lastOneHasAll(
      boolean exact,
      boolean compared,
      boolean hashing,
      boolean sampling,
      boolean overlapped,
      RandomGenerator random)
      throws Exception {
    DirtyDetection ways = new DirtyDetection(exact, compared, hashing, sampling, overlapped);
    try (MovedMemory memory = new MovedMemory(4, 4, ways, link -> link, link -> link)) {
      move(memory, random);
    }
  }

  @Test
  void pass_nothingWrittenSince_sendsNothing() {
    try (MovedMemory memory = new MovedMemory(4, 4)) {
      fill(memory.bytes(memory.allocate(1000)), Seeds.generator(1));
      memory.pass();
      assertThat(memory.source.passPagesSent()).isEqualTo(1000);
      memory.pass();
      assertThat(memory.source.passPagesSent()).isZero();
      assertThat(memory.source.pagesHashed()).isEqualTo(1000);
      assertThat(memory.target.pages()).isEqualTo(1000);
    }
  }

  @Test
  void pass_pagesBecameZero_areToldAsThat() {
    try (MovedMemory memory = new MovedMemory(4, 2)) {
      MemoryGrant buffer = memory.allocate(512);
      fill(memory.bytes(buffer), Seeds.generator(1));
      memory.pass();
      memory.bytes(buffer).fill((byte) 0);
      memory.pass();
      assertThat(memory.source.zerosSent()).isEqualTo(512);
      assertThat(memory.source.passPagesSent()).isZero();
      memory.assertArrived();
    }
  }

  @Test
  void bytesLeft_ofAPass_goesFromAllToNone() {
    try (MovedMemory memory = new MovedMemory(3, 2)) {
      fill(memory.bytes(memory.allocate(600)), Seeds.generator(1));
      assertThat(memory.source.bytesLeft()).isZero();
      memory.source.beginPass();
      assertThat(memory.source.bytesLeft()).isEqualTo(600L * PAGE);
      int _ = memory.source.work(10);
      assertThat(memory.source.bytesLeft()).isBetween(500L * PAGE, 590L * PAGE);
      while (memory.source.isPassing()) {
        int _ = memory.source.work(10);
      }
      assertThat(memory.source.bytesLeft()).isZero();
    }
  }

  /** One stream is full, and nobody takes from it: the other lane comes to its barrier. */
  @Test
  void work_oneStreamIsFull_theOtherLaneGoesOn() {
    try (MovedMemory memory = new MovedMemory(2, 2)) {
      memory.link.setQueueFrames(2);
      fill(memory.bytes(memory.allocate(1024)), Seeds.generator(1));
      memory.source.beginPass();
      boolean barrier = false;
      for (int i = 0; i < 10_000 && !barrier; i++) {
        int _ = memory.source.work(10);
        Frame frame = memory.link.target().poll(2);
        while (frame != null) {
          barrier |= frame.type() == FrameType.BARRIER;
          frame = memory.link.target().poll(2);
        }
      }
      assertThat(barrier).isTrue();
      assertThat(memory.source.isPassing()).isTrue();
      assertThat(memory.source.bytesLeft()).isGreaterThan(256L * PAGE);
    }
  }

  @Test
  void passReached_oneStreamsBarrierIsMissing_isNotYet() {
    try (MovedMemory memory = new MovedMemory(2, 2)) {
      memory.link.setQueueFrames(2);
      fill(memory.bytes(memory.allocate(1024)), Seeds.generator(1));
      memory.source.beginPass();
      int reached = 0;
      while (memory.source.isPassing()) {
        int _ = memory.source.work(10);
        reached = memory.target.passReached();
        memory.receive();
      }
      assertThat(reached).isZero();
      memory.receive();
      assertThat(memory.target.passReached()).isEqualTo(1);
    }
  }

  /** Stream 2 ends in the middle; stream 1's lane is in the middle of something, too. */
  @Test
  void work_theLinkFailsInALane_allHaveStoppedWhenTheEngineHears() {
    CountDownLatch failed = new CountDownLatch(1);
    Queue<Integer> ended = new ConcurrentLinkedQueue<>();
    try (MovedMemory memory =
        new MovedMemory(
            2,
            2,
            DirtyDetection.DEFAULT,
            link ->
                new ForwardingLink(link) {
                  private int sent;

                  @Override
                  public boolean send(int stream, Frame frame) {
                    if (stream == 2 && ++sent == 2) {
                      failed.countDown();
                      throw new RefusedException("SLU-MIG-900", Errno.ECONNRESET, "cut", "");
                    }
                    if (stream == 1) {
                      await(failed);
                      LockSupport.parkNanos(2_000_000);
                      ended.add(stream);
                    }
                    return super.send(stream, frame);
                  }
                },
            link -> link)) {
      fill(memory.bytes(memory.allocate(512)), Seeds.generator(1));
      memory.source.beginPass();
      assertThatThrownBy(() -> memory.source.work(512)).hasMessageContaining("cut");
      assertThat(ended).hasSize(5); // four frames and the barrier
    }
  }

  /** A frame on stream 2 is none; stream 1's lane stores good ones. */
  @Test
  void work_aHostileFrameBesideGoodOnes_isRefusedWhenAllHaveStopped() {
    Queue<FrameType> used = new ConcurrentLinkedQueue<>();
    CountDownLatch seen = new CountDownLatch(1);
    try (MovedMemory memory =
        new MovedMemory(
            2,
            2,
            DirtyDetection.DEFAULT,
            link -> link,
            link ->
                new ForwardingLink(link) {
                  @Override
                  public @Nullable Frame poll(int stream) {
                    Frame frame = super.poll(stream);
                    if (stream == 2 && frame != null) {
                      seen.countDown();
                    }
                    return frame;
                  }

                  @Override
                  public void used(Frame frame) {
                    await(seen);
                    LockSupport.parkNanos(2_000_000);
                    used.add(frame.type());
                  }
                })) {
      MemoryGrant buffer = memory.allocate(512);
      fill(memory.bytes(buffer), Seeds.generator(1));
      boolean _ = memory.link.source().send(2, Frame.of(FrameType.PAGES, ByteBuffer.allocate(3)));
      memory.source.beginPass();
      while (memory.source.isPassing()) {
        int _ = memory.source.work(512);
      }
      memory.target.control(poll(memory));
      assertThatThrownBy(memory.target::work).hasMessageContaining("shorter than its layout");
      assertThat(used).hasSize(5).contains(FrameType.BARRIER);
      assertThat(memory.target.passReached()).isZero();
    }
  }

  private static Frame poll(MovedMemory memory) {
    Frame frame = memory.link.target().poll(MigrationLink.CONTROL);
    if (frame == null) {
      throw new AssertionError("nothing was told");
    }
    return frame;
  }

  /**
   * What is under way when a buffer's place has become another's is not the other's: that begins as
   * zeros, which nobody sends.
   */
  @ParameterizedTest
  @CsvSource({"1", "2"})
  void work_pagesOfAFormerBufferComeLate_areDropped(int lanes) {
    try (MovedMemory memory = new MovedMemory(2, lanes)) {
      MemoryGrant former = memory.allocate(256);
      fill(memory.bytes(former), Seeds.generator(1));
      memory.source.beginPass();
      while (memory.source.isPassing()) {
        int _ = memory.source.work(512);
      }
      memory.free(former);
      MemoryGrant later = memory.allocate(256);
      assertThat(later.apertureOffset()).isEqualTo(former.apertureOffset());
      memory.bytes(later).fill((byte) 0);
      memory.source.beginPass();
      while (memory.source.isPassing()) {
        int _ = memory.source.work(512);
      }
      memory.receive();
      assertThat(memory.target.passReached()).isEqualTo(2);
      memory.assertArrived();
    }
  }
}
