package io.sluice.management;

import java.util.Map;
import javax.management.OperationsException;

/** Guests that move to another daemon, come from one, or are written to a file. */
@Description("Guests that move to another daemon, come from one, or are written to a file.")
public interface MigrationsMXBean {
  @Description(
      "The last migration of each guest that had one since the daemon started, by its name.")
  Map<String, MigrationStatusView> getMigrations();

  @Description("Where other daemons of this host connect to pass a guest on.")
  String getSocketPath();

  @Description(
      "What would stand in the way of moving a guest, here and at the destination, which is asked; and how long it would stand still. Nothing is touched or reserved. Takes some seconds when the destination does not answer.")
  MigrationCheckView check(
      @Description("its name") String guest,
      @Description("HOST:PORT, or unix:PATH of another daemon of this host") String to,
      @Description("as for start") Map<String, String> options)
      throws OperationsException;

  @Description("Begins to move a guest; returns when it has begun.")
  void start(
      @Description("its name") String guest,
      @Description(
              "HOST:PORT for a machine, unix:PATH of another daemon of this host for a process")
          String to,
      @Description(
              "the options of sluicectl migration start by their names without dashes, values as text; empty for none")
          Map<String, String> options)
      throws OperationsException;

  @Description("Gives a migration up; what was done is taken back. Refused when it is too late.")
  void abort(@Description("its name") String guest) throws OperationsException;

  @Description(
      "Says on which side an undecided guest is, when its destination cannot be asked any more.")
  void resolve(
      @Description("its name") String guest,
      @Description(
              "true: it goes on here, because it runs nowhere else and never will; false: it runs at the destination, and what is here of it ends")
          boolean here)
      throws OperationsException;

  @Description("What happened in the last migration of a guest.")
  String report(
      @Description("its name") String guest, @Description("text, json or html") String format)
      throws OperationsException;

  @Description("Writes a guest to a file, and returns when it is there.")
  void checkpoint(
      @Description("its name") String guest,
      @Description("absolute; replaced when it exists") String file,
      @Description("copies most of it while the GPU works") boolean live)
      throws OperationsException;

  @Description("Makes an attached, empty guest what a file says; a machine runs when this returns.")
  void restore(@Description("its name") String guest, @Description("absolute") String file)
      throws OperationsException;
}
