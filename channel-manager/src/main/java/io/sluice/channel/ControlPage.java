package io.sluice.channel;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Our half of a channel's control page: {@code struct sluice_control} at 0x200, written by the host
 * only. A guest can store there too; nothing here is ever read back, so that can hurt the guest
 * alone.
 *
 * <pre>
 *   +00 generation     0 while the rest must not be believed; stored last when it counts again
 *   +04 doorbell token
 *   +08 state          SLUICE_CHANNEL_*
 *   +0c error          SLUICE_ERROR_*
 *   +10 error_info
 *   +14 error_seq      stored last (release) of an error's words
 *   +18 error_address
 *   +20 error_time_ns
 * </pre>
 */
final class ControlPage {
  /** Bytes of a control page. */
  static final long PAGE_BYTES = 4096;

  /** Offset of {@code struct sluice_control}. */
  static final long OFFSET = 0x200;

  private static final ValueLayout.OfInt U32 =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong U64 =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle WORD = U32.varHandle();
  private static final VarHandle LONG_WORD = U64.varHandle();

  private static final long GENERATION = 0x00;
  private static final long DOORBELL_TOKEN = 0x04;
  private static final long STATE = 0x08;
  private static final long ERROR = 0x0c;
  private static final long ERROR_INFO = 0x10;
  private static final long ERROR_SEQ = 0x14;
  private static final long ERROR_ADDRESS = 0x18;
  private static final long ERROR_TIME_NS = 0x20;

  static {
    assert MemoryLayout.structLayout(U32, U32, U32, U32, U32, U32, U64, U64).byteSize() == 0x28;
  }

  private final MemorySegment control;
  private int errors;

  /**
   * @param pages the mapped control pages
   * @param index index of this one
   */
  ControlPage(MemorySegment pages, int index) {
    control = pages.asSlice(index * PAGE_BYTES + OFFSET, PAGE_BYTES - OFFSET);
  }

  /** Makes the page count, with a state and no error. */
  void publish(int generation, int token, int state) {
    withdraw();
    setWord(DOORBELL_TOKEN, token);
    setWord(STATE, state);
    setWord(ERROR, 0);
    setWord(ERROR_INFO, 0);
    LONG_WORD.setOpaque(control, ERROR_ADDRESS, 0L);
    LONG_WORD.setOpaque(control, ERROR_TIME_NS, 0L);
    WORD.setRelease(control, ERROR_SEQ, errors);
    WORD.setRelease(control, GENERATION, generation);
  }

  /** Nobody may believe the page until it is published. */
  void withdraw() {
    setWord(GENERATION, 0);
    VarHandle.fullFence();
  }

  void setState(int state) {
    WORD.setRelease(control, STATE, state);
  }

  /** Tells why the channel ended; the sequence number last. */
  void setError(ChannelError error, int state) {
    setWord(ERROR, error.reason());
    setWord(ERROR_INFO, error.info());
    LONG_WORD.setOpaque(control, ERROR_ADDRESS, error.address());
    LONG_WORD.setOpaque(control, ERROR_TIME_NS, error.timeNs());
    setWord(STATE, state);
    WORD.setRelease(control, ERROR_SEQ, ++errors);
  }

  private void setWord(long offset, int value) {
    WORD.setOpaque(control, offset, value);
  }
}
