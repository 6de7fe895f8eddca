package io.sluice.management;

import java.util.Map;
import javax.management.OperationsException;

/** Guests that move to another daemon, come from one, or are written to a file. */
public interface MigrationsMXBean {
  /** The last migration of each guest that had one since the daemon started, by its name. */
  Map<String, MigrationStatusView> getMigrations();

  /** Where other daemons of this host connect to pass a guest on. */
  String getSocketPath();

  /**
   * What would stand in the way of moving a guest, here and at the destination, which is asked; and
   * how long it would stand still. Nothing is touched or reserved. Takes some seconds when the
   * destination does not answer.
   *
   * @param guest its name
   * @param to {@code HOST:PORT}, or {@code unix:PATH} of another daemon of this host
   * @param options as for {@link #start}
   */
  MigrationCheckView check(String guest, String to, Map<String, String> options)
      throws OperationsException;

  /**
   * Begins to move a guest; returns when it has begun.
   *
   * @param guest its name
   * @param to {@code unix:PATH} of another daemon of this host
   * @param options see {@code sluicectl migration start}; names without their dashes
   */
  void start(String guest, String to, Map<String, String> options) throws OperationsException;

  /** Gives a migration up; what was done is taken back. Refused when it is too late. */
  void abort(String guest) throws OperationsException;

  /**
   * An operator says whose a guest is, when nobody else does: refused for one that is not
   * undecided.
   *
   * @param here it goes on here, because it runs nowhere else and never will; otherwise it runs at
   *     the destination, and what is here of it ends
   */
  void resolve(String guest, boolean here) throws OperationsException;

  /**
   * What happened in the last migration of a guest.
   *
   * @param format {@code text}, {@code json} or {@code html}
   */
  String report(String guest, String format) throws OperationsException;

  /**
   * Writes a guest to a file, and returns when it is there.
   *
   * @param file absolute; replaced when it exists
   * @param live copies most of it while the GPU works
   */
  void checkpoint(String guest, String file, boolean live) throws OperationsException;

  /**
   * Makes an attached, empty guest what a file says; a machine runs when this returns.
   *
   * @param file absolute
   */
  void restore(String guest, String file) throws OperationsException;
}
