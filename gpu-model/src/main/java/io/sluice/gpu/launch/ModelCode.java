package io.sluice.gpu.launch;

import io.sluice.abi.ErrorEntry;
import io.sluice.abi.ErrorText;

/** The errors of the embedded GPU. */
enum ModelCode implements ErrorEntry {
  // spotless:off
  INTERPRETED("SLU-GPU-010", "A grid ran slowly; in the log only.", "More than 1 % of its instructions were interpreted, not compiled.", "Nothing is lost. Report the kernel if its speed matters.");
  // spotless:on

  private final ErrorText text;

  ModelCode(String code, String meaning, String cause, String remedy) {
    text = new ErrorText(code, meaning, cause, remedy);
  }

  @Override
  public ErrorText text() {
    return text;
  }
}
