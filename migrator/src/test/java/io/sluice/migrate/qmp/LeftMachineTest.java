package io.sluice.migrate.qmp;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.migrate.qmp.LeftMachine.Found;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class LeftMachineTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final ThreadFactory THREADS = Thread.ofPlatform().daemon().factory();

  @TempDir private Path directory;
  private final List<String> commands = new ArrayList<>(); // by the monitor's thread, then ours
  private final List<JsonObject> parameters = new ArrayList<>(); // likewise
  private String known = "{}";

  private Path socket() {
    return directory.resolve("qmp");
  }

  private Found release() {
    return LeftMachine.release(socket(), THREADS, PATIENCE);
  }

  /** A monitor of a machine in a state, which notes what it is told. */
  private ScriptedMonitor machine(String runState, String migration) throws IOException {
    return new ScriptedMonitor(
        socket(),
        with -> {
          with.negotiate();
          hear(with, "{\"status\": \"" + runState + "\"}");
          hear(with, migration.isEmpty() ? "{}" : "{\"status\": \"" + migration + "\"}");
          while (true) {
            hear(with, known);
          }
        });
  }

  private void hear(ScriptedMonitor.Conversation with, String answer) throws IOException {
    JsonObject command = with.answer(answer);
    String name = command.text("execute").orElseThrow();
    commands.add(name);
    if (name.equals("migrate-set-parameters")) {
      parameters.add(command.object("arguments").orElseThrow());
    }
  }

  @Test
  void release_nobodyListens_findsNone() {
    assertThat(release()).isEqualTo(Found.NONE);
  }

  @ParameterizedTest
  @CsvSource({"running, setup", "running, active", "finish-migrate, pre-switchover"})
  void release_beforeTheWordToGoOn_givesTheMigrationUp(String runState, String migration)
      throws Exception {
    try (ScriptedMonitor _ = machine(runState, migration)) {
      assertThat(release()).isEqualTo(Found.RELEASED);
    }
    assertThat(commands)
        .containsExactly(
            "query-status", "query-migrate", "migrate_cancel", "query-migrate-parameters");
  }

  /** Each of what a migration sets that is killed while its machine is held back. */
  @ParameterizedTest
  @CsvSource({
    "active, max-bandwidth, 1000",
    "pre-switchover, downtime-limit, 1",
    "failed, avail-switchover-bandwidth, 1000",
    "cancelled, max-bandwidth, 1000"
  })
  void release_heldBack_getsItsLimitsBack(String migration, String parameter, int value)
      throws Exception {
    known = "{\"" + parameter + "\": " + value + "}";
    try (ScriptedMonitor _ = machine("running", migration)) {
      Found _ = release();
    }
    assertThat(commands).endsWith("query-migrate-parameters", "migrate-set-parameters");
    assertThat(parameters).hasSize(1);
    assertThat(parameters.getFirst().number("max-bandwidth")).hasValue(0);
    assertThat(parameters.getFirst().number("downtime-limit")).hasValue(300);
    assertThat(parameters.getFirst().number("avail-switchover-bandwidth")).hasValue(0);
  }

  @Test
  void release_limitsOfSomebodyElse_areLeftAlone() throws Exception {
    known =
        "{\"max-bandwidth\": 5000000, \"downtime-limit\": 50, \"avail-switchover-bandwidth\": 7}";
    try (ScriptedMonitor _ = machine("running", "active")) {
      assertThat(release()).isEqualTo(Found.RELEASED);
    }
    assertThat(parameters).isEmpty();
  }

  @Test
  void release_completed_isLeftStanding() throws Exception {
    try (ScriptedMonitor _ = machine("postmigrate", "completed")) {
      assertThat(release()).isEqualTo(Found.GIVEN_AWAY);
    }
    assertThat(commands).containsExactly("query-status", "query-migrate");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "none"})
  void release_notOnItsWay_isLeftAlone(String migration) throws Exception {
    try (ScriptedMonitor _ = machine("running", migration)) {
      assertThat(release()).isEqualTo(Found.AT_HOME);
    }
    assertThat(commands).containsExactly("query-status", "query-migrate");
  }

  @ParameterizedTest
  @ValueSource(strings = {"failed", "cancelled"})
  void release_endedBadly_isAskedForItsLimitsOnly(String migration) throws Exception {
    try (ScriptedMonitor _ = machine("running", migration)) {
      assertThat(release()).isEqualTo(Found.AT_HOME);
    }
    assertThat(commands)
        .containsExactly("query-status", "query-migrate", "query-migrate-parameters");
  }

  @ParameterizedTest
  @ValueSource(strings = {"device", "failing", "cancelling"})
  void release_endsByItself_isToBeLookedAtAgain(String migration) throws Exception {
    try (ScriptedMonitor _ = machine("finish-migrate", migration)) {
      assertThat(release()).isEqualTo(Found.ENDING);
    }
    assertThat(commands).containsExactly("query-status", "query-migrate");
  }

  @ParameterizedTest
  @CsvSource({"running, AT_HOME", "paused, ARRIVED"})
  void goOn_completedAndWentOnSince_isLeftAlone(String runState, Found found) throws Exception {
    try (ScriptedMonitor _ = machine(runState, "completed")) {
      assertThat(LeftMachine.goOn(socket(), THREADS, PATIENCE)).isEqualTo(found);
    }
    assertThat(commands).containsExactly("query-status", "query-migrate");
  }

  @Test
  void begin_arrived_runs() throws Exception {
    try (ScriptedMonitor _ = machine("paused", "completed")) {
      assertThat(LeftMachine.begin(socket(), THREADS, PATIENCE)).isEqualTo(Found.ARRIVED);
    }
    assertThat(commands).containsExactly("query-status", "query-migrate", "cont");
  }

  @Test
  void begin_givenAway_isLeftStanding() throws Exception {
    try (ScriptedMonitor _ = machine("postmigrate", "completed")) {
      assertThat(LeftMachine.begin(socket(), THREADS, PATIENCE)).isEqualTo(Found.GIVEN_AWAY);
    }
    assertThat(commands).containsExactly("query-status", "query-migrate");
  }

  @Test
  void goOn_standing_goesOn() throws Exception {
    try (ScriptedMonitor _ = machine("postmigrate", "completed")) {
      assertThat(LeftMachine.goOn(socket(), THREADS, PATIENCE)).isEqualTo(Found.GIVEN_AWAY);
    }
    assertThat(commands)
        .containsExactly("query-status", "query-migrate", "cont", "query-migrate-parameters");
  }

  @Test
  void end_running_isLeftAlone() throws Exception {
    try (ScriptedMonitor _ = machine("running", "completed")) {
      assertThat(LeftMachine.end(socket(), THREADS, PATIENCE)).isEqualTo(Found.AT_HOME);
    }
    assertThat(commands).containsExactly("query-status", "query-migrate");
  }

  @Test
  void end_standing_quits() throws Exception {
    try (ScriptedMonitor _ = machine("postmigrate", "completed")) {
      assertThat(LeftMachine.end(socket(), THREADS, PATIENCE)).isEqualTo(Found.GIVEN_AWAY);
    }
    assertThat(commands).containsExactly("query-status", "query-migrate", "quit");
  }

  @Test
  void release_waitsForAnother_isLeftAlone() throws Exception {
    try (ScriptedMonitor _ = machine("inmigrate", "active")) {
      assertThat(release()).isEqualTo(Found.AT_HOME);
    }
    assertThat(commands).containsExactly("query-status");
  }
}
