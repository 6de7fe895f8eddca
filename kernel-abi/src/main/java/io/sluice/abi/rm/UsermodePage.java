package io.sluice.abi.rm;

/** The page of HOPPER_USERMODE_A. Source: clc661.h. */
public final class UsermodePage {
  /** GPU time, lower half, nanoseconds. */
  public static final long TIME_LOW = 0x80;

  /** GPU time, upper half. */
  public static final long TIME_HIGH = 0x84;

  /** The doorbell: 32 bits, a channel's token. */
  public static final long DOORBELL = 0x90;

  /** Bytes that have to be mapped; the object has 64 KiB. */
  public static final long MAPPED_BYTES = 0x1000;

  private UsermodePage() {}
}
