package io.sluice.gpu.fifo;

/** The reason for which a channel ended: SLUICE_ERROR_* of sluice_abi.h. */
public enum EndReason {
  /** The MMU refused an access. */
  PAGE_FAULT(1),
  /** The class has no such method, or not with this data. */
  ILLEGAL_METHOD(2),
  /** A pushbuffer word that is no command. */
  ILLEGAL_WORD(3),
  /** A ring entry that is none. */
  ILLEGAL_ENTRY(4),
  /** GP_PUT is not an index of the ring. */
  PUT_OVERFLOW(5),
  /** A method for a subchannel without an engine. */
  EMPTY_SUBCHANNEL(6),
  /** An operation word or address that is not one of a semaphore. */
  SEMAPHORE(7),
  /** An engine's own error code. */
  ENGINE(9),
  /** A warp did something wrong. */
  SM(10),
  /** The hardware could do this, the model cannot. */
  UNSUPPORTED(11),
  /** Guest memory it used was taken away. */
  REVOKED(12),
  /** Ended from outside without another reason. */
  OPERATOR(14),
  /** The host could not give the memory the channel was using, or the model has failed. */
  DEVICE(15);

  private final int code;

  EndReason(int code) {
    this.code = code;
  }

  /** The code. */
  public int code() {
    return code;
  }
}
