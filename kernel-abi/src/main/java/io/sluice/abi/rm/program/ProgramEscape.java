package io.sluice.abi.rm.program;

import java.util.Optional;

/**
 * RM's escapes that CUDA programs use. Each has one size, or two when there are two forms of it.
 * Source: nv_escape.h, nv-ioctl-numbers.h, nvos.h.
 */
public enum ProgramEscape {
  ALLOC_MEMORY(0x27, BlockShape.of("NV_ESC_RM_ALLOC_MEMORY", 56).status(40).clients(0)),
  FREE(0x29, BlockShape.of("NV_ESC_RM_FREE", 16).status(12).clients(0)),
  CONTROL(0x2a, BlockShape.of("NV_ESC_RM_CONTROL", 32).status(28).clients(0)),
  ALLOC(0x2b, BlockShape.of("NV_ESC_RM_ALLOC", 48).status(40).clients(0)),
  MAP_MEMORY(0x4e, BlockShape.of("NV_ESC_RM_MAP_MEMORY", 56).status(40).clients(0).descriptor(48)),
  UNMAP_MEMORY(0x4f, BlockShape.of("NV_ESC_RM_UNMAP_MEMORY", 32).status(24).clients(0)),
  UPDATE_DEVICE_MAPPING_INFO(
      0x5e, BlockShape.of("NV_ESC_RM_UPDATE_DEVICE_MAPPING_INFO", 40).status(32).clients(0)),
  CARD_INFO(0xc8, BlockShape.of("NV_ESC_CARD_INFO", 2304)),
  REGISTER_FD(0xc9, BlockShape.of("NV_ESC_REGISTER_FD", 4).descriptor(0)),
  ALLOC_OS_EVENT(
      0xce, BlockShape.of("NV_ESC_ALLOC_OS_EVENT", 16).status(12).clients(0).descriptor(8)),
  FREE_OS_EVENT(
      0xcf, BlockShape.of("NV_ESC_FREE_OS_EVENT", 16).status(12).clients(0).descriptor(8)),
  CHECK_VERSION_STR(0xd2, BlockShape.of("NV_ESC_CHECK_VERSION_STR", 72)),
  SYS_PARAMS(0xd6, BlockShape.of("NV_ESC_SYS_PARAMS", 8)),
  NUMA_INFO(0xd7, BlockShape.of("NV_ESC_NUMA_INFO", 560)),
  WAIT_OPEN_COMPLETE(0xda, BlockShape.of("NV_ESC_WAIT_OPEN_COMPLETE", 8));

  private final int nr;
  private final BlockShape shape;

  ProgramEscape(int nr, BlockShape shape) {
    this.nr = nr;
    this.shape = shape;
  }

  /** The number in the request word. */
  public int nr() {
    return nr;
  }

  /** Its argument. */
  public BlockShape shape() {
    return shape;
  }

  /** The escape of a request word, if its argument has the size that the word says. */
  public static Optional<ProgramEscape> of(int request) {
    int size = request >>> 16 & 0x3fff;
    for (ProgramEscape escape : values()) {
      if (escape.nr == (request & 0xff) && escape.shape.bytes() == size) {
        return Optional.of(escape);
      }
    }
    return Optional.empty();
  }
}
