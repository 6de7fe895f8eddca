package io.sluice.gpu.fifo;

import io.sluice.gpu.engine.Outcome;
import io.sluice.gpu.mmu.FaultReason;
import io.sluice.gpu.mmu.GpuUnit;

/**
 * The error that ended a channel, as the control page and the events tell it: the first error is
 * the one that counts. Guarded as the channel is.
 */
final class ChannelFaults {
  private static final int WRITE = 1 << 8;
  private static final int UNIT_SHIFT = 16;
  private static final int SUBCHANNEL_SHIFT = 16;

  private final ChannelLife life;
  private final Runnable ended;
  private int reason;
  private int info;
  private long address;

  /**
   * @param ended runs once, when the channel has ended and it is known here why
   */
  ChannelFaults(ChannelLife life, Runnable ended) {
    this.life = life;
    this.ended = ended;
  }

  /** SLUICE_ERROR_*, 0 while the channel lives. */
  int reason() {
    return reason;
  }

  /** Detail of the error. */
  int info() {
    return info;
  }

  /** Address of the error. */
  long address() {
    return address;
  }

  /** Ends the channel, if it has not ended. */
  void end(int errorReason, int errorInfo, long errorAddress) {
    if (life.transition(ChannelLife.LifeStep.END)) {
      reason = errorReason;
      info = errorInfo;
      address = errorAddress;
      ended.run();
    }
  }

  /** Ends the channel. */
  Outcome fault(EndReason error, int errorInfo, long errorAddress) {
    end(error.code(), errorInfo, errorAddress);
    return Outcome.FAULT;
  }

  /** Ends the channel; the detail is 7..0 reason, 8 write, 31..16 unit. */
  Outcome pageFault(FaultReason why, boolean write, GpuUnit unit, long at) {
    return fault(
        EndReason.PAGE_FAULT, why.code() | (write ? WRITE : 0) | unit.code() << UNIT_SHIFT, at);
  }

  /** Ends the channel over a method; the detail is 15..0 method, 18..16 subchannel. */
  Outcome method(EndReason error, int subchannel, int method, int data) {
    return fault(error, method | subchannel << SUBCHANNEL_SHIFT, Integer.toUnsignedLong(data));
  }
}
