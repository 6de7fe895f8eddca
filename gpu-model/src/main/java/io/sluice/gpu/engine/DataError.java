package io.sluice.gpu.engine;

/** PGRAPH's DATA_ERROR codes (register 0x400110), as far as the model raises them. */
final class DataError {
  static final int INVALID_VALUE = 0x04;
  static final int INVALID_ENUM = 0x05;
  static final int ALIGNMENT = 0x0b;

  private DataError() {}
}
