package io.sluice.sluicectl;

import io.sluice.management.DaemonMXBean;
import io.sluice.management.GuestStatus;
import io.sluice.management.Quantities;
import io.sluice.management.QuotaStatus;
import io.sluice.management.local.LocalConnection;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluicectl quota …}. */
final class QuotaCommand extends Noun {
  private static final String GUEST = "Name, UUID, or GPU/NAME.";
  private static final String NO_LIMIT = "none";

  QuotaCommand(GlobalOptions global) {
    super(global, "quota", "What guests may have of their GPU.");
  }

  @Command(name = "show", description = "Quotas, and what guests hold.")
  int show(
      @Parameters(
              arity = "0..1",
              paramLabel = "GUEST|GPU",
              completionCandidates = Candidates.Guests.class,
              description = "A guest, or the guests of a GPU; all when left out.")
          @Nullable String name)
      throws IOException {
    try (LocalConnection connection = global.connect()) {
      DaemonMXBean daemon = connection.daemon();
      List<QuotaStatus> quotas = List.copyOf(new TreeMap<>(daemon.getQuotas()).values());
      if (name != null && daemon.getGpus().containsKey(name)) {
        quotas = quotas.stream().filter(quota -> quota.gpu().equals(name)).toList();
      } else if (name != null) {
        String guest = GuestNames.find(daemon.getGuests(), name).name();
        quotas = quotas.stream().filter(quota -> quota.guest().equals(guest)).toList();
      }
      global.output().list(Views.QUOTAS, quotas);
    }
    return ExitCode.OK;
  }

  @Command(
      name = "set",
      description = {
        "Changes a guest's quota, at once and over restarts. What is left out stays as it is; what"
            + " does not fit is refused with the numbers, and nothing has changed then."
      })
  int set(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String name,
      @Mixin Parts parts)
      throws IOException, OperationsException {
    Long minimumBytes = parts.minimumBytes();
    Long limitBytes = parts.limitBytes();
    Long killTimeoutMs = parts.killTimeoutMs();
    if (parts.areNone()) {
      throw new ParameterException(verb("set"), "an option that changes something is missing");
    }
    try (LocalConnection connection = global.connect()) {
      DaemonMXBean daemon = connection.daemon();
      GuestStatus guest = GuestNames.find(daemon.getGuests(), name);
      if (parts.isUnlimited()) {
        limitBytes = Objects.requireNonNull(daemon.getGpus().get(guest.gpu())).vramBytes();
      }
      daemon.setQuota(
          guest.name(), minimumBytes, parts.weight, limitBytes, parts.beyondShare, killTimeoutMs);
      printAfter(daemon, guest.name());
    }
    return ExitCode.OK;
  }

  /** The parts of a quota, as options of whatever sets them. */
  static final class Parts {
    @Spec(Spec.Target.MIXEE)
    @Nullable CommandSpec command;

    @Option(
        names = "--vram-min",
        paramLabel = "SIZE",
        description = "Video memory it always gets, such as 512MiB, or 0B.")
    @Nullable String minimum;

    @Option(
        names = "--vram-limit",
        paramLabel = "SIZE",
        description = "Most video memory it ever gets, such as 1GiB, or none.")
    @Nullable String limit;

    @Option(
        names = "--weight",
        paramLabel = "N",
        description = "Its part of what is shared, memory and time: 1 to 1024.")
    @Nullable Integer weight;

    @Option(
        names = "--beyond-share",
        completionCandidates = Candidates.BeyondShareNames.class,
        paramLabel = "POLICY",
        description = "What an allocation beyond its share gets: out-of-memory or system-memory.")
    @Nullable String beyondShare;

    @Option(
        names = "--kill-timeout",
        paramLabel = "DURATION",
        description = "How long a command may last while another guest waits, such as 2s or 500ms.")
    @Nullable String killTimeout;

    boolean areNone() {
      return limit == null && isLimitAtMost();
    }

    /** Whether nothing but a limit is given, if that. */
    boolean isLimitAtMost() {
      return minimum == null && weight == null && beyondShare == null && killTimeout == null;
    }

    /** Whether it says that there is no limit. */
    boolean isUnlimited() {
      return NO_LIMIT.equals(limit);
    }

    @Nullable Long minimumBytes() {
      return minimum == null ? null : size(minimum, "--vram-min");
    }

    /** Null also where there is none. */
    @Nullable Long limitBytes() {
      return limit == null || isUnlimited() ? null : size(limit, "--vram-limit");
    }

    @Nullable Long killTimeoutMs() {
      return killTimeout == null ? null : duration(killTimeout);
    }

    private long size(String text, String option) {
      return Quantities.parseSize(text)
          .orElseThrow(
              () -> misused(option + " takes a size such as 512MiB or 2GiB, not \"" + text + "\""));
    }

    private long duration(String text) {
      return Quantities.parseDuration(text)
          .filter(duration -> duration.toNanos() % 1_000_000 == 0)
          .orElseThrow(() ->
              misused(
                  "--kill-timeout takes a duration in whole milliseconds such as 2s or 500ms, not"
                      + " \""
                      + text
                      + "\""))
          .toMillis();
    }

    private ParameterException misused(String what) {
      return new ParameterException(Objects.requireNonNull(command).commandLine(), what);
    }
  }

  @Command(
      name = "reset",
      description = "Gives a guest the quota that the configuration, or its creation, says.")
  int reset(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String name)
      throws IOException, OperationsException {
    try (LocalConnection connection = global.connect()) {
      DaemonMXBean daemon = connection.daemon();
      String guest = GuestNames.find(daemon.getGuests(), name).name();
      daemon.resetQuota(guest);
      printAfter(daemon, guest);
    }
    return ExitCode.OK;
  }

  private void printAfter(DaemonMXBean daemon, String guest) {
    Map<String, QuotaStatus> quotas = daemon.getQuotas();
    global
        .output()
        .list(
            Views.QUOTAS,
            quotas.values().stream().filter(quota -> quota.guest().equals(guest)).toList());
  }
}
