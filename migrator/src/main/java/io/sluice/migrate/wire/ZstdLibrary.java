package io.sluice.migrate.wire;

import com.github.luben.zstd.Zstd;
import org.jspecify.annotations.Nullable;

/**
 * The presence of zstd: its classes may be left out, and its native part may not be loaded. Apart
 * from {@link PageCompression}, which cannot even be asked without them.
 */
final class ZstdLibrary {
  private ZstdLibrary() {}

  /** Why it cannot be used; null when it can. */
  static @Nullable String unavailable() {
    try {
      return Zstd.compressBound(1) > 0 ? null : "it does not work";
    } catch (LinkageError | IllegalCallerException e) {
      return e.toString();
    }
  }
}
