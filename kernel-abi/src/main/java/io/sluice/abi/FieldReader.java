package io.sluice.abi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/**
 * The reader of records and messages that {@link FieldWriter} wrote: little-endian fields, one
 * behind the other. Nothing is believed: it refuses what is too short, too long or out of range
 * before it allocates.
 */
public final class FieldReader {
  /** The kinds of damage, so that a format can name each by a code of its own. */
  public enum Damage {
    /** The bytes end within a field. */
    CUT_OFF,
    /** Bytes follow the last field. */
    TOO_LONG,
    /** A field has a value that none may have. */
    VALUE
  }

  /** The exception of a format for bytes that are damaged. */
  @FunctionalInterface
  public interface ExceptionFactory {
    /**
     * The exception to throw.
     *
     * @param what the damage in words, without the name of the format
     */
    RuntimeException of(Damage damage, String what);
  }

  private final ByteBuffer in;
  private final ExceptionFactory refusal;

  /** A reader of all that remains in a buffer, which itself stays where it is. */
  public FieldReader(ByteBuffer bytes, ExceptionFactory refusal) {
    in = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
    this.refusal = refusal;
  }

  /** A word of 32 bits as it is. */
  public int bits() {
    need(Integer.BYTES);
    return in.getInt();
  }

  /** A number of 32 bits, never negative. */
  public long u32() {
    return Integer.toUnsignedLong(bits());
  }

  /** A number of 64 bits. */
  public long u64() {
    need(Long.BYTES);
    return in.getLong();
  }

  /** A word that is 0 or 1. */
  public boolean flag() {
    int value = bits();
    require(value == 0 || value == 1, "a flag is 0 or 1");
    return value == 1;
  }

  /** 64 bits; {@link FieldWriter#ABSENT} for none. */
  public OptionalLong optional() {
    long value = u64();
    return value == FieldWriter.ABSENT ? OptionalLong.empty() : OptionalLong.of(value);
  }

  /** The layout that the record says it has, which must be one of those from 1 to this. */
  public int version(int newest) {
    long version = u32();
    require(version >= 1 && version <= newest, "a version is known, newest=" + newest);
    return (int) version;
  }

  /** The number of elements that follow; each has at least so many bytes, so they are there. */
  public int count(int limit, int elementBytes) {
    long count = u32();
    require(count <= limit, "a list has at most " + limit + " elements");
    need(count * elementBytes);
    return (int) count;
  }

  /** Bytes behind their number. */
  public byte[] bytes(int limit) {
    return raw(count(limit, 1));
  }

  /** So many bytes. */
  public byte[] raw(int bytes) {
    need(bytes);
    byte[] value = new byte[bytes];
    in.get(value);
    return value;
  }

  /** UTF-8 behind its number of bytes. */
  public String text(int limit) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes(limit))).toString();
    } catch (CharacterCodingException _) {
      throw refusal.of(Damage.VALUE, "a text is UTF-8");
    }
  }

  /** A reader of the next so many bytes. */
  public FieldReader part(int bytes) {
    need(bytes);
    FieldReader part = new FieldReader(in.slice(in.position(), bytes), refusal);
    in.position(in.position() + bytes);
    return part;
  }

  /** All that follows, as a view. */
  public ByteBuffer rest() {
    ByteBuffer rest = in.slice().order(ByteOrder.LITTLE_ENDIAN);
    in.position(in.limit());
    return rest;
  }

  /** Refuses what goes on behind its last field. */
  public void end() {
    if (in.hasRemaining()) {
      throw refusal.of(Damage.TOO_LONG, "longer than its layout, bytes=" + in.remaining());
    }
  }

  /** Refuses a value that breaks a rule. */
  public void require(boolean holds, String rule) {
    if (!holds) {
      throw refusal.of(Damage.VALUE, rule);
    }
  }

  private void need(long bytes) {
    if (in.remaining() < bytes) {
      throw refusal.of(
          Damage.CUT_OFF, "shorter than its layout, bytes=" + in.remaining() + " of " + bytes);
    }
  }
}
