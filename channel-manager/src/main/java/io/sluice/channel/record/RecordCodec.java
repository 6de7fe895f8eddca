package io.sluice.channel.record;

import static com.google.common.collect.ImmutableSet.toImmutableSet;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.primitives.ImmutableIntArray;
import io.sluice.abi.FieldReader;
import io.sluice.abi.FieldWriter;
import io.sluice.abi.GpuVa;
import io.sluice.abi.Iova;
import io.sluice.abi.RefusedException;
import io.sluice.channel.state.ChannelError;
import io.sluice.channel.state.ChannelState;
import io.sluice.channel.state.GuestLimits;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Records to sections and back. A layout never changes: what must be told in another way gets a new
 * version, and the former one goes on being read.
 *
 * <table>
 * <caption>Sections</caption>
 * <tr><th>id</th><th>version</th><th>payload</th></tr>
 * <tr><td>1 guest</td><td>1</td><td>generation, chipset u32; limit u64; name</td></tr>
 * <tr><td>2 memory</td><td>1</td><td>serial u64; handle, flags, tile flags, cookie u32; size u64;
 *     registered u32; aperture offset u64 or ~0</td></tr>
 * <tr><td>2 memory</td><td>2</td><td>as version 1, of video memory that is in system
 *     memory</td></tr>
 * <tr><td>3 pages</td><td>1</td><td>serial u64; count u32; {offset, IOVA, bytes u64}…</td></tr>
 * <tr><td>4 address space</td><td>1</td><td>serial u64; vid u32</td></tr>
 * <tr><td>5 mapping</td><td>1</td><td>space, memory, address u64</td></tr>
 * <tr><td>6 channel</td><td>1</td><td>cid u32; space u64; state, suspends u32; ring, objects, error,
 *     engine state, set-up segment, each with a flag or a count</td></tr>
 * <tr><td>7 end</td><td>1</td><td>count u64</td></tr>
 * </table>
 */
public final class RecordCodec {
  private static final int GUEST = 1;
  private static final int MEMORY = 2;
  private static final int PAGES = 3;
  private static final int ADDRESS_SPACE = 4;
  private static final int MAPPING = 5;
  private static final int CHANNEL = 6;
  private static final int END = 7;

  private static final int VERSION_1 = 1;

  /** Of {@link #MEMORY}: an evicted buffer. Whoever knows only version 1 can have none. */
  private static final int EVICTED = 2;

  // What stands on the wire is not what an enum happens to be numbered.
  private static final ImmutableList<ChannelState> STATES =
      ImmutableList.of(
          ChannelState.NEW,
          ChannelState.RUNNING,
          ChannelState.SUSPENDED,
          ChannelState.DRAINING,
          ChannelState.DETACHED,
          ChannelState.DEAD);

  /**
   * A layout of a record.
   *
   * @param id kind of the section
   * @param version of its payload
   */
  public record Layout(int id, int version) {}

  private static final ImmutableSet<Layout> ALWAYS =
      IntStream.rangeClosed(GUEST, END)
          .mapToObj(id -> new Layout(id, VERSION_1))
          .collect(toImmutableSet());

  private static final Layout EVICTED_MEMORY = new Layout(MEMORY, EVICTED);

  private RecordCodec() {}

  /**
   * The layouts that a guest's records are written in.
   *
   * @param evicted whether some of its buffers are evicted, or may be
   */
  public static ImmutableSet<Layout> written(boolean evicted) {
    return evicted ? readable() : ALWAYS;
  }

  /** The layouts that {@link #decode} takes. */
  public static ImmutableSet<Layout> readable() {
    return ImmutableSet.<Layout>builder().addAll(ALWAYS).add(EVICTED_MEMORY).build();
  }

  /** A record as a section of the oldest version that can tell it. */
  public static Section encode(StateRecord record) {
    FieldWriter out = new FieldWriter();
    int id =
        switch (record) {
          case GuestRecord guest -> {
            out.bits(guest.generation()).bits(guest.chipset()).u64(guest.vramLimitBytes());
            out.text(guest.name());
            yield GUEST;
          }
          case MemoryRecord memory -> {
            write(memory, out);
            yield MEMORY;
          }
          case MemoryPagesRecord(long serial, ImmutableList<MemoryPagesRecord.PageRun> pages) -> {
            out.u64(serial).bits(pages.size());
            pages.forEach(p -> out.u64(p.offset()).u64(p.iova().value()).u64(p.bytes()));
            yield PAGES;
          }
          case AddressSpaceRecord(long serial, int vid) -> {
            out.u64(serial).bits(vid);
            yield ADDRESS_SPACE;
          }
          case MappingRecord(long space, long memory, GpuVa address) -> {
            out.u64(space).u64(memory).u64(address.value());
            yield MAPPING;
          }
          case ChannelRecord channel -> {
            write(channel, out);
            yield CHANNEL;
          }
          case EndRecord(long records) -> {
            out.u64(records);
            yield END;
          }
        };
    boolean evicted = record instanceof MemoryRecord memory && memory.evicted();
    return new Section(id, evicted ? EVICTED : VERSION_1, out.toBytes());
  }

  /**
   * The record of a section.
   *
   * @throws RefusedException for an unknown kind or version, a payload that is shorter or longer
   *     than its layout, and values that no record has
   */
  public static StateRecord decode(Section section) {
    Layout layout = new Layout(section.id(), section.version());
    boolean evicted = layout.equals(EVICTED_MEMORY);
    if (!evicted && !ALWAYS.contains(layout)) {
      throw SectionHeader.refused(
          RecordCode.UNKNOWN_LAYOUT, "a section of no known layout, " + section);
    }
    FieldReader in = new FieldReader(section.payload(), RecordCodec::damaged);
    StateRecord record =
        switch (section.id()) {
          case GUEST -> readGuest(in);
          case MEMORY -> readMemory(in, evicted);
          case PAGES -> readPages(in);
          case ADDRESS_SPACE -> new AddressSpaceRecord(in.u64(), in.bits());
          case MAPPING -> new MappingRecord(in.u64(), in.u64(), new GpuVa(in.u64()));
          case CHANNEL -> readChannel(in);
          default -> new EndRecord(in.u64());
        };
    in.end();
    return record;
  }

  private static RefusedException damaged(FieldReader.Damage damage, String what) {
    return switch (damage) {
      case VALUE ->
          SectionHeader.refused(
              RecordCode.IMPOSSIBLE, "a record holds what none can, rule=" + what);
      case CUT_OFF -> SectionHeader.refused(RecordCode.RECORD_CUT_OFF, "a record is " + what);
      case TOO_LONG -> SectionHeader.refused(RecordCode.RECORD_TOO_LONG, "a record is " + what);
    };
  }

  private static GuestRecord readGuest(FieldReader in) {
    int generation = in.bits();
    int chipset = in.bits();
    long limit = in.u64();
    return new GuestRecord(in.text(GuestRecord.MAX_NAME_BYTES), generation, limit, chipset);
  }

  private static void write(MemoryRecord memory, FieldWriter out) {
    out.u64(memory.serial()).bits(memory.handle()).bits(memory.flags()).bits(memory.tileFlags());
    out.bits(memory.cookie()).u64(memory.sizeBytes()).flag(memory.registered());
    out.optional(memory.apertureOffset());
  }

  private static MemoryRecord readMemory(FieldReader in, boolean evicted) {
    return new MemoryRecord(
        in.u64(),
        in.bits(),
        in.bits(),
        in.bits(),
        in.bits(),
        in.u64(),
        in.flag(),
        in.optional(),
        evicted);
  }

  private static MemoryPagesRecord readPages(FieldReader in) {
    long serial = in.u64();
    int count = in.count(MemoryPagesRecord.MAX_PAGES, 3 * Long.BYTES);
    ImmutableList.Builder<MemoryPagesRecord.PageRun> pages =
        ImmutableList.builderWithExpectedSize(count);
    for (int i = 0; i < count; i++) {
      pages.add(new MemoryPagesRecord.PageRun(in.u64(), new Iova(in.u64()), in.u64()));
    }
    return new MemoryPagesRecord(serial, pages.build());
  }

  private static void write(ChannelRecord channel, FieldWriter out) {
    out.bits(channel.channelId()).u64(channel.space());
    out.bits(STATES.indexOf(channel.state()) + 1).bits(channel.suspends());
    out.flag(channel.ring().isPresent());
    channel.ring().ifPresent(r -> out.u64(r.start().value()).bits(r.order()).bits(r.slimask()));
    out.bits(channel.objects().size());
    channel.objects().forEach(o -> out.bits(o.handle()).bits(o.objectClass()).bits(o.flags()));
    out.flag(channel.error().isPresent());
    channel
        .error()
        .ifPresent(e -> out.bits(e.reason()).bits(e.info()).u64(e.address()).u64(e.timeNs()));
    out.bytes(channel.engineState().bytes());
    out.bits(channel.setupSegment().length());
    channel.setupSegment().forEach(out::bits);
  }

  private static ChannelRecord readChannel(FieldReader in) {
    int cid = in.bits();
    long space = in.u64();
    int state = in.bits();
    Check.check(state >= 1 && state <= STATES.size(), "a channel's state is known");
    int suspends = in.bits();
    Optional<ChannelRecord.RingRecord> ring =
        in.flag()
            ? Optional.of(new ChannelRecord.RingRecord(new GpuVa(in.u64()), in.bits(), in.bits()))
            : Optional.empty();
    ImmutableList.Builder<ChannelRecord.EngineObject> objects = ImmutableList.builder();
    for (int n = in.count(ChannelRecord.MAX_OBJECTS, 3 * Integer.BYTES); n > 0; n--) {
      objects.add(new ChannelRecord.EngineObject(in.bits(), in.bits(), in.bits()));
    }
    Optional<ChannelError> error =
        in.flag()
            ? Optional.of(new ChannelError(cid, in.bits(), in.bits(), in.u64(), in.u64()))
            : Optional.empty();
    EngineState engineState = new EngineState(in.bytes(EngineState.MAX_BYTES));
    ImmutableIntArray.Builder words = ImmutableIntArray.builder();
    for (int n = in.count(GuestLimits.MAX_SETUP_WORDS, Integer.BYTES); n > 0; n--) {
      words.add(in.bits());
    }
    return new ChannelRecord(
        cid,
        space,
        STATES.get(state - 1),
        suspends,
        ring,
        objects.build(),
        error,
        engineState,
        words.build());
  }
}
