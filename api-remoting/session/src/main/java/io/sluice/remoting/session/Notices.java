package io.sluice.remoting.session;

import java.util.List;

/**
 * The way in which an application is told what it has not asked for in that moment. Belongs to the
 * session's thread.
 */
public interface Notices {
  /** An event has come as far as was asked for. */
  int EVENT = 1;

  /** Tells the application. */
  void tell(int kind, int status, int index);

  /**
   * Writes what waited for room.
   *
   * @return how many
   */
  int write();

  /** Writes nothing for now, or goes on to write. */
  void hold(boolean hold);

  /** Notices ever written. */
  int head();

  /** Those that wait for room: kind, status, index of each. */
  List<long[]> waiting();

  /** Goes on where another host stopped. */
  void goOn(int written);

  /** Has a notice wait that another host had waiting. */
  void add(int kind, int status, int index);

  /** Whether any wait for room. */
  boolean areWaiting();
}
