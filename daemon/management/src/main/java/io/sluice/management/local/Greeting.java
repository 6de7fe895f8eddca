package io.sluice.management.local;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.StreamCorruptedException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The first words of the server on every connection; the layout stands in the package's
 * description.
 *
 * @param permitted whether the caller may go on
 * @param body the stub when permitted, otherwise the reason in UTF-8
 */
record Greeting(boolean permitted, byte[] body) {
  private static final byte[] MAGIC = "SLUICEJ1".getBytes(StandardCharsets.US_ASCII);
  private static final int HEADER_BYTES = 12;
  private static final int WELCOME = 0;
  private static final int NOT_PERMITTED = 1;

  /** More than any stub or reason needs, and less than a socket's buffer. */
  static final int MAX_BODY_BYTES = 1 << 16;

  static Greeting refusal(String reason) {
    return new Greeting(false, reason.getBytes(StandardCharsets.UTF_8));
  }

  ByteBuffer encode() {
    if (body.length > MAX_BODY_BYTES) {
      throw new IllegalArgumentException("greeting too long, bytes=" + body.length);
    }
    return ByteBuffer.allocate(HEADER_BYTES + body.length)
        .put(MAGIC)
        .putInt((permitted ? WELCOME : NOT_PERMITTED) << 24 | body.length)
        .put(body)
        .flip();
  }

  /**
   * @throws StreamCorruptedException when the peer is no sluiced, or one of another version
   */
  static Greeting read(InputStream from) throws IOException {
    DataInputStream in = new DataInputStream(from);
    byte[] magic = new byte[MAGIC.length];
    in.readFully(magic);
    if (!Arrays.equals(magic, MAGIC)) {
      throw new StreamCorruptedException("the greeting is not one of this version of sluice");
    }
    int word = in.readInt();
    int status = word >>> 24;
    int length = word & 0xff_ffff;
    if (status > NOT_PERMITTED || length > MAX_BODY_BYTES) {
      throw new StreamCorruptedException("greeting with status=" + status + " length=" + length);
    }
    byte[] body = new byte[length];
    in.readFully(body);
    return new Greeting(status == WELCOME, body);
  }

  /** Why the caller may not. */
  String reason() {
    return new String(body, StandardCharsets.UTF_8);
  }
}
