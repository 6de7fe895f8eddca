package io.sluice.migrate.memory;

import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.Capability;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.guest.GuestMove;
import io.sluice.channel.record.MemoryRecord;
import io.sluice.channel.record.RecordCodec;
import io.sluice.channel.record.Section;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.memory.SourceLane.NumberedBuffer;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The source of a guest's video memory, which is sent in passes. The first sends all of it; each
 * further one what has changed since; the last is conclusive because nothing writes any more.
 * Buffers that come and go meanwhile are told as they do.
 *
 * <p>A page always travels on the same stream, so that a later copy never arrives before an earlier
 * one. The streams are divided among lanes, each of which looks at its pages, compares, copies and
 * sends them; what a pass is about changes only between passes, while no lane works. Only memory
 * that is mapped as a whole, and compared, is divided: a GPU's window, and its marks, are one
 * lane's.
 *
 * <p>One thread uses it.
 */
public final class MemorySource implements AutoCloseable {
  /** What an engine has looked at before it looks at other things again. */
  public static final int PAGES_AT_ONCE = 512;

  /** Of what one lane is given to do: a fork is to take little time beside the work. */
  private static final int BATCH_FACTOR = 2;

  private final GuestMove move;
  private final MemorySegment aperture;
  private final MigrationLink link;
  private final Lanes threads;
  private final boolean exact; // of guest memory

  /** Of video memory: what the GPU wrote is sent unseen. */
  private final boolean unseen;

  private final PageMap pages;
  private final BufferOffsets positions = new BufferOffsets();
  private final boolean stages; // nobody can map the aperture
  private final Supplier<CopyWindow> opener;
  private @Nullable CopyWindow copyWindow;
  private final Map<Long, NumberedBuffer> known = new LinkedHashMap<>(); // by serial number
  private final List<PageMap.Comparison> comparisons = new ArrayList<>(); // by lane
  private final List<SourceLane> lanes = new ArrayList<>();
  private final List<SourceLane> ready = new ArrayList<>();
  private final int[] worked; // by share of a run

  private final MemorySegment bitmap =
      MemorySegment.ofArray(new byte[GpuMemory.MAX_DIRTY_PAGES / Byte.SIZE]);

  private int epoch;
  private int pass;
  private boolean passing;
  private long passPages;

  /**
   * @param move the guest
   * @param aperture its video memory, mapped; only read. Empty where nobody can map it: then the
   *     GPU copies it, if it can
   * @param link of several streams, if it can be used by several threads
   * @param threads for the lanes; their owner's
   * @param random keys of the fingerprints
   */
  public MemorySource(
      GuestMove move,
      MemorySegment aperture,
      Kernel kernel,
      Set<Capability> capabilities,
      MigrationLink link,
      Lanes threads,
      DirtyDetection detection,
      RandomGenerator random) {
    this.move = move;
    this.aperture = aperture;
    this.link = link;
    this.threads = threads;
    exact = detection.exact() && capabilities.contains(Capability.DIRTY_TRACKING);
    unseen = exact && !detection.compared();
    pages = new PageMap(aperture.byteSize(), detection, random);
    stages = aperture.byteSize() == 0 && capabilities.contains(Capability.BUFFER_COPIES);
    int count = stages || unseen ? 1 : Math.min(threads.count(), link.dataStreams());
    for (int i = 0; i < count; i++) {
      comparisons.add(pages.new Comparison());
      lanes.add(new SourceLane(link, pages, detection.overlapped(), i, count));
    }
    worked = new int[count];
    opener =
        () ->
            new CopyWindow(
                move, kernel, capabilities, pages, comparisons.getFirst(), detection.hashing());
  }

  /** Begins a pass; the former one is over. */
  public void beginPass() {
    if (passing) {
      throw new IllegalStateException("a pass is under way, pass=" + pass);
    }
    syncBuffers();
    if (stages && copyWindow == null) {
      copyWindow = opener.get();
    }
    if (copyWindow != null) {
      copyWindow.forget();
    }
    pass++;
    passing = true;
    List<NumberedBuffer> buffers = List.copyOf(known.values());
    passPages = buffers.stream().mapToLong(NumberedBuffer::pages).sum();
    for (int i = 0; i < lanes.size(); i++) {
      lanes.get(i).begin(pass, epoch, buffers, view(comparisons.get(i)));
    }
  }

  private PageView view(PageMap.Comparison comparison) {
    if (copyWindow != null) {
      return copyWindow;
    }
    ApertureView all = new ApertureView(aperture, comparison);
    return unseen ? new MarkedView(move, all) : all;
  }

  /** Whether a pass is under way. */
  public boolean isPassing() {
    return passing;
  }

  /** Number of the pass under way, or of the last one. */
  public int pass() {
    return pass;
  }

  /**
   * Sends what the link takes. No lane works any more when it returns, or throws.
   *
   * @param maxPages most pages to look at; with several lanes twice as many for each of them
   * @return pages looked at, or frames sent; 0 when the link takes no more or the pass is over
   */
  public int work(int maxPages) {
    if (!passing) {
      return 0;
    }
    ready.clear();
    for (SourceLane lane : lanes) {
      if (lane.isReady()) {
        ready.add(lane);
      }
    }
    int all = 0;
    if (!ready.isEmpty()) {
      int each = lanes.size() == 1 ? maxPages : BATCH_FACTOR * maxPages;
      threads.run(ready.size(), share -> worked[share] = ready.get(share).work(each));
      for (int i = 0; i < ready.size(); i++) {
        all += worked[i];
      }
    }
    passing = lanes.stream().anyMatch(SourceLane::isPassing);
    return passing ? all : all + 1;
  }

  /** Pages not yet looked at in this pass, in bytes. */
  public long bytesLeft() {
    return passing ? (passPages - sum(SourceLane::passPagesDone)) * Fingerprint.PAGE_BYTES : 0;
  }

  /** Bytes of video memory the guest has. */
  public long bytesKnown() {
    return known.values().stream().mapToLong(buffer -> buffer.record().sizeBytes()).sum();
  }

  /** Pages sent so far, zeros not counted. */
  public long pagesSent() {
    return sum(SourceLane::pagesSent);
  }

  /** Pages sent so far as zeros. */
  public long zerosSent() {
    return sum(SourceLane::zerosSent);
  }

  /** Pages sent in the pass under way, or the last one. */
  public long passPagesSent() {
    return sum(SourceLane::passPagesSent);
  }

  private long sum(ToLongFunction<SourceLane> count) {
    return lanes.stream().mapToLong(count).sum();
  }

  /** Pages compared as a whole, and pages that a sample was enough for. */
  public long pagesHashed() {
    return comparisons.stream().mapToLong(PageMap.Comparison::hashed).sum();
  }

  /** Pages that a sample was enough for. */
  public long pagesSampledAway() {
    return comparisons.stream().mapToLong(PageMap.Comparison::sampledAway).sum();
  }

  /** Makes the GPU forget what it wrote of guest memory: the machine copies all of it from now. */
  public void forgetGuestMemory() {
    if (exact) {
      for (MemoryRecord record : move.buffers()) {
        if (record.registered()) {
          eachDirtyRun(record, (_, _) -> {});
        }
      }
    }
  }

  /** Whether the GPU may have written guest memory of which it does not say so. */
  public boolean mayHaveUnseenWrites() {
    return !exact && move.buffers().stream().anyMatch(MemoryRecord::registered);
  }

  /** Guest memory that the GPU wrote since {@link #forgetGuestMemory}; all it can, if unknown. */
  public List<GuestMove.BusRange> dirtyGuestMemory() {
    List<GuestMove.BusRange> ranges = new ArrayList<>();
    for (MemoryRecord record : move.buffers()) {
      if (record.registered() && exact) {
        eachDirtyRun(
            record, (from, bytes) -> ranges.addAll(move.busRanges(record.serial(), from, bytes)));
      } else if (record.registered()) {
        ranges.addAll(move.busRanges(record.serial(), 0, record.sizeBytes()));
      }
    }
    return ranges;
  }

  // ---- buffers ----

  /** Tells of buffers that came and went. */
  private void syncBuffers() {
    Map<Long, MemoryRecord> now =
        move.buffers().stream()
            .filter(this::travels)
            .collect(
                Collectors.toMap(MemoryRecord::serial, r -> r, (a, _) -> a, LinkedHashMap::new));
    for (NumberedBuffer gone : List.copyOf(known.values())) {
      long serial = gone.record().serial();
      if (!now.containsKey(serial)) {
        known.remove(serial);
        ByteBuffer payload = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        tell(Frame.of(FrameType.BUFFER_GONE, payload.putLong(serial).flip()));
        forget(gone);
      }
    }
    for (MemoryRecord record : now.values()) {
      NumberedBuffer there = known.get(record.serial());
      NumberedBuffer come =
          new NumberedBuffer(record, there == null ? tellNew(record) : there.first());
      known.put(record.serial(), come);
      if (there == null) {
        pages.reserve(Math.addExact(come.first(), Math.toIntExact(come.pages())));
        forget(come);
      }
    }
  }

  /** The number of its first page. */
  private int tellNew(MemoryRecord record) {
    Section section = RecordCodec.encode(record);
    ByteBuffer payload = ByteBuffer.allocate(section.sizeBytes());
    section.write(payload);
    tell(Frame.of(FrameType.BUFFER, payload.flip()));
    return Math.toIntExact(positions.take(record) / Fingerprint.PAGE_BYTES);
  }

  private boolean travels(MemoryRecord record) {
    return stages
        ? !record.registered() && !PscnvGem.isSystem(record.flags())
        : record.apertureOffset().isPresent();
  }

  private void tell(Frame frame) {
    link.send(MigrationLink.CONTROL, frame);
    epoch++;
  }

  private void forget(NumberedBuffer buffer) {
    for (int i = 0; i < buffer.pages(); i++) {
      pages.forget(buffer.first() + i);
    }
  }

  /** A run of pages of a buffer. */
  private interface RunConsumer {
    void run(long offset, long bytes);
  }

  private void eachDirtyRun(MemoryRecord record, RunConsumer consumer) {
    long count = record.sizeBytes() / Fingerprint.PAGE_BYTES;
    for (long first = 0; first < count; first += GpuMemory.MAX_DIRTY_PAGES) {
      int some = (int) Math.min(GpuMemory.MAX_DIRTY_PAGES, count - first);
      if (!move.readDirty(record.serial(), first, some, true, bitmap.asSlice(0, (some + 7L) / 8))) {
        return;
      }
      int start = -1;
      for (int i = 0; i <= some; i++) {
        boolean set = i < some && MarkedView.isSet(bitmap, i);
        if (set && start < 0) {
          start = i;
        } else if (!set && start >= 0) {
          consumer.run(
              (first + start) * Fingerprint.PAGE_BYTES,
              (i - start) * (long) Fingerprint.PAGE_BYTES);
          start = -1;
        }
      }
    }
  }

  /** Lets go of the window onto video memory, if there is one. */
  @Override
  public void close() {
    if (copyWindow != null) {
      copyWindow.close();
      copyWindow = null;
    }
  }
}
