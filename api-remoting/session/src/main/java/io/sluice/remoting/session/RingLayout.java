package io.sluice.remoting.session;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The layout of a session's segment 0, little-endian words of 32 bits; docs/session-protocol.md.
 *
 * <pre>
 * 0x000 magic, version (application, before the hello)
 * 0x040 submit head: bytes ever written (application)    0x080 submit tail: bytes ever taken (host)
 * 0x0c0 host sleeping: ring the doorbell (host sets 1, application exchanges 0)
 * 0x100 notice head: ever written (host)                 0x140 notice tail: ever taken (application)
 * 0x180 notice sleeping: a futex word (application sets 1, host exchanges 0)
 * 0x1c0 state: 0 serves, else the errno it ended with (host); a futex word
 * 0x200 notices wait for room: 0 or 1 (host)
 * 0x1000 answers: 64 of 128 bytes: u32 state (a futex word), i32 status, u64 values[15] (host)
 * 0x3000 callers: 64 of 64 bytes: u32 1 while the caller of the answer sleeps (application)
 * 0x4000 notices: 1024 of 16 bytes: u32 kind, i32 status, u32 index, u32 0
 * 0x8000 submission ring, 256 KiB
 * 0x48000 the application's own
 * </pre>
 */
public final class RingLayout {
  static final long SUBMIT_HEAD = 0x40;
  static final long SUBMIT_TAIL = 0x80;
  public static final long HOST_SLEEPING = 0xc0;
  static final long NOTICE_HEAD = 0x100;
  static final long NOTICE_TAIL = 0x140;
  static final long NOTICE_SLEEPING = 0x180;
  static final long STATE = 0x1c0;
  static final long NOTICES_WAIT = 0x200;
  static final long ANSWERS = 0x1000;
  static final int ANSWER_COUNT = 64;
  static final long ANSWER_BYTES = 128;
  static final int ANSWER_VALUES = 15;
  static final long CALLERS = 0x3000;
  static final long CALLER_BYTES = 64;
  static final long NOTICES = 0x4000;
  static final int NOTICE_COUNT = 1024;
  static final long NOTICE_BYTES = 16;
  static final long RING = 0x8000;
  static final int RING_BYTES = 256 << 10;
  static final long ARENA = RING + RING_BYTES;

  /** Bytes of a message's header. */
  public static final int HEADER_BYTES = 16;

  /** Most bytes of a message. */
  static final int MESSAGE_BYTES = 16 << 10;

  /** A word of 32 bits. */
  public static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();

  private RingLayout() {}
}
