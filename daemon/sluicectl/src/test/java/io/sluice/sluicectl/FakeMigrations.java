package io.sluice.sluicectl;

import io.sluice.management.CheckpointView;
import io.sluice.management.ErrorCode;
import io.sluice.management.MigrationCheckView;
import io.sluice.management.MigrationStatusView;
import io.sluice.management.MigrationsMXBean;
import io.sluice.management.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import javax.management.OperationsException;

/** Migrations that end as a test says, after they have been looked at once. */
final class FakeMigrations implements MigrationsMXBean {
  /** How the migration of a guest ends. */
  enum End {
    MOVED("done", true, false),
    GIVEN_UP("aborted", true, false),
    UNDECIDED("commit", false, true),
    WRITTEN("done", true, false),
    NOT_WRITTEN("failed", true, false);

    private final String phase;
    private final boolean over;
    private final boolean undecided;

    End(String phase, boolean over, boolean undecided) {
      this.phase = phase;
      this.over = over;
      this.undecided = undecided;
    }
  }

  static final String ID = "5f2c1a77-04be-4c0f-8f33-5b2a1c9e7d42";

  private final String guest;
  private final List<String> aborted = new ArrayList<>();
  private End end = End.MOVED;
  private int looks;
  private volatile boolean held;
  private MigrationCheckView check = new MigrationCheckView(List.of(), 0, 0, 0, 0, 0, 0);
  private final CountDownLatch looked = new CountDownLatch(1);

  FakeMigrations(String guest) {
    this.guest = guest;
  }

  void endsWith(End how) {
    end = how;
  }

  void checksAs(MigrationCheckView found) {
    check = found;
  }

  @Override
  public Map<String, MigrationStatusView> getMigrations() {
    return new TreeMap<>(Map.of(guest, view(false)));
  }

  @Override
  public MigrationStatusView status(String id) throws OperationsException {
    if (!ID.startsWith(id)) {
      throw Problem.of(ErrorCode.MIGRATION_UNKNOWN, "no migration \"" + id + "\"", "", "")
          .exception();
    }
    looked.countDown();
    return view(held || looks++ == 0);
  }

  /** Nothing ends until it is let go on. */
  void hold(boolean now) {
    held = now;
  }

  /** Waits until somebody has looked. */
  void awaitLook() throws InterruptedException {
    looked.await();
  }

  private MigrationStatusView view(boolean first) {
    boolean copy = end == End.WRITTEN || end == End.NOT_WRITTEN;
    boolean failed = end == End.NOT_WRITTEN && !first;
    return new MigrationStatusView(
        guest,
        ID,
        copy ? MigrationStatusView.CHECKPOINT : MigrationStatusView.MIGRATION,
        "out",
        copy ? "file:/srv/web" : "kvm-b:7443",
        first ? "pre-copy" : end.phase,
        failed ? "no space left on device" : "",
        failed ? "See to the room on that disk." : "",
        1 << 20,
        1 << 20,
        0,
        0,
        0,
        -1,
        0,
        0,
        1,
        256,
        0,
        0,
        0,
        0,
        0,
        !first && end.over,
        !first && end.undecided);
  }

  @Override
  public String getSocketPath() {
    return "/run/sluice/migration.sock";
  }

  @Override
  public MigrationCheckView check(String name, String to, Map<String, String> options) {
    return check;
  }

  @Override
  public String start(String name, String to, Map<String, String> options) {
    return ID;
  }

  @Override
  public void abort(String name) {
    aborted.add(name);
  }

  @Override
  public void abort(String name, String id) {
    aborted.add(name + " " + id);
  }

  /** What was given up. */
  List<String> aborted() {
    return aborted;
  }

  @Override
  public void resolve(String name, boolean here) {}

  @Override
  public String report(String name, String format) throws OperationsException {
    return "the report\n";
  }

  @Override
  public String checkpoint(String name, String file, boolean live) {
    return ID;
  }

  @Override
  public List<CheckpointView> checkpoints(String path) throws OperationsException {
    List<CheckpointView> all =
        List.of(
            new CheckpointView(
                "/srv/db.partial", "unknown", "", 0, 4096, 1_790_000_000_000L, "incomplete"),
            new CheckpointView(
                "/srv/web.sluice",
                "machine",
                "web-01",
                96 << 20,
                3L << 30,
                1_790_000_100_000L,
                "complete"));
    if (path.isEmpty() || path.equals("/srv")) {
      return all;
    }
    return List.of(
        all.stream()
            .filter(each -> each.file().equals(path))
            .findFirst()
            .orElseThrow(() ->
                Problem.of(
                        ErrorCode.CHECKPOINT_FAILED,
                        "no list of checkpoints",
                        "there is no " + path,
                        "name a file that guest checkpoint has written, or its directory")
                    .exception()));
  }

  @Override
  public String restore(String name, String file) {
    return ID;
  }
}
