package io.sluice.channel.nvidia.rm;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.rm.RmStatus;

/** The refusals of this backend, each with its stable code. */
public final class RmRefusal {
  private RmRefusal() {}

  /** RM has executed a call and says no. */
  static RefusedException status(String call, int status) {
    return new RefusedException(
        RmCode.REFUSED,
        RmStatus.errnoOf(status),
        "RM refused, call=" + call + " status=" + RmStatus.nameOf(status),
        "");
  }

  public static RefusedException notHopper(String gpu, String what) {
    return new RefusedException(
        RmCode.NOT_HOPPER,
        Errno.ENODEV,
        "not a GPU of the Hopper family, gpu=" + gpu + " missing=" + what,
        "Configure an H100, H200 or GH200, or the embedded GPU.");
  }

  public static RefusedException missing(String operation) {
    return new RefusedException(
        RmCode.UNSUPPORTED,
        Errno.EOPNOTSUPP,
        "this backend cannot do that, operation=" + operation,
        "Ask the GPU's capabilities first.");
  }

  public static RefusedException noRoom(String what) {
    return new RefusedException(RmCode.NO_ROOM, Errno.ENOMEM, what, "");
  }

  public static RefusedException invalid(String what) {
    return new RefusedException(RmCode.INVALID, Errno.EINVAL, what, "");
  }

  public static RefusedException notThere(String what) {
    return new RefusedException(RmCode.NOT_THERE, Errno.ENOENT, what, "");
  }

  public static RefusedException noClass(String what) {
    return new RefusedException(RmCode.NO_CLASS, Errno.ENODEV, what, "");
  }

  public static RefusedException busy(String what) {
    return new RefusedException(RmCode.BUSY, Errno.EBUSY, what, "");
  }

  public static RefusedException closed() {
    return new RefusedException(RmCode.CLOSED, Errno.ENODEV, "the GPU was closed", "");
  }

  public static RefusedException monitorStuck() {
    return new RefusedException(
        RmCode.MONITOR_STUCK,
        Errno.EIO,
        "the monitor channel did not finish in time",
        "See the kernel log for errors of the GPU.");
  }

  public static RefusedException noState(String what) {
    return new RefusedException(
        RmCode.NO_STATE, Errno.EPROTO, "no state of a channel: " + what, "");
  }

  public static RefusedException notBack() {
    return new RefusedException(
        RmCode.NOT_BACK, Errno.EIO, "a buffer could not be mapped again where it was", "");
  }

  public static RefusedException ringInVideoMemory() {
    return new RefusedException(
        RmCode.RING_IN_VIDEO_MEMORY,
        Errno.EOPNOTSUPP,
        "a ring in video memory, which no CPU reaches, cannot be taken back",
        "Have the guest keep its ring in its own memory; this channel runs on, but does not move.");
  }
}
