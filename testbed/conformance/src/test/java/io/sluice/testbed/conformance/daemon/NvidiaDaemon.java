package io.sluice.testbed.conformance.daemon;

import io.sluice.management.QuotaStatus;
import io.sluice.management.local.LocalConnection;
import io.sluice.testbed.conformance.rig.NvidiaRig;
import io.sluice.testbed.machine.BoundedWait;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * For each test of a class a sluiced of its own process with the NVIDIA GPU of this machine, and
 * guests a and b. Where the GPU is not, the tests are skipped.
 */
public final class NvidiaDaemon implements BeforeEachCallback, AfterEachCallback {
  /** What the daemon does by itself is waited for so. */
  public static final BoundedWait SOON =
      new BoundedWait(Duration.ofSeconds(60), Duration.ofMillis(10));

  private static final String PREPARED = "nothing more to prepare for now";

  private final Supplier<Path> directory;
  private final String options;
  private final String guests;
  private final int cards;
  private @Nullable Daemon daemon;

  /**
   * @param directory for its sockets and its log, once a test begins
   * @param options of the GPU, a line each
   * @param guests sections of a and b
   */
  public NvidiaDaemon(Supplier<Path> directory, String options, String guests) {
    this(directory, options, guests, 1);
  }

  /**
   * @param cards that there must be: of the others the options tell
   */
  public NvidiaDaemon(Supplier<Path> directory, String options, String guests, int cards) {
    this.cards = cards;
    this.directory = directory;
    this.options = options;
    this.guests = guests;
  }

  @Override
  public void beforeEach(ExtensionContext context) throws Exception {
    NvidiaRig.open(cards - 1).close();
    daemon =
        Daemon.start(
            directory.get(), "[gpu.nvidia]\ndevice = \"/dev/nvidia0\"\n" + options, guests, "b");
  }

  @Override
  public void afterEach(ExtensionContext context) throws Exception {
    Daemon started = daemon;
    if (started != null) {
      daemon = null;
      started.close();
    }
  }

  private Daemon daemon() {
    return Objects.requireNonNull(daemon);
  }

  /** Its beans. */
  public LocalConnection connect() throws IOException {
    return daemon().connect();
  }

  /** Runs sluicectl; what it printed, and that it exits 0. */
  public String ctl(String... arguments) throws IOException, InterruptedException {
    return daemon().ctl(arguments);
  }

  /** What it has logged so far. */
  public String log() throws IOException {
    return daemon().log();
  }

  /** How often it has said that host memory for evictions is as ready as it can be made for now. */
  public long timesPrepared() throws IOException {
    return log().lines().filter(line -> line.contains(PREPARED)).count();
  }

  /** Waits until it has said so this often. */
  public void awaitPrepared(long times) throws IOException, InterruptedException {
    SOON.until(PREPARED, () -> timesPrepared() >= times);
  }

  /**
   * A guest's process.
   *
   * @param classes of its channel's engines; none for those that copy
   */
  public CopyingGuest guest(String name, int... classes) {
    Path socket = daemon().socket(name);
    return classes.length == 0
        ? new CopyingGuest(NvidiaRig.kernel(), socket)
        : new CopyingGuest(NvidiaRig.kernel(), socket, classes);
  }

  /** How a guest stands. */
  public QuotaStatus quota(String guest) throws IOException {
    try (LocalConnection connection = connect()) {
      return Objects.requireNonNull(connection.daemon().getQuotas().get(guest));
    }
  }

  /** How a guest stands, as soon as it is so. */
  public QuotaStatus awaitQuota(String guest, Predicate<QuotaStatus> wanted)
      throws IOException, InterruptedException {
    AtomicReference<QuotaStatus> found = new AtomicReference<>(quota(guest));
    SOON.until(
        found,
        () -> {
          found.set(quota(guest));
          return wanted.test(Objects.requireNonNull(found.get()));
        });
    return Objects.requireNonNull(found.get());
  }
}
