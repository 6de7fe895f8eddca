package io.sluice.channel.record;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** A section: a kind, the version of its layout, and bytes. See {@link SectionHeader}. */
public final class Section {
  private final int id;
  private final int version;
  private final byte[] payload;

  /**
   * @param id kind, not 0
   * @param version not 0
   * @param payload at most {@link SectionHeader#MAX_PAYLOAD_BYTES}; copied
   * @throws io.sluice.abi.RefusedException when no section can be so
   */
  public Section(int id, int version, byte[] payload) {
    SectionHeader.of(id, version, payload);
    this.id = id;
    this.version = version;
    this.payload = payload.clone();
  }

  /** Kind of the section. */
  public int id() {
    return id;
  }

  /** Version of the payload's layout. */
  public int version() {
    return version;
  }

  /** The payload, little-endian, to be read only. */
  public ByteBuffer payload() {
    return ByteBuffer.wrap(payload).asReadOnlyBuffer().order(java.nio.ByteOrder.LITTLE_ENDIAN);
  }

  /** Bytes of the section with its head. */
  public int sizeBytes() {
    return SectionHeader.BYTES + payload.length;
  }

  /** Puts the section into a buffer that has {@link #sizeBytes} left. */
  public void write(ByteBuffer into) {
    SectionHeader.of(id, version, payload).write(into);
    into.put(payload);
  }

  /**
   * Takes a section from a buffer.
   *
   * @throws io.sluice.abi.RefusedException when it is cut off, too long or damaged
   */
  public static Section read(ByteBuffer from) {
    SectionHeader header = SectionHeader.read(from);
    if (from.remaining() < header.length()) {
      throw SectionHeader.refused(
          RecordCode.CUT_OFF,
          "a section is cut off, id="
              + Integer.toUnsignedString(header.id())
              + " bytes="
              + from.remaining()
              + " of "
              + header.length());
    }
    byte[] payload = new byte[header.length()];
    from.get(payload);
    header.verify(payload);
    return new Section(header.id(), header.version(), payload);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Section that
        && id == that.id
        && version == that.version
        && Arrays.equals(payload, that.payload);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * id + version) + Arrays.hashCode(payload);
  }

  @Override
  public String toString() {
    return "section id=" + id + " version=" + version + " bytes=" + payload.length;
  }
}
