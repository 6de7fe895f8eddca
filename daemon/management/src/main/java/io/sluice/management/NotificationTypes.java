package io.sluice.management;

/** Types of the notifications that the daemon's MXBean emits. */
public final class NotificationTypes {
  /** A guest was created; the message is its name. */
  public static final String GUEST_CREATED = "io.sluice.guest.created";

  /** A guest was destroyed; the message is its name. */
  public static final String GUEST_DESTROYED = "io.sluice.guest.destroyed";

  /** A client attached to a guest; the message is the guest's name. */
  public static final String GUEST_ATTACHED = "io.sluice.guest.attached";

  /** A client left a guest, or was lost; the message is the guest's name. */
  public static final String GUEST_LEFT = "io.sluice.guest.left";

  /** The daemon begins to stop; the message lists the guests that lose their GPU. */
  public static final String DAEMON_STOPPING = "io.sluice.daemon.stopping";

  private NotificationTypes() {}
}
