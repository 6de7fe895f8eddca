package io.sluice.remoting.host;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FilePiece;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The maker of sessions: one for each application that connects. */
interface Applications {
  /**
   * The application at the other end of a connection, which it owns from now on. Nothing has been
   * read from the connection, and nothing is until it is served.
   *
   * @param number of its session
   */
  Application of(long number, Fd connection);

  /**
   * The application in the guest's machine whose session has this memory.
   *
   * @param api its number
   * @param first segment 0; files stay the caller's
   * @param doorbell owned from now on, as are the others, unless this fails
   * @param stream by which it comes from another host; null when it begins here
   * @throws io.sluice.remoting.session.ProtocolException when it cannot be served
   */
  MachineApplication ofMachine(
      int api, List<FilePiece> first, Fd doorbell, Fd notify, @Nullable Fd stream);

  /** Starts a thread for an application in the machine. */
  void start(Runnable service);

  /** Answers an application's hello with EDQUOT and closes its connection: there is no place. */
  void refuse(Fd connection);
}
