package io.sluice.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.sys.RealKernel;
import io.sluice.daemon.config.ConfigException;
import io.sluice.daemon.config.ConfigLoader;
import io.sluice.daemon.guest.ChangeRate;
import io.sluice.guest.AttachedDevice;
import io.sluice.guest.Buffer;
import io.sluice.management.DaemonMXBean;
import io.sluice.management.NotificationTypes;
import io.sluice.management.ObjectNames;
import io.sluice.management.QuotaStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.Notification;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Quotas changed at run time, by the operations that sluicectl uses. */
final class QuotaOperationsTest {
  private static final long MIB = 1 << 20;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final MBeanServer beans = MBeanServerFactory.newMBeanServer();
  @TempDir private Path dir;
  private Path file;

  @BeforeEach
  void writeConfiguration() throws Exception {
    file =
        Files.writeString(
            dir.resolve("sluice.toml"),
            """
            [daemon]
            run-dir = "%s/run"
            state-dir = "%s/state"
            [gpu.embedded]
            vram = "64MiB"
            [[guest]]
            name = "a"
            vram-min = "16MiB"
            [[guest]]
            name = "b"
            """
                .formatted(dir, dir));
  }

  private SluicedInstance start() throws Exception {
    return SluicedInstance.start(
        new ConfigLoader(Map.of(), Map.of()).load(file),
        RealKernel.create(),
        MBeanServerFactory.newMBeanServer());
  }

  private static QuotaStatus quota(DaemonMXBean daemon, String guest) {
    return Objects.requireNonNull(daemon.getQuotas().get(guest));
  }

  // ---- refusals ----

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      delimiter = '|',
      value = {
        "-|-|-|-|-|nothing is to be changed",
        "-1|-|-|-|-|a minimum of -1B is out of range",
        "4097|-|-|-|-|a minimum of 4097B is out of range, or not of whole pages",
        "-9223372036854775808|-|-|-|-|choose 0B to the 64MiB of the GPU in multiples of 4KiB",
        "-|0|-|-|-|a weight of 0 is out of range",
        "-|1025|-|-|-|choose one of 1 to 1024",
        "-|-2147483648|-|-|-|is out of range",
        "-|-|0|-|-|a limit of 0B is out of range",
        "-|-|-4096|-|-|a limit of -4KiB is out of range",
        "-|-|-|swap|-|\"swap\" is not among the policies",
        "-|-|-|-|0|a kill-timeout of 0ms is out of range",
        "-|-|-|-|9|a kill-timeout of 9ms is out of range",
        "-|-|-|-|9223372036854775807|choose 10ms to 1h",
        "33554432|-|16777216|-|-|the minimum of 32MiB is more than the limit of 16MiB",
        "50331649|-|-|-|-|not of whole pages",
      })
  void setQuota_badValue_isRefusedAndNothingChanges(
      @Nullable Long minimum,
      @Nullable Integer weight,
      @Nullable Long limit,
      @Nullable String beyondShare,
      @Nullable Long killTimeoutMs,
      String expected)
      throws Exception {
    try (SluicedInstance instance = start()) {
      DaemonMXBean daemon = instance.daemon();
      Map<String, QuotaStatus> before = daemon.getQuotas();

      assertThatThrownBy(
              () -> daemon.setQuota("b", minimum, weight, limit, beyondShare, killTimeoutMs))
          .isInstanceOf(OperationsException.class)
          .hasMessageContaining("cannot change the quota of guest \"b\" [SLU-QUOTA-001]")
          .hasMessageContaining(expected);

      assertThat(daemon.getQuotas()).isEqualTo(before);
      assertThat(dir.resolve("state/quotas.toml")).doesNotExist();
    }
  }

  /** As guest create says it of the same mistake. */
  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {"67112960, -", "9223372036854771712, -", "-, 67112960", "-, 9223372036854771712"})
  void setQuota_moreThanTheGpuHas_isRefusedAsAtCreation(
      @Nullable Long minimum, @Nullable Long limit) throws Exception {
    try (SluicedInstance instance = start()) {
      assertThatThrownBy(() -> instance.daemon().setQuota("b", minimum, null, limit, null, null))
          .isInstanceOf(OperationsException.class)
          .hasMessageContaining("SLU-GUEST-009")
          .hasMessageContaining("its GPU has 64MiB of video memory, ");
    }
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      delimiter = '|',
      value = {
        "4097|-|-|-|-|SLU-QUOTA-001|a minimum of 4097B is out of range, or not of whole pages",
        "-|0|-|-|-|SLU-QUOTA-001|a weight of 0 is out of range",
        "-|-|0|-|-|SLU-QUOTA-001|a limit of 0B is out of range",
        "-|-|67112960|-|-|SLU-GUEST-009|its GPU has 64MiB of video memory, ",
        "-|-|-|swap|-|SLU-QUOTA-001|\"swap\" is not among the policies",
        "-|-|-|-|9|SLU-QUOTA-001|a kill-timeout of 9ms is out of range",
        "33554432|-|16777216|-|-|SLU-QUOTA-001|is more than the limit of 16MiB",
        "50335744|3|-|-|-|SLU-QUOTA-002|leave 48MiB of 64MiB on embedded, 49156KiB requested",
      })
  void createGuest_badQuota_createsNothing(
      @Nullable Long minimum,
      @Nullable Integer weight,
      @Nullable Long limit,
      @Nullable String beyondShare,
      @Nullable Long killTimeoutMs,
      String code,
      String expected)
      throws Exception {
    try (SluicedInstance instance = start()) {
      DaemonMXBean daemon = instance.daemon();
      Map<String, QuotaStatus> before = daemon.getQuotas();

      assertThatThrownBy(() ->
              daemon.createGuest("c", "", "", minimum, weight, limit, beyondShare, killTimeoutMs))
          .isInstanceOf(OperationsException.class)
          .hasMessageContaining("cannot create guest \"c\" [" + code + "]")
          .hasMessageContaining(expected);

      assertThat(daemon.getQuotas()).isEqualTo(before);
      assertThat(instance.guestSocket("c")).doesNotExist();
      assertThat(dir.resolve("state/guests.toml")).doesNotExist();
    }
  }

  @Test
  void setQuota_minimumThatDoesNotFit_isRefusedWithTheNumbers() throws Exception {
    try (SluicedInstance instance = start()) {
      assertThatThrownBy(
              () -> instance.daemon().setQuota("b", 48 * MIB + 4096, null, null, null, null))
          .hasMessage(
              """
              cannot change the quota of guest "b" [SLU-QUOTA-002]
              cause: the minimums of the other guests leave 48MiB of 64MiB on embedded, 49156KiB \
              requested
              fix: ask for a minimum of 48MiB or less, or lower another guest's: sluicectl quota \
              show\
              """);
      instance.daemon().setQuota("b", 48 * MIB, null, null, null, null);
    }
  }

  @Test
  void setQuota_unknownGuest_saysWhichThereAre() throws Exception {
    try (SluicedInstance instance = start()) {
      assertThatThrownBy(() -> instance.daemon().setQuota("x", 0L, null, null, null, null))
          .hasMessageContaining("SLU-GUEST-001");
      assertThatThrownBy(() -> instance.daemon().resetQuota("x"))
          .hasMessageContaining("SLU-GUEST-001");
    }
  }

  @Test
  void setQuota_thousandsASecond_areRefusedAndTheStateStays() throws Exception {
    try (SluicedInstance instance = start()) {
      DaemonMXBean daemon = instance.daemon();
      int taken = 0;
      int refused = 0;
      int last = 0;
      while (refused < 1000) {
        int weight = last % 1024 + 1;
        try {
          daemon.setQuota("a", null, weight, null, null, null);
          last = weight;
          taken++;
        } catch (OperationsException e) {
          assertThat(e).hasMessageContaining("SLU-QUOTA-007");
          refused++;
        }
      }
      assertThat(taken).isGreaterThanOrEqualTo(ChangeRate.BURST);
      assertThat(quota(daemon, "a").weight()).isEqualTo(last);
      String stored = Files.readString(dir.resolve("state/quotas.toml"));
      assertThat(stored).contains("weight = \"" + last + "\"");
    }
  }

  /** It was in the configuration, and taken out of it while the daemon was stopped. */
  @Test
  void createGuest_ofANameThatHadAQuotaOnce_getsWhatIsAskedFor() throws Exception {
    try (SluicedInstance instance = start()) {
      instance.daemon().setQuota("b", null, 7, 8 * MIB, null, null);
    }
    Path _ =
        Files.writeString(file, Files.readString(file).replace("[[guest]]\nname = \"b\"\n", ""));
    for (int i = 0; i < 2; i++) { // and after a restart
      try (SluicedInstance instance = start()) {
        if (i == 0) {
          instance.daemon().createGuest("b", "", 32 * MIB);
        }
        assertThat(quota(instance.daemon(), "b"))
            .extracting(QuotaStatus::limitBytes, QuotaStatus::weight)
            .containsExactly(32 * MIB, 1);
      }
    }
  }

  @Test
  void setQuota_thatCannotBeRemembered_isUndone() throws Exception {
    try (SluicedInstance instance = start()) {
      DaemonMXBean daemon = instance.daemon();
      Map<String, QuotaStatus> before = daemon.getQuotas();
      Path state = dir.resolve("state");
      Files.createDirectory(state.resolve("quotas.toml.new")); // in the way of what is written
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(state)))
          .isEqualTo("rwx------");

      assertThatThrownBy(() -> daemon.setQuota("a", null, 9, null, null, null))
          .hasMessageContaining("SLU-QUOTA-006")
          .hasMessageContaining("it cannot be remembered in " + state.resolve("quotas.toml"));

      assertThat(daemon.getQuotas()).isEqualTo(before);
    }
  }

  @Test
  void start_brokenQuotas_refuses() throws Exception {
    Files.writeString(
        Files.createDirectories(dir.resolve("state")).resolve("quotas.toml"),
        "[[guest]]\nname = \"a\"\nweight = \"0\"\n");

    assertThatThrownBy(this::start)
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("quotas.toml:3:1: \"0\" is no value of weight");
  }

  @Test
  void start_rememberedMinimumsThatDoNotFitAnyMore_refusesWithTheNumbers() throws Exception {
    try (SluicedInstance instance = start()) {
      instance.daemon().setQuota("b", 48 * MIB, null, null, null, null);
    }
    Files.writeString(
        file, Files.readString(file).replace("vram-min = \"16MiB\"", "vram-min = \"17MiB\""));

    assertThatThrownBy(this::start)
        .isInstanceOf(OperationsException.class)
        .hasMessageContaining("cannot serve guest \"b\" [SLU-QUOTA-002]")
        .hasMessageContaining("leave 47MiB of 64MiB on embedded, 48MiB requested");
  }

  // ---- what is right ----

  @Test
  void setQuota_restart_isThereAgainUntilReset() throws Exception {
    QuotaStatus set;
    try (SluicedInstance instance = start()) {
      DaemonMXBean daemon = instance.daemon();
      daemon.createGuest("c", "", 0);
      daemon.setQuota("a", 8 * MIB, 5, 32 * MIB, "system-memory", 150L);
      daemon.setQuota("c", null, 2, null, null, null);
      set = quota(daemon, "a");
      assertThat(set.changed()).isTrue();
      assertThat(set.minimumBytes()).isEqualTo(8 * MIB);
      assertThat(set.killTimeoutMs()).isEqualTo(150);
    }
    try (SluicedInstance instance = start()) {
      DaemonMXBean daemon = instance.daemon();
      assertThat(quota(daemon, "a")).isEqualTo(set);
      assertThat(quota(daemon, "c").weight()).isEqualTo(2);
      assertThat(quota(daemon, "b").changed()).isFalse();
      daemon.destroyGuest("c", false);
      daemon.createGuest("c", "", 0);
      assertThat(quota(daemon, "c").weight()).isEqualTo(1);
      daemon.resetQuota("a");
      assertThat(quota(daemon, "a").changed()).isFalse();
    }
    try (SluicedInstance instance = start()) {
      assertThat(quota(instance.daemon(), "a").minimumBytes()).isEqualTo(16 * MIB);
      assertThat(quota(instance.daemon(), "a").killTimeoutMs()).isEqualTo(2000);
    }
  }

  @Test
  void createGuest_withAQuota_hasItAtOnceAndAfterARestart() throws Exception {
    for (int i = 0; i < 2; i++) {
      try (SluicedInstance instance = start()) {
        DaemonMXBean daemon = instance.daemon();
        if (i == 0) {
          daemon.createGuest("c", "", "", 8 * MIB, 5, 32 * MIB, "system-memory", 150L);
          daemon.createGuest("d", "embedded", "", null, null, null, null, null);
        }
        assertThat(quota(daemon, "c"))
            .extracting(
                QuotaStatus::minimumBytes,
                QuotaStatus::weight,
                QuotaStatus::limitBytes,
                QuotaStatus::beyondShare,
                QuotaStatus::killTimeoutMs,
                QuotaStatus::changed)
            .containsExactly(8 * MIB, 5, 32 * MIB, "system-memory", 150L, false);
        assertThat(quota(daemon, "d"))
            .usingRecursiveComparison()
            .ignoringFields("guest", "shareBytes")
            .isEqualTo(quota(daemon, "b"));
      }
    }
  }

  /** Whatever was accepted is there after a restart, whatever else has changed meanwhile. */
  @Test
  void createGuest_smallLimitAndLargeMinimumsOneAfterTheOther_areThereAfterARestart()
      throws Exception {
    for (int i = 0; i < 2; i++) {
      try (SluicedInstance instance = start()) {
        DaemonMXBean daemon = instance.daemon();
        if (i == 0) {
          daemon.createGuest("c", "", "", null, null, 4096L, null, null);
          daemon.setQuota("b", null, null, 8192L, null, null);
          daemon.createGuest("d", "", "", 32 * MIB, null, null, null, null);
          daemon.setQuota("d", 0L, null, null, null, null);
          daemon.createGuest("e", "", "", 48 * MIB, null, null, null, null);
        }
        assertThat(quota(daemon, "c").limitBytes()).isEqualTo(4096);
        assertThat(quota(daemon, "b").limitBytes()).isEqualTo(8192);
        assertThat(quota(daemon, "d").minimumBytes()).isZero();
        assertThat(quota(daemon, "e").minimumBytes()).isEqualTo(48 * MIB);
      }
    }
  }

  @Test
  void setQuota_attachedGuests_evictsAndReturnsAtOnce() throws Exception {
    List<String> heard = new CopyOnWriteArrayList<>();
    try (SluicedInstance instance =
        SluicedInstance.start(
            new ConfigLoader(Map.of(), Map.of()).load(file), RealKernel.create(), beans)) {
      DaemonMXBean daemon = instance.daemon();
      beans.addNotificationListener(
          ObjectNames.DAEMON, (Notification n, Object _) -> heard.add(n.getType()), null, null);
      try (AttachedDevice a =
              AttachedDevice.attach(RealKernel.create(), instance.guestSocket("a"));
          Buffer first = a.allocateVideo(16 * MIB);
          Buffer second = a.allocateVideo(16 * MIB)) {
        assertThat(first.sizeBytes() + second.sizeBytes()).isEqualTo(32 * MIB);

        daemon.setQuota("a", null, null, 16 * MIB, null, null);

        assertThat(quota(daemon, "a").heldBytes()).isEqualTo(16 * MIB);
        assertThat(quota(daemon, "a").shareBytes()).isEqualTo(16 * MIB);
        assertThatThrownBy(() -> a.allocateVideo(MIB)).hasMessageContaining("MEM_ALLOC");
        daemon.setQuota("a", null, null, 64 * MIB, null, null);
        assertThat(quota(daemon, "a").heldBytes()).isEqualTo(32 * MIB);
        assertThat(quota(daemon, "a").refusals()).isEqualTo(1);
      }
      await()
          .atMost(PATIENCE)
          .until(() ->
              heard.containsAll(
                  List.of(
                      NotificationTypes.QUOTA_CHANGED,
                      NotificationTypes.QUOTA_MOVED,
                      NotificationTypes.QUOTA_EXCEEDED)));
    }
  }
}
