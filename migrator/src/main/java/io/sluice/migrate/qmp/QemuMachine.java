package io.sluice.migrate.qmp;

import com.google.common.collect.ImmutableSet;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ThreadFactory;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A QEMU machine as a migration needs it: each method is one step of the sequence that works
 * (docs/migration-reference.md). Events are awaited, never polled.
 *
 * <p>Commands that QEMU executes under its big lock hang while a peer is frozen; {@link #yank}
 * overtakes them and ends the migration's connection.
 */
public final class QemuMachine implements AutoCloseable {
  /** Statuses after which a migration does nothing more. */
  public static final ImmutableSet<String> ENDED_BADLY = ImmutableSet.of("failed", "cancelled");

  private static final Pattern ECAM =
      Pattern.compile("([0-9a-f]{16})-[0-9a-f]{16} \\(prio [^)]*\\): pcie-mmcfg-mmio");

  private static final String PRE_SWITCHOVER = "pre-switchover";
  private static final String COMPLETED = "completed";

  /** What QEMU reckons with when it compares what is left with how long it may stand still. */
  private static final String SWITCHOVER_BANDWIDTH = "avail-switchover-bandwidth";

  private static final String BANDWIDTH = "max-bandwidth";

  private static final String DOWNTIME = "downtime-limit";

  /** What migrations of ours allow a machine when the operator says nothing. */
  public static final Duration USUAL_DOWNTIME = Duration.ofMillis(300);

  /** A page in each of the ten parts of a second for which QEMU has an allowance. */
  private static final long HELD_BACK = 1000;

  /**
   * With the shortest time, a single byte: less than any page. Without any byte QEMU would take the
   * end of a pass for the end, and not look at what has changed meanwhile.
   */
  private static final long BYTES_PER_SECOND_NOT_YET = 1000;

  private static final long MILLIS_NOT_YET = 1;

  private final String socket;
  private final QmpClient client;
  private final MachineEvents events;
  private final Duration patience;

  private QemuMachine(String socket, QmpClient client, MachineEvents events, Duration patience) {
    this.socket = socket;
    this.client = client;
    this.events = events;
    this.patience = patience;
  }

  /**
   * Connects to a machine's monitor.
   *
   * @param threads makes the thread that receives
   * @param patience for the answer to a command
   * @throws RefusedException nobody is there, or no QEMU
   */
  public static QemuMachine connect(Path socket, ThreadFactory threads, Duration patience) {
    MachineEvents events = new MachineEvents();
    QmpClient client = QmpClient.connect(socket, threads, events::accept, patience);
    return new QemuMachine(socket.toString(), client, events, patience);
  }

  /** The machine's version, such as {@code 11.1.2}. */
  public String version() {
    return client.version();
  }

  /** Has someone called whenever the machine has told something; must not block, nor ask it. */
  public void setListener(Runnable listener) {
    events.setListener(listener);
  }

  /** What {@code query-status} calls the machine's state: {@code running}, {@code paused}… */
  public String runState() {
    return client.execute("query-status", patience).text("status").orElse("");
  }

  /** Stops the virtual CPUs. */
  public void stop() {
    JsonObject _ = client.execute("stop", patience);
  }

  /** Lets the virtual CPUs go on. */
  public void resume() {
    JsonObject _ = client.execute("cont", patience);
  }

  /** Ends QEMU. */
  public void quit() {
    JsonObject _ = client.execute("quit", patience);
  }

  // ---- migration ----

  /**
   * Sets a source up: it will report events, hear of the destination's failures, and wait when the
   * machine has stopped. It stops it only if nothing at all were left to copy, until {@link
   * #setDowntime} says how long it may stand still.
   *
   * @param bandwidthBytesPerSecond for its stream; 0 for no limit
   * @param answered whether a QEMU is at the other end, whose failures are to be heard of
   */
  public void prepareSource(long bandwidthBytesPerSecond, boolean answered) {
    capabilities(Map.of("events", true, "return-path", answered, "pause-before-switchover", true));
    JsonObject _ =
        client.execute(
            "migrate-set-parameters",
            Map.of(
                BANDWIDTH,
                bandwidthBytesPerSecond,
                DOWNTIME,
                MILLIS_NOT_YET,
                SWITCHOVER_BANDWIDTH,
                BYTES_PER_SECOND_NOT_YET),
            patience);
  }

  /** Sets a destination up that was started with {@code -S -incoming defer}. */
  public void prepareDestination() {
    capabilities(Map.of("events", true, "return-path", true));
  }

  /**
   * Makes sure that the machine waits for another one.
   *
   * @throws RefusedException EBUSY
   */
  public void requireIncoming() {
    String state = runState();
    if (!state.equals("inmigrate")) {
      throw new RefusedException(
          QmpCode.NOT_WAITING,
          Errno.EBUSY,
          "the destination's machine does not wait for another one, state=" + state,
          "Start it with -S -incoming defer, and as the source is but for its sockets.");
    }
  }

  /** Why QEMU would refuse to migrate; empty when it would not. */
  public List<String> blockedReasons() {
    return client.execute("query-migrate", patience).texts("blocked-reasons");
  }

  /** Those not named stay as they are: of an earlier migration, perhaps. */
  private void capabilities(Map<String, Boolean> states) {
    List<Map<String, Object>> wanted =
        states.entrySet().stream()
            .map(wish ->
                Map.<String, Object>of("capability", wish.getKey(), "state", wish.getValue()))
            .toList();
    JsonObject _ =
        client.execute("migrate-set-capabilities", Map.of("capabilities", wanted), patience);
  }

  /**
   * Has a machine that migrates and is as good as copied send next to nothing. QEMU looks ten times
   * a second then, instead of all the time, whether anything is left: of a guest that waits for its
   * GPU nothing is at some moment, and the machine would be stopped.
   */
  public void holdBack() {
    JsonObject _ = client.execute("migrate-set-parameters", Map.of(BANDWIDTH, HELD_BACK), patience);
  }

  /**
   * Ends {@link #holdBack}; the machine still may not stand still.
   *
   * @param bandwidthBytesPerSecond for its stream; 0 for no limit
   */
  public void goOn(long bandwidthBytesPerSecond) {
    JsonObject _ =
        client.execute(
            "migrate-set-parameters", Map.of(BANDWIDTH, bandwidthBytesPerSecond), patience);
  }

  /**
   * Changes how long the machine may stand still; while it migrates. Ends {@link #holdBack}.
   *
   * @param bandwidthBytesPerSecond for its stream, and to reckon with; 0 for no limit, and what was
   *     measured
   */
  public void setDowntime(Duration downtime, long bandwidthBytesPerSecond) {
    JsonObject _ =
        client.execute(
            "migrate-set-parameters",
            Map.of(
                BANDWIDTH,
                bandwidthBytesPerSecond,
                DOWNTIME,
                downtime.toMillis(),
                SWITCHOVER_BANDWIDTH,
                bandwidthBytesPerSecond),
            patience);
  }

  /**
   * Ends {@link #holdBack}, and what {@link #prepareSource} has set, of a migration that was not
   * ended by whoever began it. Parameters that are not as those two set them are left alone.
   */
  public void forgetHoldBack() {
    JsonObject now = client.execute("query-migrate-parameters", patience);
    if (now.number(BANDWIDTH).orElse(0) == HELD_BACK
        || now.number(DOWNTIME).orElse(0) == MILLIS_NOT_YET
        || now.number(SWITCHOVER_BANDWIDTH).orElse(0) == BYTES_PER_SECOND_NOT_YET) {
      setDowntime(USUAL_DOWNTIME, 0);
    }
  }

  /** Begins to migrate to {@code unix:PATH} or {@code tcp:HOST:PORT}. */
  public void migrate(String uri) {
    events.beginMigration();
    JsonObject _ = client.execute("migrate", Map.of("uri", uri), patience);
  }

  /** Begins to listen for a source. */
  public void migrateIncoming(String uri) {
    events.beginMigration();
    JsonObject _ = client.execute("migrate-incoming", Map.of("uri", uri), patience);
  }

  /** Sends the rest of a machine that has stopped: from here on the source cannot be trusted. */
  public void switchOver() {
    JsonObject _ = client.execute("migrate-continue", Map.of("state", PRE_SWITCHOVER), patience);
  }

  /** Gives the migration up; the machine goes on by itself if it had stopped for it. */
  public void cancelMigration() {
    JsonObject _ = client.execute("migrate_cancel", patience);
  }

  /** Cuts the migration's connection, whatever QEMU waits for. */
  public void yank() {
    JsonObject _ =
        client.executeOutOfBand(
            "yank", Map.of("instances", List.of(Map.of("type", "migration"))), patience);
  }

  /** How far the migration is. */
  public MigrationProgress migration() {
    return MigrationProgress.of(client.execute("query-migrate", patience));
  }

  /** The status that the migration's events told last. */
  public String migrationStatus() {
    return events.migration();
  }

  /** Waits until the migration has ended, well or badly. */
  public String awaitEnded(Duration timeout) {
    return events.awaitMigration(with(COMPLETED), timeout, socket);
  }

  private static ImmutableSet<String> with(String status) {
    return ImmutableSet.<String>builder().addAll(ENDED_BADLY).add(status).build();
  }

  /** How often the machine was said to go on, for {@link #awaitResume}. */
  public long resumes() {
    return events.resumes();
  }

  /** How often the machine was said to stop. */
  public long stops() {
    return events.stops();
  }

  /** Waits until the machine goes on of its own accord; whether it did in time. */
  public boolean awaitResume(long before, Duration timeout) {
    return events.awaitResume(before, timeout);
  }

  // ---- hardware ----

  /** Reads 32 bits of an I/O port. */
  public int portRead(int port) {
    String printed = client.human("i /w 0x%x".formatted(port), patience);
    int equals = printed.lastIndexOf('=');
    try {
      return Long.decode(printed.substring(equals + 1).strip()).intValue();
    } catch (NumberFormatException _) {
      throw QmpFailure.strange(socket, "no value of port " + port + ": " + printed.strip());
    }
  }

  /** Writes 32 bits to an I/O port. */
  public void portWrite(int port, int value) {
    String _ =
        client.human("o /w 0x%x 0x%x".formatted(port, Integer.toUnsignedLong(value)), patience);
  }

  /**
   * Guest-physical address of the memory-mapped configuration space, as the firmware has set it.
   *
   * @throws RefusedException EPROTO when the machine has none
   */
  public long configurationSpace() {
    return findConfigurationSpace()
        .orElseThrow(() ->
            QmpFailure.strange(socket, "a machine without memory-mapped configuration space"));
  }

  /** As {@link #configurationSpace}; empty when the machine has none. */
  public OptionalLong findConfigurationSpace() {
    Matcher found = ECAM.matcher(client.human("info mtree", patience));
    return found.find()
        ? OptionalLong.of(Long.parseUnsignedLong(found.group(1), 16))
        : OptionalLong.empty();
  }

  /**
   * Where the PCI function is whose BAR 0 is at an address.
   *
   * @throws RefusedException ENODEV
   */
  public PciAddress findFunction(int vendor, int device, long bar0) {
    return PciAddress.find(
        client.executeForList("query-pci", Map.of(), patience), vendor, device, bar0);
  }

  /** Whether the monitor can still be asked. */
  public boolean isOpen() {
    return client.isOpen();
  }

  /** Lets go of the monitor; the machine goes on as it is. */
  @Override
  public void close() {
    client.close();
  }
}
