package io.sluice.abi;

/** The errors of the kernel's and the drivers' interfaces. */
public enum AbiCode implements ErrorEntry {
  // spotless:off
  SYSTEM_CALL("SLU-SYS-001", "A system call failed.", "The message names the call, its arguments and the errno.", "Look up the errno in the call's manual page."),
  PLATFORM("SLU-SYS-002", "The platform is not supported.", "It is not Linux on x86-64.", "Run Sluice on x86-64 Linux."),
  NATIVE_ACCESS("SLU-SYS-003", "Java may not call native code.", "It was started without --enable-native-access for Sluice.", "Start it with ./sluice, or add the flag that the message names."),
  DRIVER_VERSION("SLU-RM-001", "The version of the NVIDIA driver is not known.", "Its interface changes between versions, so only tested ones are used.", "Install one of the versions that the message names.");
  // spotless:on

  private final ErrorText text;

  AbiCode(String code, String meaning, String cause, String remedy) {
    text = new ErrorText(code, meaning, cause, remedy);
  }

  @Override
  public ErrorText text() {
    return text;
  }
}
