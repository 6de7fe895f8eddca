package io.sluice.abi.relay;

/**
 * The words of segment 0 by which a program in a machine and the relay reach each other, by their
 * offsets in bytes. Source: docs/relay-protocol.md, "In a machine".
 */
public final class RelaySession {
  /** U32: the program counts requests. */
  public static final long REQUESTS = 0x40;

  /** U32: the relay counts replies, and what it wants. */
  public static final long REPLIES = 0x80;

  /** U32: 0, or the index of a segment that the relay wants. */
  public static final long WANTED = 0x84;

  /** U64: bytes of that segment. */
  public static final long WANTED_BYTES = 0x88;

  /** U32 for each event: counts what the driver tells. */
  public static final long EVENTS = 0x200;

  /** How many events there are; they are numbered from 1. */
  public static final int MAX_EVENTS = 64;

  /** The message. */
  public static final long MESSAGE = 0x1000;

  /** {@code FILE} of MAP's reply: the page of the doorbell. */
  public static final int DOORBELL = 0xffff_ffff;

  private RelaySession() {}
}
