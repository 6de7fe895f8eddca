package io.sluice.sluicectl;

import io.sluice.management.MigrationCheckView;
import io.sluice.management.MigrationStatusView;
import io.sluice.management.MigrationsMXBean;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.management.OperationsException;

/** Migrations that end as a test says, after they have been looked at once. */
final class FakeMigrations implements MigrationsMXBean {
  /** How the migration of a guest ends. */
  enum End {
    MOVED("done", true, false),
    GIVEN_UP("aborted", true, false),
    UNDECIDED("commit", false, true);

    private final String phase;
    private final boolean over;
    private final boolean undecided;

    End(String phase, boolean over, boolean undecided) {
      this.phase = phase;
      this.over = over;
      this.undecided = undecided;
    }
  }

  private final String guest;
  private End end = End.MOVED;
  private int looks;

  FakeMigrations(String guest) {
    this.guest = guest;
  }

  void endsWith(End how) {
    end = how;
  }

  @Override
  public Map<String, MigrationStatusView> getMigrations() {
    boolean first = looks++ == 0;
    return new TreeMap<>(
        Map.of(
            guest,
            new MigrationStatusView(
                guest,
                "5f2c",
                "out",
                "kvm-b:7443",
                first ? "pre-copy" : end.phase,
                "",
                "",
                1 << 20,
                0,
                -1,
                1 << 20,
                0,
                0,
                1,
                256,
                0,
                0,
                0,
                0,
                !first && end.over,
                !first && end.undecided)));
  }

  @Override
  public String getSocketPath() {
    return "/run/sluice/migration.sock";
  }

  @Override
  public MigrationCheckView check(String name, String to, Map<String, String> options) {
    return new MigrationCheckView(List.of(), 0, 0, 0, 0, 0, 0);
  }

  @Override
  public void start(String name, String to, Map<String, String> options) {}

  @Override
  public void abort(String name) {}

  @Override
  public void resolve(String name, boolean here) {}

  @Override
  public String report(String name, String format) throws OperationsException {
    return "the report\n";
  }

  @Override
  public void checkpoint(String name, String file, boolean live) {}

  @Override
  public void restore(String name, String file) {}
}
