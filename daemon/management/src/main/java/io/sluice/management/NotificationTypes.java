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

  /** A guest's quota was changed; the message is its name and the quota. */
  public static final String QUOTA_CHANGED = "io.sluice.quota.changed";

  /**
   * Allocations of a guest were refused, at most one notification a second; the message is its name
   * and the numbers.
   */
  public static final String QUOTA_EXCEEDED = "io.sluice.quota.exceeded";

  /** Buffers of a guest moved to system memory or back; the message is its name and how many. */
  public static final String QUOTA_MOVED = "io.sluice.quota.moved";

  /**
   * A channel was ended because its command lasted too long; the message is its guest's name, which
   * channel and how long.
   */
  public static final String CHANNEL_KILLED = "io.sluice.channel.killed";

  /** A migration entered a phase; the message is the guest's name, the phase and why. */
  public static final String MIGRATION_PHASE = "io.sluice.migration.phase";

  /**
   * Nobody says whose a guest is that was being given away; the message is its name and why. A
   * phase follows when that ends.
   */
  public static final String MIGRATION_UNDECIDED = "io.sluice.migration.undecided";

  /** The daemon begins to stop; the message lists the guests that lose their GPU. */
  public static final String DAEMON_STOPPING = "io.sluice.daemon.stopping";

  private NotificationTypes() {}
}
