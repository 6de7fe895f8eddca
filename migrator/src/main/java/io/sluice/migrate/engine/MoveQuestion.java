package io.sluice.migrate.engine;

import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Sets;
import io.sluice.abi.FieldReader;
import io.sluice.abi.FieldWriter;
import io.sluice.channel.Capability;
import io.sluice.channel.guest.Guest;
import io.sluice.channel.record.GuestRecord;
import io.sluice.channel.record.MemoryRecord;
import io.sluice.channel.record.RecordCodec;
import io.sluice.channel.record.RecordCodec.Layout;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.UUID;

/**
 * The question of a source to a destination before anything is begun: whether this guest could
 * come. The answer commits nobody.
 *
 * <pre>
 *  CHECK  u32 bytes of an offer, the offer, without machine   u32 flags: 1 a process
 *         u32 count { u32 bytes, name of a capability }…   u32 count { u32 record, u32 version }…
 * </pre>
 *
 * @param offer what would be offered
 * @param process whether a process of this host would come, not a machine of another
 * @param capabilities of the GPU that the guest has met here and must meet again, by their names: a
 *     later version may know more of them
 * @param layouts in which its records would be written
 */
public record MoveQuestion(
    Offer offer, boolean process, ImmutableSet<String> capabilities, ImmutableSet<Layout> layouts) {
  private static final int PROCESS = 1;
  private static final int MAX_OFFER_BYTES = 1024;
  private static final int MAX_NAMES = 64;
  private static final int MAX_NAME_BYTES = 64;
  private static final int MAX_LAYOUTS = 256;

  /** What the guest has seen of its GPU, or its records cannot do without. */
  private static final ImmutableSet<Capability> LASTING =
      Sets.immutableEnumSet(
          Capability.VRAM_APERTURE,
          Capability.DOORBELL,
          Capability.GUEST_MEMORY,
          Capability.CONTROL_WORDS,
          Capability.STATE_SAVE);

  /** The question about a guest that is attached here. */
  public static MoveQuestion about(Guest guest, boolean process) {
    GuestRecord record = guest.move().guest();
    boolean evicted = guest.move().buffers().stream().anyMatch(MemoryRecord::evicted);
    Offer offer =
        new Offer(
            Offer.VERSION,
            Offer.SPOKEN.oldest(),
            new UUID(0, 0),
            record.name(),
            record.chipset(),
            record.vramLimitBytes(),
            guest.buffers().use().videoBytes(),
            guest.info().vramBytes(),
            1,
            ByteBuffer.allocate(0));
    return new MoveQuestion(
        offer, process, lasting(guest.capabilities()), RecordCodec.written(evicted));
  }

  private static ImmutableSet<String> lasting(Set<Capability> capabilities) {
    return Sets.intersection(LASTING, capabilities).stream()
        .map(Capability::name)
        .collect(ImmutableSet.toImmutableSet());
  }

  /** Those of the guest's capabilities that another GPU lacks. */
  public ImmutableSet<String> missing(Set<Capability> there) {
    ImmutableSet<String> known =
        there.stream().map(Capability::name).collect(ImmutableSet.toImmutableSet());
    return Sets.difference(capabilities, known).immutableCopy();
  }

  Frame encode() {
    FieldWriter out = new FieldWriter();
    ByteBuffer offered = offer.encode().payload();
    out.bits(offered.remaining()).raw(offered).bits(process ? PROCESS : 0);
    out.bits(capabilities.size());
    capabilities.forEach(out::text);
    out.bits(layouts.size());
    layouts.forEach(layout -> out.bits(layout.id()).bits(layout.version()));
    return Payload.frame(FrameType.CHECK, out);
  }

  static MoveQuestion decode(Frame frame) {
    FieldReader in = Payload.reader(frame);
    Offer offer =
        Offer.decode(Frame.of(FrameType.OFFER, ByteBuffer.wrap(in.bytes(MAX_OFFER_BYTES))));
    int flags = in.bits();
    in.require((flags & ~PROCESS) == 0, "has flags that nobody knows");
    ImmutableSet.Builder<String> capabilities = ImmutableSet.builder();
    for (int left = in.count(MAX_NAMES, Integer.BYTES); left > 0; left--) {
      capabilities.add(in.text(MAX_NAME_BYTES));
    }
    ImmutableSet.Builder<Layout> layouts = ImmutableSet.builder();
    for (int left = in.count(MAX_LAYOUTS, 2 * Integer.BYTES); left > 0; left--) {
      layouts.add(new Layout(in.bits(), in.bits()));
    }
    in.end();
    return new MoveQuestion(offer, flags == PROCESS, capabilities.build(), layouts.build());
  }
}
