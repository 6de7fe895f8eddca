package io.sluice.daemon;

import io.sluice.daemon.config.QuotaSettings;
import io.sluice.daemon.config.QuotaSettings.BeyondShare;
import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import io.sluice.management.Quantities;
import io.sluice.quota.GuestQuota;
import java.time.Duration;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;

/**
 * What an operator wants changed of a quota; null leaves a value as it is.
 *
 * @param minimumBytes video memory the guest always gets
 * @param weight its part of what is shared
 * @param limitBytes most video memory it ever gets; all of the GPU's is no limit
 * @param beyondShare {@code out-of-memory} or {@code system-memory}
 * @param killTimeoutMs how long a command may last while another guest waits
 */
record QuotaChange(
    @Nullable Long minimumBytes,
    @Nullable Integer weight,
    @Nullable Long limitBytes,
    @Nullable String beyondShare,
    @Nullable Long killTimeoutMs) {
  private static final long PAGE_BYTES = 4096;

  /**
   * The quota with the change. Whether it fits beside the others is checked elsewhere.
   *
   * @param failed what does not happen when a value is refused, for the message
   * @param cardBytes video memory of the GPU
   */
  QuotaSettings applyTo(QuotaSettings before, String failed, long cardBytes)
      throws OperationsException {
    if (minimumBytes == null
        && weight == null
        && limitBytes == null
        && beyondShare == null
        && killTimeoutMs == null) {
      throw refused(failed, "nothing is to be changed", "name at least one value");
    }
    QuotaSettings after =
        new QuotaSettings(
            minimumBytes == null ? before.minimumBytes() : minimum(failed, minimumBytes, cardBytes),
            weight == null ? before.weight() : weight(failed, weight),
            limitBytes == null ? before.limitBytes() : limit(failed, limitBytes, cardBytes),
            beyondShare == null ? before.beyondShare() : beyondShare(failed, beyondShare),
            killTimeoutMs == null ? before.killTimeout() : killTimeout(failed, killTimeoutMs));
    if (after.limitBytes() != 0 && after.minimumBytes() > after.limitBytes()) {
      throw refused(
          failed,
          "the minimum of "
              + Quantities.formatSize(after.minimumBytes())
              + " is more than the limit of "
              + Quantities.formatSize(after.limitBytes()),
          "lower one or raise the other");
    }
    return after;
  }

  private static long minimum(String failed, long bytes, long cardBytes)
      throws OperationsException {
    if (bytes < 0 || bytes > cardBytes || bytes % PAGE_BYTES != 0) {
      throw refused(failed, bytes + " bytes are no minimum", sizes("0B", cardBytes));
    }
    return bytes;
  }

  private static long limit(String failed, long bytes, long cardBytes) throws OperationsException {
    if (bytes < PAGE_BYTES || bytes > cardBytes || bytes % PAGE_BYTES != 0) {
      throw refused(failed, bytes + " bytes are no limit", sizes("4KiB", cardBytes));
    }
    return bytes == cardBytes ? 0 : bytes;
  }

  private static int weight(String failed, int weight) throws OperationsException {
    if (weight < 1 || weight > GuestQuota.MAX_WEIGHT) {
      throw refused(
          failed, weight + " is no weight", "choose one of 1 to " + GuestQuota.MAX_WEIGHT);
    }
    return weight;
  }

  private static BeyondShare beyondShare(String failed, String text) throws OperationsException {
    return BeyondShare.of(text)
        .orElseThrow(() ->
            refused(
                failed,
                "\"" + text + "\" is nothing that an allocation beyond the share can get",
                "choose out-of-memory or system-memory"));
  }

  private static Duration killTimeout(String failed, long ms) throws OperationsException {
    if (ms < QuotaSettings.MIN_KILL_TIMEOUT.toMillis()
        || ms > QuotaSettings.MAX_KILL_TIMEOUT.toMillis()) {
      throw refused(
          failed,
          ms + " ms are no kill-timeout",
          "choose "
              + Quantities.formatDuration(QuotaSettings.MIN_KILL_TIMEOUT)
              + " to "
              + Quantities.formatDuration(QuotaSettings.MAX_KILL_TIMEOUT));
    }
    return Duration.ofMillis(ms);
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
