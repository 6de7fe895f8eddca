package io.sluice.remoting.host;

import io.sluice.abi.sys.PeerCredentials;
import io.sluice.remoting.control.SessionReport;

/**
 * A session in the host's table.
 *
 * @param number of the session
 * @param peer its application
 * @param sinceMs when it was opened, milliseconds since 1970
 * @param application that is served
 */
record OpenSession(long number, PeerCredentials peer, long sinceMs, Application application) {
  SessionReport report() {
    SessionContent content = application.content();
    return new SessionReport(
        number,
        peer.pid(),
        peer.uid(),
        content.api(),
        content.device(),
        content.objects(),
        content.memoryBytes(),
        content.calls(),
        content.deviceNs(),
        sinceMs,
        content.ties());
  }
}
