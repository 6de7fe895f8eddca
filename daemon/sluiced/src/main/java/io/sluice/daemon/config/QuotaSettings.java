package io.sluice.daemon.config;

import io.sluice.management.QuotaStatus;
import java.time.Duration;
import java.util.Optional;

/**
 * What a guest may have of its GPU, as the configuration or an operator says.
 *
 * @param minimumBytes video memory it always gets
 * @param weight its part of what is shared, memory and time: 1 to 1024
 * @param limitBytes most video memory it ever gets; 0 for all of the GPU's
 * @param beyondShare what an allocation beyond its share gets
 * @param killTimeout how long a command of it may last while another guest waits
 */
public record QuotaSettings(
    long minimumBytes, int weight, long limitBytes, BeyondShare beyondShare, Duration killTimeout) {
  /** What a guest has of which nothing is said. */
  public static final QuotaSettings DEFAULT =
      new QuotaSettings(0, 1, 0, BeyondShare.OUT_OF_MEMORY, Duration.ofSeconds(2));

  /** Shortest kill-timeout. */
  public static final Duration MIN_KILL_TIMEOUT = Duration.ofMillis(10);

  /** Longest kill-timeout. */
  public static final Duration MAX_KILL_TIMEOUT = Duration.ofHours(1);

  /** What an allocation beyond the share gets. */
  public enum BeyondShare {
    /** ENOMEM. */
    OUT_OF_MEMORY(QuotaStatus.OUT_OF_MEMORY),
    /** System memory, where the GPU can evict. */
    SYSTEM_MEMORY(QuotaStatus.SYSTEM_MEMORY);

    private final String text;

    BeyondShare(String text) {
      this.text = text;
    }

    /** As an operator writes it. */
    public String text() {
      return text;
    }

    /** The value of a text; empty when it is none. */
    public static Optional<BeyondShare> of(String text) {
      for (BeyondShare each : values()) {
        if (each.text.equals(text)) {
          return Optional.of(each);
        }
      }
      return Optional.empty();
    }
  }

  /** With another limit. */
  public QuotaSettings withLimit(long bytes) {
    return new QuotaSettings(minimumBytes, weight, bytes, beyondShare, killTimeout);
  }
}
