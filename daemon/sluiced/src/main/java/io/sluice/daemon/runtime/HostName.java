package io.sluice.daemon.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The name of this host, as its kernel has it; nobody is asked who could answer late. */
public final class HostName {
  private static final Path NAME = Path.of("/proc/sys/kernel/hostname");

  private HostName() {}

  /** Empty when it cannot be read. */
  public static String get() {
    try {
      return Files.readString(NAME).strip();
    } catch (IOException _) {
      return "";
    }
  }
}
