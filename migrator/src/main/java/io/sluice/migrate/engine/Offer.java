package io.sluice.migrate.engine;

import io.sluice.abi.FieldReader;
import io.sluice.abi.FieldWriter;
import io.sluice.channel.record.GuestRecord;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationCode;
import io.sluice.migrate.link.VersionRange;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * The offer of a source, before anything else.
 *
 * <pre>
 *  u32 version   u32 oldest version   u64 id high   u64 id low   u32 chipset   u32 flags
 *  u64 video memory limit   u64 video memory used   u64 aperture bytes   u32 streams
 *  u32 name bytes   name   u32 machine bytes   machine
 * </pre>
 *
 * @param version newest protocol version of the source
 * @param oldestVersion oldest one it speaks
 * @param id of this attempt, drawn at random
 * @param name of the guest
 * @param chipset of its GPU
 * @param vramLimitBytes video memory it may hold
 * @param vramUsedBytes video memory it holds
 * @param apertureBytes length of its video-memory file, or video memory of its GPU where there is
 *     none; 0 when memory is handed over, not copied
 * @param streams of pages
 * @param machine what {@code SourceMachine.describe} gave
 */
public record Offer(
    int version,
    int oldestVersion,
    UUID id,
    String name,
    int chipset,
    long vramLimitBytes,
    long vramUsedBytes,
    long apertureBytes,
    int streams,
    ByteBuffer machine) {
  /** The protocol this is. Neighbouring versions are spoken too. */
  public static final int VERSION = 1;

  /** The protocols spoken. */
  static final VersionRange SPOKEN = VersionRange.of(VERSION);

  /** Longest name of a guest. */
  static final int MAX_NAME_BYTES = 256;

  /** Longest description of a machine. */
  static final int MAX_MACHINE_BYTES = 1 << 16;

  /**
   * Of a guest, in the protocols spoken here.
   *
   * @param copiesMemory whether its video memory is copied, not handed over
   */
  static Offer of(
      MappedGuest guest, UUID id, boolean copiesMemory, int streams, ByteBuffer machine) {
    GuestRecord record = guest.guest().move().guest();
    return new Offer(
        VERSION,
        SPOKEN.oldest(),
        id,
        record.name(),
        record.chipset(),
        record.vramLimitBytes(),
        guest.guest().buffers().use().videoBytes(),
        copiesMemory ? guest.memoryBytes() : 0,
        streams,
        machine);
  }

  /** Protocols that the source speaks. */
  VersionRange spoken() {
    return new VersionRange(oldestVersion, version);
  }

  /** Why an offer of a version that is not spoken here cannot be taken. */
  static Reason noCommonVersion(Offer offer) {
    return new Reason(
        MigrationCode.PROTOCOL,
        "the source speaks protocol versions " + offer.spoken() + ", this side " + SPOKEN,
        "Bring the older side to the version before the newer one's, at least.");
  }

  Frame encode() {
    FieldWriter out = new FieldWriter();
    out.bits(version).bits(oldestVersion);
    out.u64(id.getMostSignificantBits()).u64(id.getLeastSignificantBits());
    out.bits(chipset).bits(0).u64(vramLimitBytes).u64(vramUsedBytes).u64(apertureBytes);
    out.bits(streams).text(name).bits(machine.remaining()).raw(machine);
    return Payload.frame(FrameType.OFFER, out);
  }

  /**
   * The offer in a frame.
   *
   * @throws io.sluice.abi.RefusedException when there is none
   */
  public static Offer decode(Frame frame) {
    FieldReader in = Payload.reader(frame);
    int version = in.bits();
    int oldest = in.bits();
    UUID id = new UUID(in.u64(), in.u64());
    int chipset = in.bits();
    in.require(in.bits() == 0, "has flags that nobody knows");
    long limit = in.u64();
    long used = in.u64();
    long aperture = in.u64();
    int streams = in.bits();
    String name = in.text(MAX_NAME_BYTES);
    ByteBuffer machine = ByteBuffer.wrap(in.bytes(MAX_MACHINE_BYTES));
    in.end();
    in.require(VersionRange.isRange(oldest, version), "has no version");
    in.require(limit >= 0 && used >= 0 && aperture >= 0 && !name.isEmpty(), "is no offer");
    return new Offer(version, oldest, id, name, chipset, limit, used, aperture, streams, machine);
  }
}
