package io.sluice.daemon.migration;

import io.sluice.daemon.runtime.Audit;
import io.sluice.management.MigrationCheckView;
import io.sluice.management.MigrationStatusView;
import io.sluice.management.MigrationsMXBean;
import java.util.Map;
import javax.management.OperationsException;

/** Migrations as JMX shows them: what is asked for and done is logged with who asked. */
public final class AuditedMigrations implements MigrationsMXBean {
  private final MigrationsMXBean migrations;

  public AuditedMigrations(MigrationsMXBean migrations) {
    this.migrations = migrations;
  }

  @Override
  public Map<String, MigrationStatusView> getMigrations() {
    return migrations.getMigrations();
  }

  @Override
  public String getSocketPath() {
    return migrations.getSocketPath();
  }

  @Override
  public MigrationCheckView check(String guest, String to, Map<String, String> options)
      throws OperationsException {
    return migrations.check(guest, to, options);
  }

  @Override
  public void start(String guest, String to, Map<String, String> options)
      throws OperationsException {
    migrations.start(guest, to, options);
    Audit.of("migration-start")
        .addKeyValue("guest", guest)
        .addKeyValue("to", to)
        .addKeyValue("options", options)
        .log("migration begun");
  }

  @Override
  public void abort(String guest) throws OperationsException {
    migrations.abort(guest);
    Audit.of("migration-abort").addKeyValue("guest", guest).log("migration given up");
  }

  @Override
  public void resolve(String guest, boolean here) throws OperationsException {
    migrations.resolve(guest, here);
    Audit.of("migration-resolve")
        .addKeyValue("guest", guest)
        .addKeyValue("here", here)
        .log("it was said whose a guest is");
  }

  @Override
  public String report(String guest, String format) throws OperationsException {
    return migrations.report(guest, format);
  }

  @Override
  public void checkpoint(String guest, String file, boolean live) throws OperationsException {
    migrations.checkpoint(guest, file, live);
    Audit.of("guest-checkpoint")
        .addKeyValue("guest", guest)
        .addKeyValue("file", file)
        .log("checkpoint written");
  }

  @Override
  public void restore(String guest, String file) throws OperationsException {
    migrations.restore(guest, file);
    Audit.of("guest-restore")
        .addKeyValue("guest", guest)
        .addKeyValue("file", file)
        .log("guest made of a checkpoint");
  }
}
