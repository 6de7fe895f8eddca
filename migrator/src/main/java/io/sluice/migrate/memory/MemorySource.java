package io.sluice.migrate.memory;

import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.Capability;
import io.sluice.channel.GuestGpu.GpuMemory;
import io.sluice.channel.GuestMove;
import io.sluice.channel.record.MemoryRecord;
import io.sluice.channel.record.RecordCodec;
import io.sluice.channel.record.Section;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Sends a guest's video memory in passes. The first sends all of it; each further one what has
 * changed since; the last is conclusive because nothing writes any more. Buffers that come and go
 * meanwhile are told as they do.
 *
 * <p>A page always travels on the same stream, so that a later copy never arrives before an earlier
 * one. One thread uses it.
 */
public final class MemorySource implements AutoCloseable {
  /** Neighbouring pages that share a stream. */
  private static final int STRIPE_PAGES = 32;

  private final GuestMove move;
  private final MemorySegment aperture;
  private final MigrationLink link;
  private final DirtyDetection detection;
  private final boolean exact; // of guest memory

  /** Of video memory: what the GPU wrote is sent unseen. */
  private final boolean unseen;

  private final PageMap pages;
  private final Places places = new Places();
  private final boolean stages; // nobody can map the aperture
  private final Supplier<StagedMemory> opener;
  private @Nullable StagedMemory staged;
  private final Map<Long, Integer> firstPages = new HashMap<>();
  private final Map<Long, MemoryRecord> known = new LinkedHashMap<>();
  private final PageFrames.@Nullable Builder[] open;

  /** Built, and not taken by the link yet. */
  private final Deque<Outgoing> waiting = new ArrayDeque<>();

  private final MemorySegment bitmap =
      MemorySegment.ofArray(new byte[GpuMemory.MAX_DIRTY_PAGES / Byte.SIZE]);
  private final Deque<Integer> found = new ArrayDeque<>();
  private final long[] copy = new long[Fingerprint.WORDS];
  private final MemorySegment copySegment = MemorySegment.ofArray(copy);

  private int epoch;
  private int pass;
  private @Nullable Pass current;
  private long pagesSent;
  private long zerosSent;
  private long passPagesSent;

  private record Outgoing(int stream, Frame frame) {}

  /** Where a pass is. */
  private static final class Pass {
    final List<MemoryRecord> buffers;
    int buffer;
    long page; // in the buffer
    long bitmapFirst = -1; // first page the bitmap tells of
    boolean barriersSent;

    Pass(List<MemoryRecord> buffers) {
      this.buffers = buffers;
    }
  }

  /**
   * @param move the guest
   * @param aperture its video memory, mapped; only read. Empty where nobody can map it: then the
   *     GPU copies it, if it can
   * @param random keys of the fingerprints
   */
  public MemorySource(
      GuestMove move,
      MemorySegment aperture,
      Kernel kernel,
      Set<Capability> capabilities,
      MigrationLink link,
      DirtyDetection detection,
      RandomGenerator random) {
    this.move = move;
    this.aperture = aperture;
    this.link = link;
    this.detection = detection;
    exact = detection.exact() && capabilities.contains(Capability.DIRTY_TRACKING);
    unseen = exact && !detection.compared();
    pages = new PageMap(aperture.byteSize(), detection, random);
    stages = aperture.byteSize() == 0 && capabilities.contains(Capability.BUFFER_COPIES);
    opener = () -> new StagedMemory(move, kernel, capabilities, pages, detection.hashing());
    open = new PageFrames.@Nullable Builder[link.dataStreams() + 1];
  }

  /** Begins a pass; the former one is over. */
  public void beginPass() {
    if (current != null) {
      throw new IllegalStateException("a pass is under way, pass=" + pass);
    }
    syncBuffers();
    if (stages && staged == null) {
      staged = opener.get();
    }
    if (staged != null) {
      staged.forget();
    }
    pass++;
    passPagesSent = 0;
    current = new Pass(List.copyOf(known.values()));
  }

  /** Whether a pass is under way. */
  public boolean isPassing() {
    return current != null;
  }

  /** Number of the pass under way, or of the last one. */
  public int pass() {
    return pass;
  }

  /**
   * Sends what the link takes.
   *
   * @param maxPages most pages to look at
   * @return pages looked at, or frames sent; 0 when the link takes no more or the pass is over
   */
  public int work(int maxPages) {
    Pass now = current;
    if (now == null) {
      return 0;
    }
    int worked = 0;
    while (worked < maxPages) {
      if (!flush()) {
        return worked;
      }
      if (now.buffer < now.buffers.size()) {
        worked += lookAtNext(now);
      } else if (!found.isEmpty()) {
        int index = found.remove();
        put(index, aperture, (long) index * Fingerprint.PAGE_BYTES);
        worked++;
      } else {
        return worked + finish(now);
      }
    }
    return worked;
  }

  /** Pages not yet looked at in this pass, in bytes. */
  public long bytesLeft() {
    Pass now = current;
    if (now == null) {
      return 0;
    }
    long left = found.size() * (long) Fingerprint.PAGE_BYTES;
    for (int i = now.buffer; i < now.buffers.size(); i++) {
      left += now.buffers.get(i).sizeBytes();
    }
    return left - now.page * Fingerprint.PAGE_BYTES;
  }

  /** Bytes of video memory the guest has. */
  public long bytesKnown() {
    return known.values().stream().mapToLong(MemoryRecord::sizeBytes).sum();
  }

  /** Pages sent so far, zeros not counted. */
  public long pagesSent() {
    return pagesSent;
  }

  /** Pages sent so far as zeros. */
  public long zerosSent() {
    return zerosSent;
  }

  /** Pages sent in the pass under way, or the last one. */
  public long passPagesSent() {
    return passPagesSent;
  }

  /** Pages compared as a whole, and pages that a sample was enough for. */
  public long pagesHashed() {
    return pages.hashed();
  }

  /** Pages that a sample was enough for. */
  public long pagesSampledAway() {
    return pages.sampledAway();
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
    for (MemoryRecord gone : List.copyOf(known.values())) {
      if (!now.containsKey(gone.serial())) {
        known.remove(gone.serial());
        ByteBuffer payload = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        tell(Frame.of(FrameType.BUFFER_GONE, payload.putLong(gone.serial()).flip()));
        eachPage(gone, pages::forget);
        firstPages.remove(gone.serial());
      }
    }
    for (MemoryRecord record : now.values()) {
      if (known.put(record.serial(), record) == null) {
        Section section = RecordCodec.encode(record);
        ByteBuffer payload = ByteBuffer.allocate(section.sizeBytes());
        section.write(payload);
        tell(Frame.of(FrameType.BUFFER, payload.flip()));
        int first = Math.toIntExact(places.take(record) / Fingerprint.PAGE_BYTES);
        firstPages.put(record.serial(), first);
        pages.reserve(
            Math.addExact(first, Math.toIntExact(record.sizeBytes() / Fingerprint.PAGE_BYTES)));
        eachPage(record, pages::forget);
      }
    }
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

  private void eachPage(MemoryRecord record, IntConsumer action) {
    int first = firstPage(record);
    int count = Math.toIntExact(record.sizeBytes() / Fingerprint.PAGE_BYTES);
    for (int i = 0; i < count; i++) {
      action.accept(first + i);
    }
  }

  private int firstPage(MemoryRecord record) {
    return Objects.requireNonNull(firstPages.get(record.serial()));
  }

  // ---- pages ----

  private int lookAtNext(Pass now) {
    MemoryRecord record = now.buffers.get(now.buffer);
    long count = record.sizeBytes() / Fingerprint.PAGE_BYTES;
    if (now.page == 0) {
      now.bitmapFirst = -1;
    }
    if (unseen && !refreshBitmap(now, record, count)) {
      now.buffer++; // gone meanwhile: the next pass tells
      now.page = 0;
      return 1;
    }
    int index = firstPage(record) + (int) now.page;
    StagedMemory window = staged;
    if (window != null) {
      if (!window.show(record, now.page, firstPage(record))) {
        now.buffer++; // gone meanwhile: the next pass tells
        now.page = 0;
        return 1;
      }
      if (window.hasChanged(now.page)) {
        put(index, window.bytes(), window.at(now.page));
      }
      advance(now, count);
      return 1;
    }
    boolean written = unseen && isSet(bitmap, now.page - now.bitmapFirst);
    if (written || pages.hasChanged(index, aperture, (long) index * Fingerprint.PAGE_BYTES)) {
      if (detection.overlapped() || !pages.isSent(index)) {
        put(index, aperture, (long) index * Fingerprint.PAGE_BYTES);
      } else {
        found.add(index);
      }
    }
    advance(now, count);
    return 1;
  }

  private static void advance(Pass now, long count) {
    now.page++;
    if (now.page == count) {
      now.buffer++;
      now.page = 0;
    }
  }

  /**
   * The GPU's marks are cleared before the pages are read: what it writes after is marked again.
   */
  private boolean refreshBitmap(Pass now, MemoryRecord record, long count) {
    if (now.bitmapFirst >= 0 && now.page < now.bitmapFirst + GpuMemory.MAX_DIRTY_PAGES) {
      return true;
    }
    int wanted = (int) Math.min(GpuMemory.MAX_DIRTY_PAGES, count - now.page);
    now.bitmapFirst = now.page;
    return move.readDirty(
        record.serial(), now.page, wanted, true, bitmap.asSlice(0, (wanted + 7L) / 8));
  }

  private static boolean isSet(MemorySegment bits, long index) {
    byte eight = bits.get(ValueLayout.JAVA_BYTE, index >>> 3);
    return (eight & 1 << (index & 7)) != 0;
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
        boolean set = i < some && isSet(bitmap, i);
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

  private int stream(int index) {
    return 1 + index / STRIPE_PAGES % link.dataStreams();
  }

  /** A page may change again while it is looked at: it is what its copy is. */
  private void put(int index, MemorySegment memory, long at) {
    boolean first = !pages.isSent(index);
    MemorySegment.copy(memory, at, copySegment, 0, Fingerprint.PAGE_BYTES);
    boolean zero = pages.sent(index, copy);
    if (zero && first) {
      return; // the destination's buffers begin as zeros
    }
    int stream = stream(index);
    PageFrames.Builder builder = builder(stream, zero ? FrameType.ZEROS : FrameType.PAGES);
    if (zero) {
      zerosSent++;
    } else {
      builder.put(copySegment);
      pagesSent++;
      passPagesSent++;
    }
    builder.added((long) index * Fingerprint.PAGE_BYTES);
    if (builder.isFull()) {
      close(stream);
    }
  }

  private PageFrames.Builder builder(int stream, FrameType type) {
    PageFrames.Builder builder = open[stream];
    if (builder != null && (builder.type() != type || builder.epoch() != epoch)) {
      close(stream);
      builder = null;
    }
    if (builder == null) {
      int bytes = type == FrameType.PAGES ? PageFrames.BUILT_BYTES : PageFrames.BUILT_ZEROS_BYTES;
      builder = new PageFrames.Builder(type, epoch, link.payload(bytes));
      open[stream] = builder;
    }
    return builder;
  }

  /** Hands the stream's frame to the link, which may take it later. */
  private void close(int stream) {
    PageFrames.Builder builder = open[stream];
    if (builder != null) {
      open[stream] = null;
      offer(stream, builder.build());
    }
  }

  private void offer(int stream, Frame frame) {
    if (!waiting.isEmpty() || !link.send(stream, frame)) {
      waiting.add(new Outgoing(stream, frame));
    }
  }

  /** Whether the link has taken all. */
  private boolean flush() {
    Outgoing next = waiting.peek();
    while (next != null && link.send(next.stream(), next.frame())) {
      waiting.remove();
      next = waiting.peek();
    }
    return next == null;
  }

  private int finish(Pass now) {
    if (!now.barriersSent) {
      now.barriersSent = true;
      for (int stream = 1; stream < open.length; stream++) {
        close(stream);
        ByteBuffer payload = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        offer(stream, Frame.of(FrameType.BARRIER, payload.putInt(pass).putInt(epoch).flip()));
      }
    }
    if (flush()) {
      current = null;
      return 1;
    }
    return 0;
  }

  /** Lets go of the window onto video memory, if there is one. */
  @Override
  public void close() {
    if (staged != null) {
      staged.close();
      staged = null;
    }
  }
}
