package io.sluice.daemon.migration;

import io.sluice.daemon.runtime.Audit;
import io.sluice.management.CheckpointView;
import io.sluice.management.MigrationCheckView;
import io.sluice.management.MigrationStatusView;
import io.sluice.management.MigrationsMXBean;
import java.util.List;
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
  public MigrationStatusView status(String id) throws OperationsException {
    return migrations.status(id);
  }

  @Override
  public String start(String guest, String to, Map<String, String> options)
      throws OperationsException {
    String id = migrations.start(guest, to, options);
    Audit.of("migration-start")
        .addKeyValue("guest", guest)
        .addKeyValue("id", id)
        .addKeyValue("to", to)
        .addKeyValue("options", options)
        .log("migration begun");
    return id;
  }

  @Override
  public void abort(String guest, String id) throws OperationsException {
    migrations.abort(guest, id);
    Audit.of("migration-abort").addKeyValue("guest", guest).log("given up");
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
  public String checkpoint(String guest, String file, boolean live) throws OperationsException {
    String id = migrations.checkpoint(guest, file, live);
    Audit.of("guest-checkpoint")
        .addKeyValue("guest", guest)
        .addKeyValue("id", id)
        .addKeyValue("file", file)
        .log("checkpoint begun");
    return id;
  }

  @Override
  public List<CheckpointView> checkpoints(String path) throws OperationsException {
    return migrations.checkpoints(path);
  }

  @Override
  public String restore(String guest, String file) throws OperationsException {
    String id = migrations.restore(guest, file);
    Audit.of("guest-restore")
        .addKeyValue("guest", guest)
        .addKeyValue("id", id)
        .addKeyValue("file", file)
        .log("restore begun");
    return id;
  }
}
