package io.sluice.migrate.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.guest.GuestListener;
import io.sluice.channel.guest.MemoryGrant;
import io.sluice.channel.pscnv.PscnvGpu;
import io.sluice.gpu.GpuConfig;
import io.sluice.gpu.IdleStrategy;
import io.sluice.gpu.SoftwareGpu;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.LinkPair;
import io.sluice.migrate.link.MigrationLink;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which pages of video memory are sent, and what the destination has of them then. */
final class MemorySourceTest {
  private static final int PAGE = Fingerprint.PAGE_BYTES;
  private static final int PAGES = 8;

  private final Kernel kernel = RealKernel.create();
  private final SoftwareGpu model =
      new SoftwareGpu(
          kernel, new GpuConfig(1L << 20, 1L << 20, 0), System::nanoTime, IdleStrategy.none());
  private final PscnvGpu gpu = new PscnvGpu("test", kernel, model::open);
  private final Guest guest = new Guest("test", gpu, kernel, GuestListener.none());
  private final LinkPair link = new LinkPair(() -> 0, 2);

  /** What has arrived: the first word of each page, by its offset. */
  private final TreeMap<Long, Long> arrived = new TreeMap<>();

  private @Nullable Mapping vram;
  private @Nullable MemorySource source;
  private long at;
  private int handle;

  @BeforeEach
  void begin() {
    vram =
        kernel.mmap(
            guest.vramAperture().orElseThrow().fd(),
            0,
            1L << 20,
            Kernel.PROT_READ | Kernel.PROT_WRITE);
    source =
        new MemorySource(
            guest.move(),
            vram().segment(),
            kernel,
            guest.capabilities(),
            link.source(),
            Lanes.one(),
            DirtyDetection.DEFAULT,
            new SplittableRandom(1));
    MemoryGrant buffer = allocate();
    handle = buffer.handle();
    at = buffer.apertureOffset().orElseThrow();
  }

  @AfterEach
  void end() {
    source().close();
    vram().close();
    guest.close();
    gpu.close();
    model.close();
  }

  private Mapping vram() {
    Mapping made = vram;
    if (made == null) {
      throw new AssertionError("not begun");
    }
    return made;
  }

  private MemorySource source() {
    MemorySource made = source;
    if (made == null) {
      throw new AssertionError("not begun");
    }
    return made;
  }

  @Test
  void mayHaveUnseenWrites_registeredMemoryOfAGpuThatDoesNotTell() {
    DirtyDetection blind = new DirtyDetection(false, true, true, true, true);
    try (MemorySource unseeing =
        new MemorySource(
            guest.move(),
            vram().segment(),
            kernel,
            guest.capabilities(),
            link.source(),
            Lanes.one(),
            blind,
            new SplittableRandom(1))) {
      assertThat(unseeing.mayHaveUnseenWrites()).isFalse();
      int _ = guest.buffers().register(4, 0, PAGE);
      assertThat(unseeing.mayHaveUnseenWrites()).isTrue();
      assertThat(source().mayHaveUnseenWrites()).isFalse();
    }
  }

  private MemoryGrant allocate() {
    return guest.buffers().allocate(2, 0, 0, (long) PAGES * PAGE);
  }

  private void write(int page, long value) {
    vram().segment().set(ValueLayout.JAVA_LONG, at + (long) page * PAGE, value);
  }

  /** A whole pass; how many pages were sent in it. */
  private long pass() {
    source().beginPass();
    while (source().isPassing()) {
      int _ = source().work(3);
      receive();
    }
    receive();
    return source().passPagesSent();
  }

  private void receive() {
    for (int stream = 1; stream <= 2; stream++) {
      Frame frame = link.target().poll(stream);
      while (frame != null) {
        if (frame.type() == FrameType.PAGES || frame.type() == FrameType.ZEROS) {
          long _ = PageFrames.read(frame, this::put);
        }
        frame = link.target().poll(stream);
      }
    }
    while (link.target().poll(MigrationLink.CONTROL) != null) {
      // Buffers, which the test knows.
    }
  }

  private void put(long offset, long length, ByteBuffer bytes) {
    for (int done = 0; done < length; done += PAGE) {
      MemorySegment all = MemorySegment.ofBuffer(bytes);
      arrived.put(
          offset + done, bytes.hasRemaining() ? all.get(ValueLayout.JAVA_LONG_UNALIGNED, done) : 0);
    }
  }

  @Test
  void pass_neverSentAndNotZero_isSent() {
    write(3, 7);
    assertThat(pass()).isEqualTo(1);
    assertThat(arrived).containsExactly(Map.entry(at + 3L * PAGE, 7L));
  }

  @Test
  void pass_nothingWrittenSince_sendsNothing() {
    write(0, 1);
    assertThat(pass()).isEqualTo(1);
    assertThat(pass()).isZero();
  }

  @Test
  void pass_writtenWithWhatWasThere_sendsNothing() {
    write(0, 1);
    write(1, 2);
    assertThat(pass()).isEqualTo(2);
    write(0, 5);
    write(0, 1);
    write(1, 2);
    assertThat(pass()).isZero();
  }

  @Test
  void pass_oneOfManyChanged_sendsThatOne() {
    for (int i = 0; i < PAGES; i++) {
      write(i, i + 1);
    }
    assertThat(pass()).isEqualTo(PAGES);
    write(5, 99);
    assertThat(pass()).isEqualTo(1);
    assertThat(arrived).containsEntry(at + 5L * PAGE, 99L).containsEntry(at + 4L * PAGE, 5L);
  }

  /** Back to what an earlier pass sent, and not what the last one did. */
  @Test
  void pass_changedAndChangedBackBetweenPasses_isSentAgain() {
    write(2, 1);
    assertThat(pass()).isEqualTo(1);
    write(2, 9);
    assertThat(pass()).isEqualTo(1);
    write(2, 1);
    assertThat(pass()).isEqualTo(1);
    assertThat(arrived).containsEntry(at + 2L * PAGE, 1L);
  }

  @Test
  void pass_becameZero_isToldAsThat() {
    write(2, 1);
    assertThat(pass()).isEqualTo(1);
    write(2, 0);
    assertThat(pass()).isZero();
    assertThat(arrived).containsEntry(at + 2L * PAGE, 0L);
  }

  /** The destination's buffer is a new one, of zeros: what it had of the former one is gone. */
  @Test
  void pass_anotherBufferAtTheSamePlaceWithTheSameBytes_isSent() {
    guest.buffers().free(handle);
    MemoryGrant first = allocate();
    at = first.apertureOffset().orElseThrow();
    write(0, 77);
    assertThat(pass()).isEqualTo(1);
    guest.buffers().free(first.handle());
    MemoryGrant second = allocate();
    assertThat(second.apertureOffset()).isEqualTo(first.apertureOffset());
    write(0, 77);
    arrived.clear();
    assertThat(pass()).isEqualTo(1);
    assertThat(arrived).containsEntry(at, 77L);
  }
}
