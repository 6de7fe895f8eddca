package io.sluice.remoting.host;

import io.sluice.abi.Errno;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FilePiece;
import io.sluice.remoting.session.MachineSession;
import io.sluice.remoting.session.SessionLink;
import io.sluice.remoting.session.SessionSettings;
import io.sluice.remoting.state.StateLink;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The applications of both ways: those that speak the session link, and those in the machine. */
final class LinkedApplications implements Applications {
  private final SessionSettings settings;
  private final String devices;

  /**
   * @param settings what all sessions of this host have in common
   * @param devices names of those that they have
   */
  LinkedApplications(SessionSettings settings, String devices) {
    this.settings = settings;
    this.devices = devices;
  }

  @Override
  public Application of(long number, Fd connection) {
    return new LinkedApplication(settings, devices, number, connection);
  }

  @Override
  public MachineApplication ofMachine(
      int api, List<FilePiece> first, Fd doorbell, Fd notify, @Nullable Fd stream) {
    MachineSession session = MachineSession.open(settings, api, first, doorbell, notify);
    return new MachineApplication(
        session, stream == null ? null : new StateLink(settings.kernel(), stream), devices);
  }

  @Override
  public void start(Runnable service) {
    settings.threads().newThread(service).start();
  }

  @Override
  public void refuse(Fd connection) {
    try (connection) {
      SessionLink.refuse(settings.kernel(), connection, Errno.EDQUOT);
    }
  }
}
