package io.sluice.remoting.host;

import io.sluice.abi.sys.Fd;

/** The maker of sessions: one for each application that connects. */
interface Applications {
  /**
   * The application at the other end of a connection, which it owns from now on. Nothing has been
   * read from the connection, and nothing is until it is served.
   *
   * @param number of its session
   */
  Application of(long number, Fd connection);

  /** Answers an application's hello with EDQUOT and closes its connection: there is no place. */
  void refuse(Fd connection);
}
