package io.sluice.daemon.guest;

import com.google.common.collect.ImmutableMap;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.channel.guest.GuestListener;
import io.sluice.channel.state.ChannelError;
import io.sluice.channel.state.ChannelErrors;
import io.sluice.daemon.runtime.DaemonEvent;
import io.sluice.management.NotificationTypes;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The watch over a guest's channels: it passes on what the guest is told, and tells operators of
 * each channel that ends before the guest frees it, why, and by whom.
 */
final class ChannelWatch implements GuestListener {
  private static final String BY_OPERATOR = "operator";

  private final String guest;
  private final String gpu;
  private final GuestListener listener;
  private final IntConsumer onCreated;
  private final Map<Integer, String> killers;
  private final Consumer<DaemonEvent> events;

  /**
   * @param onCreated told of each channel that is made
   * @param killers who had which channel ended; entries go as their channels do
   * @param events told of each end; must not wait
   */
  ChannelWatch(
      String guest,
      String gpu,
      GuestListener listener,
      IntConsumer onCreated,
      Killers killers,
      Consumer<DaemonEvent> events) {
    this.guest = guest;
    this.gpu = gpu;
    this.listener = listener;
    this.onCreated = onCreated;
    this.killers = killers.users;
    this.events = events;
  }

  /** The operators who had channels of a guest ended. */
  static final class Killers {
    private final Map<Integer, String> users = new ConcurrentHashMap<>();

    /** Noted before the channel ends. */
    void note(int channelId, String user) {
      users.put(channelId, user);
    }

    void forget(int channelId) {
      users.remove(channelId);
    }
  }

  @Override
  public void onChannelError(ChannelError error) {
    listener.onChannelError(error);
    @Nullable String user = killers.remove(error.channelId());
    String by = by(error.reason());
    String word = ChannelErrors.name(error.reason());
    String who = by.equals(BY_OPERATOR) && user != null ? by + " " + user : by;
    String where = error.address() == 0 ? "" : " at 0x" + Long.toHexString(error.address());
    events.accept(
        new DaemonEvent(
            NotificationTypes.CHANNEL_ENDED,
            guest + ": channel " + error.channelId() + ", " + word + where + ", by the " + who,
            ImmutableMap.<String, Object>builder()
                .put("guest", guest)
                .put("gpu", gpu)
                .put("channel", error.channelId())
                .put("error", word)
                .put("by", by)
                .put("user", Optional.ofNullable(user).orElse(""))
                .put("address", error.address())
                .put("info", error.info())
                .buildOrThrow()));
  }

  /** Whose doing an error is. */
  private static String by(int reason) {
    return switch (reason) {
      case GuestAbi.ERROR_OPERATOR -> BY_OPERATOR;
      case GuestAbi.ERROR_TIMEOUT -> "watchdog";
      case GuestAbi.ERROR_DEVICE -> "host";
      default -> "guest";
    };
  }

  @Override
  public void onChannelCreated(int channelId) {
    listener.onChannelCreated(channelId);
    onCreated.accept(channelId);
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
  public void onExcessMemory(long bytes) {
    listener.onExcessMemory(bytes);
  }
}
