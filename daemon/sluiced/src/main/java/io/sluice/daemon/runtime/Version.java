package io.sluice.daemon.runtime;

import java.lang.module.ModuleDescriptor;

/** The version that runs. */
public final class Version {
  private Version() {}

  /** As the build stamped it on the module; {@code unknown} when run from the class path. */
  public static String get() {
    ModuleDescriptor module = Version.class.getModule().getDescriptor();
    return module == null ? "unknown" : module.rawVersion().orElse("unknown");
  }
}
