package io.sluice.abi.rm.program;

import java.util.Optional;

/**
 * The commands of UVM that CUDA programs use. The request word is the number itself. Source:
 * uvm_ioctl.h, uvm_linux_ioctl.h.
 */
public enum UvmCommand {
  CREATE_RANGE_GROUP(23, 16, 8),
  DESTROY_RANGE_GROUP(24, 16, 8),
  REGISTER_GPU_VASPACE(25, 32, 28, 16, 20),
  UNREGISTER_GPU_VASPACE(26, 20, 16),
  REGISTER_CHANNEL(27, 56, 48, 16, 20),
  UNREGISTER_CHANNEL(28, BlockShape.of("UNREGISTER_CHANNEL", 28).status(24).clients(16)),
  SET_RANGE_GROUP(31, 32, 24),
  MAP_EXTERNAL_ALLOCATION(33, 9264, 9260, 9248, 9252),
  FREE(34, 24, 16),
  REGISTER_GPU(37, 40, 36, 24, 28),
  UNREGISTER_GPU(38, 20, 16),
  PAGEABLE_MEM_ACCESS(39, 8, 4),
  SET_PREFERRED_LOCATION(42, 40, 36),
  UNSET_PREFERRED_LOCATION(43, 24, 16),
  ENABLE_READ_DUPLICATION(44, 24, 16),
  DISABLE_READ_DUPLICATION(45, 24, 16),
  SET_ACCESSED_BY(46, 40, 32),
  UNSET_ACCESSED_BY(47, 40, 32),
  MIGRATE(51, 80, 72),
  MAP_DYNAMIC_PARALLELISM_REGION(65, 40, 32),
  UNMAP_EXTERNAL(66, 40, 32),
  ALLOC_SEMAPHORE_POOL(68, 9248, 9240),
  VALIDATE_VA_RANGE(72, 24, 16),
  CREATE_EXTERNAL_RANGE(73, 24, 16),
  MM_INITIALIZE(75, BlockShape.of("MM_INITIALIZE", 8).status(4).descriptor(0)),
  INITIALIZE(0x3000_0001, 16, 8);

  private final int number;
  private final BlockShape shape;

  UvmCommand(int number, BlockShape shape) {
    this.number = number;
    this.shape = shape;
  }

  UvmCommand(int number, int bytes, int status) {
    this.number = number;
    this.shape = BlockShape.of(name(), bytes).status(status);
  }

  UvmCommand(int number, int bytes, int status, int descriptor, int client) {
    this.number = number;
    this.shape = BlockShape.of(name(), bytes).status(status).descriptor(descriptor).clients(client);
  }

  /** The request word. */
  public int number() {
    return number;
  }

  /** Its argument. */
  public BlockShape shape() {
    return shape;
  }

  /** The command of a request word. */
  public static Optional<UvmCommand> of(int number) {
    for (UvmCommand command : values()) {
      if (command.number == number) {
        return Optional.of(command);
      }
    }
    return Optional.empty();
  }
}
