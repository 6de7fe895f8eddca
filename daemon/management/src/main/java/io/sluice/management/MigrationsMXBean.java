package io.sluice.management;

import java.util.List;
import java.util.Map;
import javax.management.OperationsException;

/** Guests that move to another daemon, come from one, or are written to a file. */
@Description("Guests that move to another daemon, come from one, or are written to a file.")
public interface MigrationsMXBean {
  @Description(
      "The last migration, checkpoint or restore of each guest that had one since the daemon started, by its name.")
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

  @Description(
      "A migration, checkpoint or restore by its id, or the beginning of it. The last 100 that have ended are remembered.")
  MigrationStatusView status(@Description("what the operation that began it returned") String id)
      throws OperationsException;

  @Description("The same, with the options as one text.")
  default MigrationCheckView check(
      @Description("its name") String guest,
      @Description("HOST:PORT, or unix:PATH of another daemon of this host") String to,
      @Description(
              "such as downtime=300ms,bandwidth=100MiB; empty for none, otherwise as for start")
          String options)
      throws OperationsException {
    return check(guest, to, OptionsText.parse(options));
  }

  @Description("The same, with the options as one text.")
  default String start(
      @Description("its name") String guest,
      @Description("HOST:PORT, or unix:PATH of another daemon of this host") String to,
      @Description(
              "NAME=VALUE with commas between, such as detach=last,bandwidth=100MiB; names and values as in the table; empty for none")
          String options)
      throws OperationsException {
    return start(guest, to, OptionsText.parse(options));
  }

  @Description("Begins to move a guest; returns the id when it has begun.")
  String start(
      @Description("its name") String guest,
      @Description(
              "HOST:PORT for a machine, unix:PATH of another daemon of this host for who stays")
          String to,
      @Description(
              "by their names, values as text; empty for none. A duration has its unit (500ms, 10s), as a size has (100MiB)."
                  + " detach: when access is taken back, first, planned (default) or last."
                  + " drain-timeout: duration, longest wait for what was submitted (10s)."
                  + " silence: duration, how long the destination's host may say nothing while the guest waits (700ms)."
                  + " timeout: duration, longest time up to the switch-over, 0s for no limit (0s)."
                  + " on-timeout: when a time is over, abort (default), or force: end and move on."
                  + " bandwidth: size, most that is sent in a second (no limit)."
                  + " downtime: duration, how long a machine may stand still for its own memory (300ms)."
                  + " connections: number, streams of video memory to another host, 1 to 16 (a quarter of the processors here, 2 to 8)."
                  + " compress: how video memory goes to another host, none or zstd (as configured)."
                  + " sessions: what OpenCL sessions of a machine do, move with it (default) or stay here."
                  + " sessions-at: HOST:PORT, how the destination reaches those that stay (as configured)."
                  + " The rest is for measurements. passes: number, passes over video memory while the GPU works, 1 to 100 (1)."
                  + " exact, compared, hashing, sampling, overlapped: ways to find changed pages, on (default) or off.")
          Map<String, String> options)
      throws OperationsException;

  @Description(
      "Gives a migration, checkpoint or restore up; what was done is taken back. Refused when it is too late.")
  default void abort(@Description("its name") String guest) throws OperationsException {
    abort(guest, "");
  }

  @Description("The same, if the guest's is the one with this id: what came after it goes on.")
  void abort(
      @Description("its name") String guest, @Description("the whole id; empty for any") String id)
      throws OperationsException;

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

  @Description("Begins to write a guest to a file; returns the id when it has begun.")
  String checkpoint(
      @Description("its name") String guest,
      @Description("absolute; replaced when it exists") String file,
      @Description("copies most of it while the GPU works") boolean live)
      throws OperationsException;

  @Description(
      "The checkpoints in a directory, of guests and of sessions, by what they begin and end with; those of a file, of that one.")
  List<CheckpointView> checkpoints(
      @Description("absolute; checkpoints in the state-dir when empty") String path)
      throws OperationsException;

  @Description(
      "Begins to make an attached, empty guest what a file says; returns the id when it has begun. A machine runs when it is done.")
  String restore(@Description("its name") String guest, @Description("absolute") String file)
      throws OperationsException;
}
