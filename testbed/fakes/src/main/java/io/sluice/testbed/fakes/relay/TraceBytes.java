package io.sluice.testbed.fakes.relay;

import java.io.ByteArrayOutputStream;
import java.util.HexFormat;

/**
 * Bytes as a word of text: two digits each, and runs of zeros as their number in brackets, since
 * most of what programs hand to NVIDIA's driver is zeros. No bytes are a dash.
 */
public final class TraceBytes {
  private static final int SHORTEST_RUN = 3;
  private static final String NONE = "-";
  private static final HexFormat HEX = HexFormat.of();

  private TraceBytes() {}

  /** The text of bytes. */
  public static String write(byte[] bytes) {
    if (bytes.length == 0) {
      return NONE;
    }
    StringBuilder text = new StringBuilder();
    int at = 0;
    while (at < bytes.length) {
      int zeros = zeros(bytes, at);
      if (zeros >= SHORTEST_RUN) {
        text.append('[').append(zeros).append(']');
        at += zeros;
      } else {
        text.append(HEX.toHexDigits(bytes[at++]));
      }
    }
    return text.toString();
  }

  private static int zeros(byte[] bytes, int from) {
    int end = from;
    while (end < bytes.length && bytes[end] == 0) {
      end++;
    }
    return end - from;
  }

  /**
   * The bytes of a text.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static byte[] read(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int at = text.equals(NONE) ? text.length() : 0;
    while (at < text.length()) {
      if (text.charAt(at) == '[') {
        int end = text.indexOf(']', at);
        bytes.writeBytes(new byte[Integer.parseInt(text, at + 1, end, 10)]);
        at = end + 1;
      } else {
        bytes.write(HexFormat.fromHexDigits(text, at, at + 2));
        at += 2;
      }
    }
    return bytes.toByteArray();
  }
}
