package io.sluice.daemon.config;

import java.nio.file.Path;
import java.time.Duration;

/** A GPU to serve. */
public sealed interface GpuSettings {
  /** The operator's name for it. */
  String name();

  /** How long after an interrupt to look for the next without sleeping; zero for never. */
  Duration interruptSpin();

  /**
   * The software GPU.
   *
   * @param vramBytes its video memory, a multiple of 128 KiB
   * @param spin how long a channel is watched without a pause
   * @param interruptSpin how long after an interrupt to look for the next without sleeping
   * @param excessLimit a guest found this many times touching memory it never allocated is detached
   * @param gridHeapBytes most of the daemon's heap that the grids of one guest take
   */
  record Embedded(
      long vramBytes, Duration spin, Duration interruptSpin, int excessLimit, long gridHeapBytes)
      implements GpuSettings {
    @Override
    public String name() {
      return Schema.EMBEDDED;
    }
  }

  /**
   * A card.
   *
   * @param name the operator's name for it
   * @param device its node: of DRM for one driven by pscnv, or {@code /dev/nvidia0}
   * @param interruptSpin how long after an interrupt to look for the next without sleeping
   * @param stagingBytes host memory that is made ready for evictions
   */
  record Device(String name, Path device, Duration interruptSpin, long stagingBytes)
      implements GpuSettings {}
}
