package io.sluice.channel;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;

/** The refusals of this module, each with its stable code. */
public final class Refusal {
  private Refusal() {}

  public static RefusedException noChannel(int channelId) {
    return new RefusedException(
        ChannelCode.NO_CHANNEL,
        Errno.ENOENT,
        "no such channel, cid=" + Integer.toUnsignedString(channelId),
        "");
  }

  public static RefusedException noAddressSpace(int vid) {
    return new RefusedException(
        ChannelCode.NO_ADDRESS_SPACE,
        Errno.ENOENT,
        "no such address space, vid=" + Integer.toUnsignedString(vid),
        "");
  }

  public static RefusedException noMemory(int handle) {
    return new RefusedException(
        ChannelCode.NO_MEMORY,
        Errno.EBADF,
        "no such memory handle, handle=" + Integer.toUnsignedString(handle),
        "");
  }

  public static RefusedException invalid(String what) {
    return new RefusedException(ChannelCode.INVALID, Errno.EINVAL, what, "");
  }

  public static RefusedException full(String table, int limit) {
    return new RefusedException(
        ChannelCode.TABLE_FULL,
        Errno.ENOMEM,
        "no more " + table + " for this guest, limit=" + limit,
        "Free some first.");
  }

  /** The guest's tables have as much of this process' heap as they may. */
  public static RefusedException heapFull(long usedBytes, long limitBytes) {
    return new RefusedException(
        ChannelCode.TABLE_FULL,
        Errno.ENOMEM,
        "no more heap for this guest's tables, bytes=" + usedBytes + " limit=" + limitBytes,
        "Free some first, or give the daemon more heap.");
  }

  /** Whether nothing but an entry of the guest's own makes room for what was refused. */
  public static boolean isOfFullTable(RefusedException refused) {
    return refused.code().equals(ChannelCode.TABLE_FULL.code());
  }

  public static RefusedException outOfMemory(String what, String remedy) {
    return new RefusedException(ChannelCode.OUT_OF_MEMORY, Errno.ENOMEM, what, remedy);
  }

  public static RefusedException busy(String what, String remedy) {
    return new RefusedException(ChannelCode.BUSY, Errno.EBUSY, what, remedy);
  }

  public static RefusedException closed(String guest) {
    return new RefusedException(
        ChannelCode.CLOSED, Errno.ENODEV, "the guest is gone, guest=" + guest, "");
  }

  public static RefusedException missing(Capability capability, String operation) {
    return new RefusedException(
        ChannelCode.CAPABILITY,
        Errno.EOPNOTSUPP,
        operation + " needs a capability that this GPU lacks, capability=" + capability,
        "Use a GPU that has it.");
  }

  public static RefusedException overLimit(String what, String guest, int limit) {
    return new RefusedException(
        ChannelCode.OVER_LIMIT,
        Errno.EDQUOT,
        "the guest has as many " + what + " as it may, guest=" + guest + " limit=" + limit,
        "Free some first, or raise the guest's limit in the configuration.");
  }

  public static RefusedException kept(String what, String guest, int free) {
    return new RefusedException(
        ChannelCode.KEPT_FOR_OTHERS,
        Errno.EDQUOT,
        "the last " + what + " are kept for guests without any, guest=" + guest + " free=" + free,
        "Free some, in this guest or another.");
  }

  public static RefusedException pagesAreNoFile(String gpu) {
    return new RefusedException(
        ChannelCode.NO_CONTROL_FILE,
        Errno.EOPNOTSUPP,
        "the control pages of this GPU are not one file that a guest could be given, gpu=" + gpu,
        "Give the guest another GPU; docs/adr/0005-no-guests-on-pscnv-cards.md says why.");
  }

  public static RefusedException with(Errno errno, String what) {
    return new RefusedException(ChannelCode.DRIVER, errno, what, "");
  }

  /** State records are refused unless something holds. */
  public static void unless(boolean holds, String what) {
    if (!holds) {
      throw unfit(what);
    }
  }

  /** State records do not fit together, or not here. */
  public static RefusedException unfit(String what) {
    return with(Errno.EPROTO, "state records do not fit together: " + what);
  }
}
