package io.sluice.daemon.guest;

import io.sluice.channel.state.GuestLimits;
import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import io.sluice.management.Quantities;
import io.sluice.quota.BeyondShare;
import io.sluice.quota.InvalidQuotaException;
import io.sluice.quota.Quota;
import java.time.Duration;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;

/**
 * An operator's change of a quota; null leaves a value as it is.
 *
 * @param minimumBytes video memory the guest always gets
 * @param weight its part of what is shared
 * @param limitBytes most video memory it ever gets; all of the GPU's is no limit
 * @param beyondShare {@code out-of-memory} or {@code system-memory}
 * @param killTimeoutMs how long a command may last while another guest waits
 */
public record QuotaChange(
    @Nullable Long minimumBytes,
    @Nullable Integer weight,
    @Nullable Long limitBytes,
    @Nullable String beyondShare,
    @Nullable Long killTimeoutMs) {
  /** Whether it changes nothing. */
  boolean isNone() {
    return minimumBytes == null
        && weight == null
        && limitBytes == null
        && beyondShare == null
        && killTimeoutMs == null;
  }

  /**
   * The quota with the change. Whether it fits beside the others is checked elsewhere.
   *
   * @param failed what does not happen when a value is refused, for the message
   * @param cardBytes video memory of the GPU
   */
  Quota applyTo(Quota before, String failed, long cardBytes) throws OperationsException {
    if (isNone()) {
      throw refused(failed, "nothing is to be changed", "name at least one value");
    }
    long minimum = minimumBytes == null ? before.minimumBytes() : minimumBytes;
    long limit = limitBytes == null ? before.limitBytes() : limitBytes;
    int newWeight = weight == null ? before.weight() : weight;
    Duration killTimeout =
        killTimeoutMs == null ? before.killTimeout() : Duration.ofMillis(killTimeoutMs);
    checkSizes(failed, cardBytes);
    BeyondShare policy =
        beyondShare == null ? before.beyondShare() : beyondShare(failed, beyondShare);
    try {
      return new Quota(
          minimum, newWeight, limit == cardBytes ? Quota.NO_LIMIT : limit, policy, killTimeout);
    } catch (InvalidQuotaException e) {
      throw switch (e.rule()) {
        case MINIMUM, LIMIT -> throw new AssertionError("a size that was checked", e);
        case WEIGHT ->
            refused(
                failed,
                "a weight of " + newWeight + " is out of range",
                "choose one of 1 to " + Quota.MAX_WEIGHT);
        case KILL_TIMEOUT ->
            refused(
                failed,
                "a kill-timeout of " + killTimeout.toMillis() + "ms is out of range",
                "choose "
                    + Quantities.formatDuration(Quota.MIN_KILL_TIMEOUT)
                    + " to "
                    + Quantities.formatDuration(Quota.MAX_KILL_TIMEOUT));
        case MINIMUM_WITHIN_LIMIT ->
            refused(
                failed,
                "the minimum of "
                    + Quantities.formatSize(minimum)
                    + " is more than the limit of "
                    + Quantities.formatSize(limit),
                "lower one or raise the other");
      };
    }
  }

  /** A size that an operator names is of whole pages, and there on this GPU. */
  private void checkSizes(String failed, long cardBytes) throws OperationsException {
    checkSize(failed, "minimum", minimumBytes, 0, cardBytes);
    checkSize(failed, "limit", limitBytes, GuestLimits.PAGE_BYTES, cardBytes);
  }

  private static void checkSize(
      String failed, String what, @Nullable Long bytes, long least, long cardBytes)
      throws OperationsException {
    if (bytes != null && bytes > cardBytes) {
      throw moreThanThere(failed, bytes, cardBytes);
    }
    if (bytes != null && (bytes < least || bytes % GuestLimits.PAGE_BYTES != 0)) {
      throw wrongSize(failed, what, bytes, least, cardBytes);
    }
  }

  /** Video memory that is asked for, and that the GPU does not have. */
  private static OperationsException moreThanThere(String failed, long bytes, long cardBytes) {
    return Problem.of(
            ErrorCode.GUEST_VRAM,
            failed,
            "its GPU has "
                + Quantities.formatSize(cardBytes)
                + " of video memory, "
                + Quantities.formatSize(bytes)
                + " requested",
            "choose less")
        .exception();
  }

  private static OperationsException wrongSize(
      String failed, String what, long bytes, long least, long cardBytes) {
    return refused(
        failed,
        "a "
            + what
            + " of "
            + Quantities.formatSize(bytes)
            + " is out of range, or not of whole pages",
        "choose "
            + Quantities.formatSize(least)
            + " to the "
            + Quantities.formatSize(cardBytes)
            + " of the GPU in multiples of 4KiB");
  }

  private static BeyondShare beyondShare(String failed, String text) throws OperationsException {
    return BeyondShare.of(text)
        .orElseThrow(() ->
            refused(
                failed,
                "\"" + text + "\" is not among the policies beyond a share",
                "choose out-of-memory or system-memory"));
  }

  private static OperationsException refused(String failed, String cause, String fix) {
    return Problem.of(ErrorCode.QUOTA_VALUE, failed, cause, fix).exception();
  }
}
