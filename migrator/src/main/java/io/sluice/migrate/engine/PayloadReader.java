package io.sluice.migrate.engine;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.migrate.link.Frame;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Reads the payload of a control frame of the peer's; refuses what is not its layout. */
final class PayloadReader {
  private final Frame frame;
  private final ByteBuffer in;

  PayloadReader(Frame frame) {
    this.frame = frame;
    in = frame.reader();
    require(frame.version() == 1, "has a layout that nobody knows");
  }

  int u32() {
    require(in.remaining() >= Integer.BYTES, "is cut off");
    return in.getInt();
  }

  long u64() {
    require(in.remaining() >= Long.BYTES, "is cut off");
    return in.getLong();
  }

  ByteBuffer bytes(int most) {
    int length = u32();
    require(length >= 0 && length <= most && length <= in.remaining(), "has a wrong length");
    ByteBuffer slice = in.slice(in.position(), length).order(ByteOrder.LITTLE_ENDIAN);
    in.position(in.position() + length);
    return slice;
  }

  /** How many of something follow. */
  int count(int most) {
    int count = u32();
    require(count >= 0 && count <= most, "has too many of something");
    return count;
  }

  ByteBuffer rest() {
    ByteBuffer slice = in.slice().order(ByteOrder.LITTLE_ENDIAN);
    in.position(in.limit());
    return slice;
  }

  String text(int mostBytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes(mostBytes)).toString();
    } catch (CharacterCodingException _) {
      throw bad("has a text that is none");
    }
  }

  void end() {
    require(!in.hasRemaining(), "is too long");
  }

  void require(boolean holds, String otherwise) {
    if (!holds) {
      throw bad(otherwise);
    }
  }

  private RefusedException bad(String how) {
    return new RefusedException(
        "SLU-MIG-012",
        Errno.EPROTO,
        "a frame " + how + ", type=" + frame.type() + " bytes=" + frame.payload().remaining(),
        "Both sides must run the same version of Sluice, or neighbouring ones.");
  }
}
