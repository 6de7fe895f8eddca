package io.sluice.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.daemon.config.ConfigLoader;
import io.sluice.daemon.config.DaemonConfig;
import io.sluice.guest.AttachedDevice;
import io.sluice.management.DaemonMXBean;
import io.sluice.management.QuotaStatus;
import io.sluice.management.ReloadedSetting;
import io.sluice.management.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.management.MBeanServerFactory;
import javax.management.OperationsException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real daemon whose configuration changes while it serves. */
final class ConfigReloadTest {
  private static final Kernel KERNEL = RealKernel.create();
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String GUESTS =
      """
      [[guest]]
      name = "a"
      vram-min = "16MiB"
      [[guest]]
      name = "b"
      """;

  @TempDir private Path dir;

  /** What happens before the configuration is read anew. */
  private Runnable beforeReading = () -> {};

  @SuppressWarnings("NullAway.Init")
  private SluicedInstance running;

  @SuppressWarnings("NullAway.Init")
  private DaemonMXBean daemon;

  @BeforeEach
  void start() throws Exception {
    write("64MiB", GUESTS);
    ConfigLoader loader = new ConfigLoader(Map.of(), Map.of());
    running =
        SluicedInstance.start(
            loader.load(file()),
            () -> {
              beforeReading.run();
              return loader.load(file());
            },
            KERNEL,
            MBeanServerFactory.newMBeanServer());
    daemon = running.daemon();
  }

  @AfterEach
  void stop() {
    running.close();
  }

  private Path file() {
    return dir.resolve("sluice.toml");
  }

  private void write(String vram, String more) throws IOException {
    Files.writeString(
        file(),
        """
        [daemon]
        run-dir = "%s/run"
        state-dir = "%s/state"
        [gpu.embedded]
        vram = "%s"
        """
                .formatted(dir, dir, vram)
            + more);
  }

  /** Settings that have changed, with what became of them. */
  private List<ReloadedSetting> reload(String vram, String more) throws Exception {
    write(vram, more);
    return daemon.reload();
  }

  private QuotaStatus quota(String guest) {
    return Objects.requireNonNull(daemon.getQuotas().get(guest));
  }

  private boolean isAttached(String guest) {
    return Objects.requireNonNull(daemon.getGuests().get(guest)).clientPid() != 0;
  }

  private String setting(String key) {
    return daemon.getConfiguration().stream()
        .filter(setting -> setting.key().equals(key))
        .map(Setting::value)
        .findFirst()
        .orElse("none");
  }

  // ---- refusals ----

  @Test
  void reload_wrongConfiguration_changesNothing() throws Exception {
    write("64MiB", GUESTS + "weight = \"0\"\n[log]\nlevel = \"loud\"\n");

    assertThatThrownBy(daemon::reload)
        .isInstanceOf(OperationsException.class)
        .hasMessageContaining("SLU-DAEMON-008")
        .hasMessageContaining("nothing has changed")
        .hasMessageContaining("and 1 more")
        .hasMessageContaining("sluiced --check-config");

    assertThat(quota("b").weight()).isEqualTo(1);
    assertThat(setting("log.level")).isEqualTo("info");
  }

  @Test
  void reload_fileIsGone_changesNothing() throws Exception {
    Files.delete(file());
    assertThatThrownBy(daemon::reload).hasMessageContaining("SLU-DAEMON-008");
    assertThat(daemon.getGuests()).containsOnlyKeys("a", "b");
  }

  @Test
  void reload_minimumThatACreatedGuestHas_failsForThatGuestAlone() throws Exception {
    daemon.createGuest("made", "", 0);
    daemon.setQuota("made", 40L << 20, null, null, null, null);

    List<ReloadedSetting> found =
        reload(
            "64MiB",
            GUESTS.replace("16MiB", "60MiB") + "weight = \"3\"\n[log]\nlevel = \"warn\"\n");

    assertThat(found)
        .extracting(ReloadedSetting::setting, ReloadedSetting::effect)
        .containsExactlyInAnyOrder(
            tuple("guest.a.vram-min", ReloadedSetting.FAILED),
            tuple("guest.b.weight", ReloadedSetting.NOW),
            tuple("log.level", ReloadedSetting.NOW));
    assertThat(found)
        .filteredOn(each -> each.effect().equals(ReloadedSetting.FAILED))
        .allSatisfy(each -> assertThat(each.reason()).contains("60MiB"));
    assertThat(quota("a").minimumBytes()).isEqualTo(16L << 20);
    assertThat(setting("guest.a.vram-min")).isEqualTo("16MiB");
    assertThat(setting("guest.b.weight")).isEqualTo("3");
    Files.writeString(file(), Files.readString(file()).replace("warn", "info"));
    List<ReloadedSetting> _ = daemon.reload(); // the level is the whole process's
  }

  @Test
  void reload_whileTheDaemonStops_servesNobodyAnyMore() throws Exception {
    beforeReading = running::close;

    assertThat(reload("64MiB", GUESTS + "[[guest]]\nname = \"late\"\n"))
        .filteredOn(each -> each.setting().equals("guest.late"))
        .singleElement()
        .satisfies(each -> {
          assertThat(each.effect()).isEqualTo(ReloadedSetting.FAILED);
          assertThat(each.reason()).contains("stopping");
        });
    assertThat(running.guestSocket("late")).doesNotExist();
  }

  @Test
  void reload_moreGuestsThanADaemonServes_theLastWait() throws Exception {
    StringBuilder many = new StringBuilder();
    for (int i = 0; i < DaemonConfig.MAX_GUESTS - 2; i++) {
      many.append("[[guest]]\nname = \"g").append(i).append("\"\n");
    }
    daemon.createGuest("made", "", 0);

    assertThat(reload("64MiB", GUESTS + many))
        .filteredOn(each -> !each.effect().equals(ReloadedSetting.NOW))
        .singleElement()
        .satisfies(each -> {
          assertThat(each.effect()).isEqualTo(ReloadedSetting.NEXT_START);
          assertThat(each.reason()).contains("128");
        });
    assertThat(daemon.getGuests()).hasSize(DaemonConfig.MAX_GUESTS);
  }

  // ---- what can change ----

  @Test
  void reload_nothingChanged_saysSo() throws Exception {
    assertThat(reload("64MiB", GUESTS)).isEmpty();
  }

  @Test
  void reload_whatNeedsAStart_waits_againAndAgain() throws Exception {
    for (int i = 0; i < 2; i++) {
      assertThat(reload("128MiB", GUESTS))
          .extracting(
              ReloadedSetting::setting,
              ReloadedSetting::before,
              ReloadedSetting::after,
              ReloadedSetting::effect)
          .containsExactly(
              tuple("gpu.embedded.vram", "64MiB", "128MiB", ReloadedSetting.NEXT_START));
      assertThat(setting("gpu.embedded.vram")).isEqualTo("64MiB");
    }
  }

  @Test
  void reload_quotas_changeUnderWhoeverIsAttached_lowerMinimumsFirst() throws Exception {
    try (AttachedDevice device = AttachedDevice.attach(KERNEL, running.guestSocket("a"))) {
      String swapped = GUESTS.replace("16MiB", "0B") + "vram-min = \"60MiB\"\n";

      assertThat(reload("64MiB", swapped))
          .allSatisfy(each -> assertThat(each.effect()).isEqualTo(ReloadedSetting.NOW));

      assertThat(quota("a").minimumBytes()).isZero();
      assertThat(quota("b").minimumBytes()).isEqualTo(60L << 20);
      assertThat(isAttached("a")).isTrue();
      assertThat(reload("64MiB", GUESTS)).hasSize(2);
      assertThat(quota("a").minimumBytes()).isEqualTo(16L << 20);
      assertThat(device.ping(5)).isEqualTo(5);
    }
  }

  @Test
  void reload_quotaThatAnOperatorHasSet_isKept_andIsWhatResetGives() throws Exception {
    daemon.setQuota("b", null, 7, null, null, null);

    assertThat(reload("64MiB", GUESTS + "weight = \"3\"\n"))
        .extracting(ReloadedSetting::setting, ReloadedSetting::effect)
        .containsExactly(tuple("guest.b.weight", ReloadedSetting.KEPT));
    assertThat(quota("b").weight()).isEqualTo(7);

    daemon.resetQuota("b");
    assertThat(quota("b").weight()).isEqualTo(3);
  }

  @Test
  void reload_guests_comeAndGo_attachedOnesStay() throws Exception {
    String other = "[[guest]]\nname = \"c.d\"\nweight = \"2\"\n";
    try (AttachedDevice device = AttachedDevice.attach(KERNEL, running.guestSocket("a"))) {
      assertThat(reload("64MiB", other))
          .extracting(
              ReloadedSetting::setting,
              ReloadedSetting::before,
              ReloadedSetting::after,
              ReloadedSetting::effect)
          .containsExactlyInAnyOrder(
              tuple("guest.c.d", "", "served", ReloadedSetting.NOW),
              tuple("guest.a", "served", "", ReloadedSetting.NEXT_START),
              tuple("guest.b", "served", "", ReloadedSetting.NOW));
      assertThat(device.ping(5)).isEqualTo(5);
    }
    assertThat(daemon.getGuests()).containsOnlyKeys("a", "c.d");
    assertThat(quota("c.d").weight()).isEqualTo(2);
    assertThat(running.guestSocket("b")).doesNotExist();
    AttachedDevice.attach(KERNEL, running.guestSocket("c.d")).close();
    await().atMost(PATIENCE).until(() -> !isAttached("c.d") && !isAttached("a"));
    assertThat(setting("guest.c.d.weight")).isEqualTo("2");
    assertThat(setting("guest.b.weight")).isEqualTo("none");
    assertThat(setting("guest.a.weight")).isEqualTo("1");

    assertThat(reload("64MiB", GUESTS))
        .extracting(ReloadedSetting::setting, ReloadedSetting::effect)
        .containsExactlyInAnyOrder(
            tuple("guest.b", ReloadedSetting.NOW), tuple("guest.c.d", ReloadedSetting.NOW));
    assertThat(daemon.getGuests()).containsOnlyKeys("a", "b");
  }

  @Test
  void reload_guestThatNeedsAStart_isNotServed() throws Exception {
    String other =
        GUESTS.replace("[[guest]]\n", "[[guest]]\ngpu = \"embedded\"\n")
            + "[[guest]]\nname = \"far\"\ngpu = \"second\"\n[gpu.second]\ndevice = \"/dev/dri/card9\"\n";

    assertThat(reload("64MiB", other))
        .extracting(ReloadedSetting::setting, ReloadedSetting::effect, ReloadedSetting::reason)
        .contains(tuple("guest.far", ReloadedSetting.NEXT_START, "its GPU is opened at the start"));
    assertThat(daemon.getGuests()).doesNotContainKey("far");
    assertThat(setting("guest.far.gpu")).isEqualTo("none");
  }

  @Test
  void reload_guestOfTheNameOfACreatedOne_waits() throws Exception {
    daemon.createGuest("made", "", 0);
    assertThat(reload("64MiB", GUESTS + "[[guest]]\nname = \"made\"\n"))
        .extracting(ReloadedSetting::setting, ReloadedSetting::effect)
        .containsExactly(tuple("guest.made", ReloadedSetting.NEXT_START));
    assertThat(daemon.getGuests()).containsKey("made");
  }
}
