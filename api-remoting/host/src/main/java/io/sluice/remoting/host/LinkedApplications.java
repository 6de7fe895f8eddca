package io.sluice.remoting.host;

import io.sluice.abi.Errno;
import io.sluice.abi.sys.Fd;
import io.sluice.remoting.session.SessionLink;
import io.sluice.remoting.session.SessionSettings;

/** The applications that speak the session link. */
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
  public void refuse(Fd connection) {
    try (connection) {
      SessionLink.refuse(settings.kernel(), connection, Errno.EDQUOT);
    }
  }
}
