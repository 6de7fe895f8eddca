package io.sluice.daemon.config;

import java.nio.file.Path;
import java.time.Duration;

/** A GPU to serve. */
public sealed interface GpuSettings {
  /** The operator's name for it. */
  String name();

  /**
   * The software GPU.
   *
   * @param vramBytes its video memory, a multiple of 128 KiB
   * @param spin how long a channel is watched without a pause
   */
  record Embedded(long vramBytes, Duration spin) implements GpuSettings {
    @Override
    public String name() {
      return Schema.EMBEDDED;
    }
  }

  /**
   * A card driven by pscnv.
   *
   * @param name the operator's name for it
   * @param device its DRM node
   */
  record Device(String name, Path device) implements GpuSettings {}
}
