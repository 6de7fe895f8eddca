package io.sluice.daemon.guest;

import io.sluice.channel.guest.GuestListener;
import io.sluice.channel.state.ChannelError;
import io.sluice.management.ErrorCode;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The watch over a guest's excess: it passes on what the guest is told, and has a guest detached
 * that goes on touching video memory it never allocated. Each time it did so was taken back
 * already; the first times may be a mistake.
 */
public final class ExcessWatch implements GuestListener {
  private static final Logger LOG = LoggerFactory.getLogger(ExcessWatch.class);

  private final String guest;
  private final int limit;
  private final GuestListener listener;
  private final Runnable expel;
  private final AtomicInteger found = new AtomicInteger();

  /**
   * @param guest the operator's name of it
   * @param limit it is detached when it was found this many times
   * @param listener who is told of everything else
   * @param expel ends the guest's connection; must not wait
   */
  public ExcessWatch(String guest, int limit, GuestListener listener, Runnable expel) {
    this.guest = guest;
    this.limit = limit;
    this.listener = listener;
    this.expel = expel;
  }

  @Override
  public void onExcessMemory(long bytes) {
    int times = found.incrementAndGet();
    if (times > limit) {
      return; // on its way out
    }
    LOG.atWarn()
        .addKeyValue("guest", guest)
        .addKeyValue("code", ErrorCode.GUEST_EXCESS.code())
        .addKeyValue("bytes", bytes)
        .addKeyValue("times", times)
        .addKeyValue("limit", limit)
        .log(
            times < limit
                ? "video memory that the guest had not allocated was taken back"
                : "the guest keeps touching video memory it has not allocated: it is detached");
    if (times == limit) {
      expel.run();
    }
  }

  @Override
  public void onChannelCreated(int channelId) {
    listener.onChannelCreated(channelId);
  }

  @Override
  public void onInterrupt(int channelId) {
    listener.onInterrupt(channelId);
  }

  @Override
  public void onVramLimit(long limitBytes, long timeNs) {
    listener.onVramLimit(limitBytes, timeNs);
  }

  @Override
  public void onChannelError(ChannelError error) {
    listener.onChannelError(error);
  }
}
