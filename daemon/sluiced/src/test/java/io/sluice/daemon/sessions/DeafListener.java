package io.sluice.daemon.sessions;

import io.sluice.remoting.control.HostMessage.Ended;
import io.sluice.remoting.control.HostMessage.Moving;
import io.sluice.remoting.control.HostMessage.Opened;
import io.sluice.remoting.control.HostMessage.Serving;

/** A listener that takes no notice of its host. */
final class DeafListener implements HostLink.Listener {
  @Override
  public void onServing(Serving serving) {}

  @Override
  public void onOpened(Opened opened) {}

  @Override
  public void onEnded(Ended ended) {}

  @Override
  public void onMoving(Moving moving) {}

  @Override
  public void onTurns() {}
}
