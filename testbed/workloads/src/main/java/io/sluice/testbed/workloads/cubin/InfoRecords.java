package io.sluice.testbed.workloads.cubin;

import java.io.ByteArrayOutputStream;

/**
 * Records of .nv.info: format, attribute, and either a value of two bytes or the size of what
 * follows.
 */
final class InfoRecords {
  /** Symbol; slot of a texture or surface. */
  static final int IMAGE_SLOT = 0x02;

  /** Symbol; base and size of the parameters in bank 0. */
  static final int PARAM_CBANK = 0x0a;

  /** Symbol; bytes of the frame. */
  static final int FRAME_SIZE = 0x11;

  /** Symbol; bytes of the stack at least. */
  static final int MIN_STACK_SIZE = 0x12;

  /** 0; index and offset of a parameter; its size and flags. */
  static final int KPARAM_INFO = 0x17;

  /** Bytes of all parameters. */
  static final int PARAM_SIZE = 0x19;

  /** Bytes of the call stack of a warp. */
  static final int CRS_STACK_SIZE = 0x1e;

  /** No pointee, no alignment known. */
  static final int KPARAM_FLAGS = 0x1f000;

  private static final int HALF_VALUE = 3;
  private static final int SIZED = 4;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  void add(int attribute, int... words) {
    bytes.write(SIZED);
    bytes.write(attribute);
    half(4 * words.length);
    for (int word : words) {
      half(word);
      half(word >>> 16);
    }
  }

  void addHalf(int attribute, int value) {
    bytes.write(HALF_VALUE);
    bytes.write(attribute);
    half(value);
  }

  private void half(int value) {
    bytes.write(value);
    bytes.write(value >>> 8);
  }

  byte[] bytes() {
    return bytes.toByteArray();
  }
}
