package io.sluice.channel.nvidia.relay;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import java.util.Optional;

/**
 * The address space behind a file of UVM: its ranges, and what of the program's is mapped there.
 */
final class UvmSpace {
  /** The counts of a program's ranges and maps, in all its address spaces of UVM together. */
  static final class Counts {
    /** Most ranges, and most maps; one each for a cudaMalloc. */
    static final int MAX_MAPS = 1 << 16;

    /** Most ranges that are pages of ours. */
    static final int MAX_RANGES = 4096;

    int externalRanges;
    int maps;
    int ranges;

    /**
     * Whether there is room for one more range and one more map.
     *
     * @throws RefusedException SLU-RLY-002
     */
    void requireMap() {
      if (externalRanges >= MAX_MAPS || maps >= MAX_MAPS) {
        throw tooMany("maps", MAX_MAPS);
      }
    }

    /** The same for a range that is pages of ours. */
    void requireRange() {
      if (ranges >= MAX_RANGES) {
        throw tooMany("ranges", MAX_RANGES);
      }
    }

    private static RefusedException tooMany(String what, int most) {
      return new RefusedException(
          RelayCode.TOO_MANY, Errno.ENOMEM, "too many " + what + " of UVM, most=" + most, "");
    }
  }

  private final ProgramFile file;
  private final UvmRanges ranges;
  private final ExternalMaps external;
  private Optional<byte[]> attributes = Optional.empty();

  /**
   * @param counts of all spaces of the program
   */
  UvmSpace(ProgramFile file, ProgramObjects objects, Counts counts) {
    this.file = file;
    ranges = new UvmRanges(counts);
    external = new ExternalMaps(objects, counts);
  }

  ProgramFile file() {
    return file;
  }

  /** Ranges that are pages of ours. */
  UvmRanges ranges() {
    return ranges;
  }

  /** Objects of the program's in external ranges. */
  ExternalMaps external() {
    return external;
  }

  /** How each GPU maps the semaphores: what is made later is mapped alike. */
  Optional<byte[]> attributes() {
    return attributes;
  }

  void setAttributes(byte[] how) {
    attributes = Optional.of(how);
  }
}
