package io.sluice.migrate.link;

import com.google.common.collect.ImmutableMap;
import com.google.common.collect.Maps;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Kinds of frames, with their numbers on the wire. A frame is a section (see {@link
 * io.sluice.channel.record.SectionHeader}) whose id is the number and whose version is the layout
 * of its payload; numbers of frames begin at 0x100, so that no state record passes for one.
 *
 * <p>The letters say who sends it: S the source, D the destination. All but {@link #PAGES}, {@link
 * #ZEROS}, {@link #BARRIER} and {@link #PROBE} travel on {@link MigrationLink#CONTROL}.
 */
public enum FrameType {
  /** S: what is to come; the first frame. */
  OFFER(0x100),
  /** D: the offer is taken, with what the destination needs told. */
  ACCEPT(0x101),
  /** Both: what the machine's two sides tell each other, which the engine does not look into. */
  MACHINE(0x102),
  /** S: a buffer of video memory exists; pages of it follow. */
  BUFFER(0x103),
  /** S: a buffer is gone. */
  BUFFER_GONE(0x104),
  /** S, instead of an offer: could this guest come? Nothing is made for it. */
  CHECK(0x105),
  /** D: the answer: what is against it. */
  CHECKED(0x106),
  /** S, on streams of pages, after {@link #CHECK}: bytes that only show what the link carries. */
  PROBE(0x107),
  /** S: pages of GPU memory. */
  PAGES(0x110),
  /** S: ranges of GPU memory that are all zeros. */
  ZEROS(0x111),
  /** S, on every stream: all that a pass sends on this stream was sent. */
  BARRIER(0x112),
  /** D: the barrier of a pass has come on every stream, and all before it is in place. */
  BARRIER_REACHED(0x113),
  /** S: a part of the guest's state records. */
  STATE(0x120),
  /** S: the state records are complete; restore them. */
  RESTORE(0x121),
  /** D: everything is restored, and runs as soon as {@link #COMMIT} comes. */
  READY(0x122),
  /** S: the guest is the destination's; the source runs it no more unless told that it may. */
  COMMIT(0x123),
  /** D: the guest is the destination's, durably, and runs there. */
  COMMITTED(0x124),
  /** S, on a new link after a cut: what became of a {@link #COMMIT}? */
  INQUIRE(0x125),
  /** D: the answer: not committed and never to be; the guest is the source's. */
  RELINQUISHED(0x126),
  /** Both: given up, with the reason. */
  ABORT(0x130),
  /** Both: still here. */
  HEARTBEAT(0x131);

  private static final ImmutableMap<Integer, FrameType> BY_NUMBER =
      Maps.uniqueIndex(Arrays.asList(values()), FrameType::number);

  private final int number;

  FrameType(int number) {
    this.number = number;
  }

  /** The section's id. */
  public int number() {
    return number;
  }

  /** The kind of a section's id; null when there is none. */
  public static @Nullable FrameType of(int number) {
    return BY_NUMBER.get(number);
  }
}
