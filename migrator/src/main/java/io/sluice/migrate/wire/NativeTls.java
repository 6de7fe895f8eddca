package io.sluice.migrate.wire;

import io.netty.handler.ssl.OpenSsl;

/**
 * BoringSSL, which encrypts and decrypts memory outside the heap in place, if this Java may load it
 * and it is there for this machine; otherwise the JDK's own TLS is used, which wants arrays.
 */
final class NativeTls {
  private NativeTls() {}

  /** Whether it can be used. */
  static boolean isAvailable() {
    try {
      return OpenSsl.isAvailable();
    } catch (LinkageError | IllegalCallerException _) {
      return false;
    }
  }
}
