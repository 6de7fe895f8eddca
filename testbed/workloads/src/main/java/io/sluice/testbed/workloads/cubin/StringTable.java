package io.sluice.testbed.workloads.cubin;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Strings of an ELF file, one after the other; the first is empty. */
final class StringTable {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  StringTable() {
    bytes.write(0);
  }

  /** Adds a string; gives its offset. */
  int add(String text) {
    int offset = bytes.size();
    bytes.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    bytes.write(0);
    return offset;
  }

  byte[] bytes() {
    return bytes.toByteArray();
  }
}
