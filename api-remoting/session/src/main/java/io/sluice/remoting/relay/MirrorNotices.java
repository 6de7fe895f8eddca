package io.sluice.remoting.relay;

import io.sluice.remoting.session.Notices;
import io.sluice.remoting.state.StateItem;
import java.util.ArrayList;
import java.util.List;

/**
 * The notices to an application on another host; its host finds room for it in the application's
 * ring. Belongs to the session's thread.
 */
final class MirrorNotices implements Notices {
  private final MirrorOutbox outbox;
  private final List<StateItem.Notice> held = new ArrayList<>();
  private Runnable settle = () -> {};
  private boolean hold;

  MirrorNotices(MirrorOutbox outbox) {
    this.outbox = outbox;
  }

  /** Names what has those hear who wait for bytes that are there. */
  void settleBy(Runnable how) {
    settle = how;
  }

  @Override
  public void tell(int kind, int status, int index) {
    settle.run();
    add(kind, status, index);
  }

  @Override
  public void add(int kind, int status, int index) {
    StateItem.Notice notice = new StateItem.Notice(kind, status, index);
    if (hold) {
      held.add(notice);
    } else {
      outbox.add(notice);
    }
  }

  @Override
  public void hold(boolean holding) {
    hold = holding;
    if (!holding) {
      held.forEach(outbox::add);
      held.clear();
    }
  }

  @Override
  public int write() {
    return 0;
  }

  @Override
  public int head() {
    return 0;
  }

  @Override
  public List<long[]> waiting() {
    return List.of();
  }

  @Override
  public void goOn(int written) {}

  @Override
  public boolean areWaiting() {
    return false;
  }
}
