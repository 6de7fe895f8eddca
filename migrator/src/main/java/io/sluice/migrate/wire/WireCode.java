package io.sluice.migrate.wire;

import io.sluice.abi.ErrorEntry;
import io.sluice.abi.ErrorText;

/** The errors of links between hosts. */
enum WireCode implements ErrorEntry {
  // spotless:off
  PROTOCOL("SLU-NET-001", "The peer broke the migration protocol.", "It is faulty or hostile, or no daemon of Sluice.", "Check which program listens at that address."),
  ENDED("SLU-NET-002", "The other side has ended the link.", "It stopped, or gave the migration up.", "See the other daemon's log."),
  CLOSED("SLU-NET-003", "The link is closed.", "This side has ended it.", "Nothing; the first error says why."),
  CUT("SLU-NET-004", "The link was cut and did not come back.", "The other host, or the network, is down.", "See whether the other host runs and can be reached."),
  REFUSED("SLU-NET-005", "The other side refused the link.", "The message has its reason.", "See that reason, and the other daemon's log."),
  UNREACHABLE("SLU-NET-006", "The destination cannot be reached.", "Nothing listens there, or a firewall is between.", "Check the address, and [migration] listen of the destination."),
  UNTRUSTED("SLU-NET-007", "The two sides do not trust each other.", "A certificate is of another authority, out of its time, or of another name.", "See docs/migration.md, \"Certificates\"."),
  CERTIFICATE("SLU-NET-008", "A certificate or key cannot be used.", "The file is missing, unreadable or of another format, or the key is not the certificate's.", "Give PEM files; a key in PKCS#8: docs/migration.md, \"Certificates\"."),
  LISTEN("SLU-NET-009", "The daemon cannot listen for migrations.", "The address is taken, or not of this host.", "Choose another [migration] listen."),
  FORGOTTEN("SLU-NET-010", "A link that was cut is not known any more.", "It came back too late, or its daemon was restarted.", "Nothing; the migration decides what becomes of the guest."),
  TOO_MANY("SLU-NET-011", "Too many migrations come in.", "More at once than a daemon takes.", "Try again when some have ended."),
  NO_TUNNEL("SLU-NET-012", "Nothing waits for a machine's tunnel.", "Its migration has ended, or the peer is hostile.", "Try the migration again."),
  NO_QEMU("SLU-NET-013", "QEMU does not listen for the machine that comes.", "It has ended, or was started without -incoming defer.", "Start it with -S -incoming defer, and try again."),
  NO_ZSTD("SLU-NET-014", "Compression cannot be had.", "Java may not load the native library of zstd.", "Start Java with --enable-native-access=com.github.luben.zstd_jni, or do not compress."),
  NO_PLACE("SLU-NET-015", "The other side takes no session of this guest.", "Its [sessions] accept-from does not name this host, or it has as many as it takes.", "See the reason, and [sessions] of the other daemon's configuration."),
  NOT_WHOLE("SLU-NET-016", "A link did not become whole.", "Connections that the source announced did not come, or it is hostile.", "See whether something between the hosts holds single connections up.");
  // spotless:on

  private final ErrorText text;

  WireCode(String code, String meaning, String cause, String remedy) {
    text = new ErrorText(code, meaning, cause, remedy);
  }

  @Override
  public ErrorText text() {
    return text;
  }
}
