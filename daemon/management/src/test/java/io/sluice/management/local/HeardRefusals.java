package io.sluice.management.local;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/** Keeps what was refused, as texts. */
final class HeardRefusals implements RefusalListener {
  private final List<String> heard = new CopyOnWriteArrayList<>();

  List<String> heard() {
    return heard;
  }

  @Override
  public void connectionRefused(Peer peer, String why) {
    heard.add(peer + ": " + why);
  }

  @Override
  public void operationRefused(@Nullable ObjectName bean, String operation, Throwable why) {
    heard.add(operation + " of " + bean + ": " + why.getClass().getSimpleName());
  }
}
