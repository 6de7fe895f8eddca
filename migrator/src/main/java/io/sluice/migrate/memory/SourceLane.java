package io.sluice.migrate.memory;

import io.sluice.channel.record.MemoryRecord;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A share of the passes over video memory: the pages that travel on some of the link's streams,
 * which no other lane touches. Stripes of neighbouring pages go to the streams in turn, streams to
 * the lanes.
 *
 * <pre>
 *  page    0..63   64..127   128..191   192..255   256..319
 *  stream    1        2         3          4          1       of 4
 *  lane      0        1         0          1          0       of 2
 * </pre>
 *
 * <p>One thread at a time uses it.
 */
final class SourceLane {
  /** Neighbouring pages that share a stream: a frame of them. */
  static final int STRIPE_PAGES = PageFrames.BUILT_PAGES;

  /** Pages of the first pass that are compared for practice: as many as a compiler asks for. */
  private static final int WARM_UPS = 256;

  private final MigrationLink link;
  private final PageMap pages;
  private final boolean overlapped;
  private final int index;
  private final int lanes;
  private final int streams;
  private final PageFrames.@Nullable Builder[] open; // by stream

  /** Built, and not taken by the link yet. */
  private final Deque<Outgoing> waiting = new ArrayDeque<>();

  /** Changed, and to be sent when all have been looked at. */
  private final Deque<Integer> found = new ArrayDeque<>();

  private final long[] copy = new long[Fingerprint.WORDS];
  private final MemorySegment copySegment = MemorySegment.ofArray(copy);
  private @Nullable Pass current;
  private int warmUps;
  private long pagesSent;
  private long zerosSent;
  private long passPagesSent;
  private long passPagesLooked;

  private record Outgoing(int stream, Frame frame) {}

  /**
   * A buffer and its number in the map.
   *
   * @param first of its pages
   */
  record NumberedBuffer(MemoryRecord record, int first) {
    long pages() {
      return record.sizeBytes() / Fingerprint.PAGE_BYTES;
    }
  }

  /** The place of a pass. */
  private static final class Pass {
    final int number;
    final int epoch;
    final List<NumberedBuffer> buffers;
    final PageView view;
    int buffer;
    long page; // in the buffer
    long stripeEnd; // in the buffer: up to there its pages are this lane's
    int stream; // of these
    boolean barriersSent;

    Pass(int number, int epoch, List<NumberedBuffer> buffers, PageView view) {
      this.number = number;
      this.epoch = epoch;
      this.buffers = buffers;
      this.view = view;
    }

    void nextBuffer() {
      buffer++;
      page = 0;
      stripeEnd = 0;
    }
  }

  /**
   * @param overlapped send changed pages while others are still being compared
   * @param index of this lane, from 0
   * @param lanes how many there are
   */
  SourceLane(MigrationLink link, PageMap pages, boolean overlapped, int index, int lanes) {
    this.link = link;
    this.pages = pages;
    this.overlapped = overlapped;
    this.index = index;
    this.lanes = lanes;
    streams = link.dataStreams();
    open = new PageFrames.@Nullable Builder[streams + 1];
  }

  /**
   * Begins a pass; the former one is over.
   *
   * @param buffers all of them: a lane finds its own pages
   * @param view this lane's
   */
  void begin(int number, int epoch, List<NumberedBuffer> buffers, PageView view) {
    passPagesSent = 0;
    passPagesLooked = 0;
    current = new Pass(number, epoch, buffers, view);
  }

  /** Whether this lane's part of the pass is not over. */
  boolean isPassing() {
    return current != null;
  }

  /** Whether {@link #work} would do anything: a pass is under way, and the link takes frames. */
  boolean isReady() {
    return current != null && flush();
  }

  /**
   * Sends what the link takes.
   *
   * @param maxPages most pages to look at
   * @return pages looked at, or frames sent; 0 when the link takes no more or the pass is over
   */
  int work(int maxPages) {
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
        worked += lookOn(now);
      } else if (!found.isEmpty()) {
        int page = found.remove();
        put(now, stream(page), page, now.view.bytes(), (long) page * Fingerprint.PAGE_BYTES);
        worked++;
      } else {
        return worked + finish(now);
      }
    }
    return worked;
  }

  /** Pages that it has done with in this pass. */
  long passPagesDone() {
    return passPagesLooked - found.size();
  }

  long pagesSent() {
    return pagesSent;
  }

  long zerosSent() {
    return zerosSent;
  }

  long passPagesSent() {
    return passPagesSent;
  }

  // ---- looking ----

  /** Looks at the next page of this lane, if the buffer has one more; how many. */
  private int lookOn(Pass now) {
    NumberedBuffer buffer = now.buffers.get(now.buffer);
    if (now.page == now.stripeEnd && !seek(now, buffer)) {
      now.nextBuffer();
      return 0;
    }
    PageView view = now.view;
    if (!view.show(buffer.record(), now.page, buffer.first())) {
      passPagesLooked += buffer.pages() - now.page; // only a lane that has them all is told
      now.nextBuffer(); // gone meanwhile: the next pass tells
      return 1;
    }
    if (view.hasChanged(now.page)) {
      int page = buffer.first() + (int) now.page;
      if (overlapped || !view.isWhole() || !pages.isSent(page)) {
        put(now, now.stream, page, view.bytes(), view.at(now.page));
        if (warmUps < WARM_UPS) {
          warmUps++;
          view.warmUp(now.page);
        }
      } else {
        found.add(page);
      }
    }
    passPagesLooked++;
    now.page++;
    return 1;
  }

  /** Goes to this lane's next stripe of a buffer; false when there is none. */
  private boolean seek(Pass now, NumberedBuffer buffer) {
    long count = buffer.pages();
    while (now.page < count) {
      long stripe = (buffer.first() + now.page) / STRIPE_PAGES;
      now.stripeEnd = Math.min(count, (stripe + 1) * STRIPE_PAGES - buffer.first());
      int turn = (int) (stripe % streams);
      if (turn % lanes == index) {
        now.stream = 1 + turn;
        return true;
      }
      now.page = now.stripeEnd;
    }
    return false;
  }

  private int stream(int page) {
    return 1 + page / STRIPE_PAGES % streams;
  }

  // ---- sending ----

  /** A page may change again while it is looked at: it is what its copy is. */
  private void put(Pass now, int stream, int page, MemorySegment memory, long at) {
    boolean first = !pages.isSent(page);
    MemorySegment.copy(memory, at, copySegment, 0, Fingerprint.PAGE_BYTES);
    boolean zero = pages.sent(page, copy);
    if (zero && first) {
      return; // the destination's buffers begin as zeros
    }
    PageFrames.Builder builder =
        builder(stream, zero ? FrameType.ZEROS : FrameType.PAGES, now.epoch);
    if (zero) {
      zerosSent++;
    } else {
      builder.put(copySegment);
      pagesSent++;
      passPagesSent++;
    }
    builder.added((long) page * Fingerprint.PAGE_BYTES);
    if (builder.isFull()) {
      close(stream);
    }
  }

  private PageFrames.Builder builder(int stream, FrameType type, int epoch) {
    PageFrames.Builder builder = open[stream];
    if (builder != null && builder.type() != type) {
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
      for (int stream = 1 + index; stream <= streams; stream += lanes) {
        close(stream);
        ByteBuffer payload = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN);
        payload.putInt(now.number).putInt(now.epoch);
        offer(stream, Frame.of(FrameType.BARRIER, payload.flip()));
      }
    }
    if (flush()) {
      current = null;
      return 1;
    }
    return 0;
  }
}
