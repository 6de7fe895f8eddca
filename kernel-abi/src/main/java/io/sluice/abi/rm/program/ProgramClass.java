package io.sluice.abi.rm.program;

import java.util.Optional;

/**
 * The classes of RM's objects that CUDA programs make. What they have without being told the size
 * is in the table: libcuda says 0. Source: cl*.h, nvos.h.
 */
public enum ProgramClass {
  NV01_ROOT(0x0, BlockShape.of("NV01_ROOT", 4).clients(0)),
  NV01_MEMORY_SYSTEM(0x3e, 128),
  NV01_MEMORY_LOCAL_USER(0x40, 128),
  NV01_ROOT_CLIENT(0x41, BlockShape.of("NV01_ROOT_CLIENT", 4).clients(0)),
  NV01_EVENT_OS_EVENT(0x79, BlockShape.of("NV01_EVENT_OS_EVENT", 24).clients(0).descriptor(16)),
  NV01_DEVICE_0(0x80, BlockShape.of("NV01_DEVICE_0", 56).clients(4, 8)),
  RM_USER_SHARED_DATA(0xde, 8),
  NV20_SUBDEVICE_0(0x2080, 4),
  NV2081_BINAPI(0x2081, 4),
  NV50_THIRD_PARTY_P2P(0x503c, 4),
  NV50_MEMORY_VIRTUAL(0x50a0, 128),
  GT200_DEBUGGER(0x83de, BlockShape.of("GT200_DEBUGGER", 12).clients(0, 4)),
  FERMI_CONTEXT_SHARE_A(0x9067, 12),
  GF100_SUBDEVICE_MASTER(0x90e6, 0),
  FERMI_VASPACE_A(0x90f1, 56),
  KEPLER_CHANNEL_GROUP_A(0xa06c, 20),
  HOPPER_USERMODE_A(0xc661, 2),
  HOPPER_CHANNEL_GPFIFO_A(0xc86f, 368),
  HOPPER_DMA_COPY_A(0xc8b5, 8),
  NV_CONFIDENTIAL_COMPUTE(0xcb33, BlockShape.of("NV_CONFIDENTIAL_COMPUTE", 4).clients(0)),
  HOPPER_COMPUTE_A(0xcbc0, 16);

  private final int number;
  private final BlockShape shape;

  ProgramClass(int number, int bytes) {
    this.number = number;
    this.shape = BlockShape.of(name(), bytes);
  }

  ProgramClass(int number, BlockShape shape) {
    this.number = number;
    this.shape = shape;
  }

  /** The class number. */
  public int number() {
    return number;
  }

  /** Its block. */
  public BlockShape shape() {
    return shape;
  }

  /** The class of a number. */
  public static Optional<ProgramClass> of(int number) {
    for (ProgramClass type : values()) {
      if (type.number == number) {
        return Optional.of(type);
      }
    }
    return Optional.empty();
  }
}
