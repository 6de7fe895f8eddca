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
  /**
   * The quota with the change. Whether it fits beside the others is checked elsewhere.
   *
   * @param failed what does not happen when a value is refused, for the message
   * @param cardBytes video memory of the GPU
   */
  Quota applyTo(Quota before, String failed, long cardBytes) throws OperationsException {
    if (minimumBytes == null
        && weight == null
        && limitBytes == null
        && beyondShare == null
        && killTimeoutMs == null) {
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
        case MINIMUM -> refused(failed, minimum + " bytes are no minimum", sizes("0B", cardBytes));
        case LIMIT -> refused(failed, limit + " bytes are no limit", sizes("4KiB", cardBytes));
        case WEIGHT ->
            refused(failed, newWeight + " is no weight", "choose one of 1 to " + Quota.MAX_WEIGHT);
        case KILL_TIMEOUT ->
            refused(
                failed,
                killTimeout.toMillis() + " ms are no kill-timeout",
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
    if (minimumBytes != null && !isSize(minimumBytes, 0, cardBytes)) {
      throw refused(failed, minimumBytes + " bytes are no minimum", sizes("0B", cardBytes));
    }
    if (limitBytes != null && !isSize(limitBytes, GuestLimits.PAGE_BYTES, cardBytes)) {
      throw refused(failed, limitBytes + " bytes are no limit", sizes("4KiB", cardBytes));
    }
  }

  private static boolean isSize(long bytes, long least, long most) {
    return bytes >= least && bytes <= most && bytes % GuestLimits.PAGE_BYTES == 0;
  }

  private static BeyondShare beyondShare(String failed, String text) throws OperationsException {
    return BeyondShare.of(text)
        .orElseThrow(() ->
            refused(
                failed,
                "\"" + text + "\" is nothing that an allocation beyond the share can get",
                "choose out-of-memory or system-memory"));
  }

  private static String sizes(String least, long cardBytes) {
    return "choose "
        + least
        + " to the "
        + Quantities.formatSize(cardBytes)
        + " of the GPU in multiples of 4KiB";
  }

  private static OperationsException refused(String failed, String cause, String fix) {
    return Problem.of(ErrorCode.QUOTA_VALUE, failed, cause, fix).exception();
  }
}
