package io.sluice.abi.sandbox;

/** The capabilities that a program of ours keeps when it gives up all others; capabilities(7). */
public enum ProcessCapability {
  CHOWN(0),
  DAC_OVERRIDE(1),
  NET_BIND_SERVICE(10);

  private final int number;

  ProcessCapability(int number) {
    this.number = number;
  }

  /** The number in linux/capability.h. */
  public int number() {
    return number;
  }

  /** The bit in a set of capabilities. */
  public long bit() {
    return 1L << number;
  }
}
