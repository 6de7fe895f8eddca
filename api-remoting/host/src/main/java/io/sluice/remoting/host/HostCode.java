package io.sluice.remoting.host;

import io.sluice.abi.ErrorEntry;
import io.sluice.abi.ErrorText;

/** The errors of session hosts. */
enum HostCode implements ErrorEntry {
  // spotless:off
  NO_LANDLOCK("SLU-SES-001", "A session host cannot be confined.", "The kernel has no Landlock, or it is switched off.", "Run Linux 5.13 or newer with lsm=landlock, or set sessions.sandbox to best-effort.");
  // spotless:on

  private final ErrorText text;

  HostCode(String code, String meaning, String cause, String remedy) {
    text = new ErrorText(code, meaning, cause, remedy);
  }

  @Override
  public ErrorText text() {
    return text;
  }
}
