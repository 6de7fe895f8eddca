package io.sluice.channel.record;

import static io.sluice.channel.record.Check.check;

import java.util.Arrays;

/**
 * The state of a channel as a backend saved it: bytes that only a backend of the same kind
 * understands.
 */
public final class EngineState {
  /** Most bytes. */
  public static final int MAX_BYTES = 1 << 16;

  /** Of a channel that never started. */
  public static final EngineState NONE = new EngineState(new byte[0]);

  private final byte[] bytes;

  /**
   * @param bytes copied
   */
  public EngineState(byte[] bytes) {
    check(bytes.length <= MAX_BYTES, "an engine's state has at most its length");
    this.bytes = bytes.clone();
  }

  /** The bytes; a copy. */
  public byte[] bytes() {
    return bytes.clone();
  }

  /** Whether there is nothing. */
  public boolean isEmpty() {
    return bytes.length == 0;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof EngineState that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return bytes.length + " bytes";
  }
}
