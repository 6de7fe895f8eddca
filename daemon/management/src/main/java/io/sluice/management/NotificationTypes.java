package io.sluice.management;

import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.Comparator;
import javax.management.MBeanNotificationInfo;
import javax.management.Notification;

/** Types of the notifications that the daemon's MXBean emits. */
public final class NotificationTypes {
  @Description("A guest was created; the message is its name. Fields: guest.")
  public static final String GUEST_CREATED = "io.sluice.guest.created";

  @Description("A guest was destroyed; the message is its name. Fields: guest.")
  public static final String GUEST_DESTROYED = "io.sluice.guest.destroyed";

  @Description(
      "A client attached to a guest; the message is the guest's name. Fields: guest, clientPid, clientUid, clientName.")
  public static final String GUEST_ATTACHED = "io.sluice.guest.attached";

  @Description(
      "A client left a guest, was lost or was detached by an operator; the message is the guest's name. Fields: guest.")
  public static final String GUEST_LEFT = "io.sluice.guest.left";

  @Description(
      "A client was turned away from a guest because it has one; the message says who. At most 16 at once and four a second of a guest, those of channels included. Fields: guest, clientPid, clientUid, clientName, attachedPid.")
  public static final String GUEST_REFUSED = "io.sluice.guest.refused";

  @Description(
      "A guest's channels were suspended by an operator; the message is its name. Fields: guest, user.")
  public static final String GUEST_SUSPENDED = "io.sluice.guest.suspended";

  @Description(
      "A guest's channels go on after they were suspended; the message is its name. Fields: guest, user.")
  public static final String GUEST_RESUMED = "io.sluice.guest.resumed";

  @Description(
      "A guest's quota was changed; the message is its name and the quota. Fields: guest, minimumBytes, weight, limitBytes, beyondShare, killTimeoutMs.")
  public static final String QUOTA_CHANGED = "io.sluice.quota.changed";

  @Description(
      "Allocations of a guest were refused, at most one notification a second; the message is its name and the numbers. Fields: guest, requestedBytes, heldBytes, limitBytes.")
  public static final String QUOTA_EXCEEDED = "io.sluice.quota.exceeded";

  @Description(
      "Buffers of a guest moved to system memory or back; the message is its name and how many. Fields: guest, buffers, toSystemMemory.")
  public static final String QUOTA_MOVED = "io.sluice.quota.moved";

  @Description(
      "A channel was ended because its command lasted too long; the message is its guest's name, which channel and how long. Fields: guest, channel, lastedMs, limitMs. That the channel ended follows.")
  public static final String CHANNEL_KILLED = "io.sluice.channel.killed";

  @Description(
      "A channel ended before its guest freed it; the message is its guest's name, which channel, why, and by whom. At most 16 at once and four a second of a guest. Fields: guest, gpu, channel, error (a word of docs/abi.md), by (guest, watchdog, operator or host), user, address, info.")
  public static final String CHANNEL_ENDED = "io.sluice.channel.ended";

  @Description(
      "A guest that is being written to a file has come to another phase, in the end to done or failed; the message is its name, the phase and why. Fields: guest, id, phase, reason.")
  public static final String CHECKPOINT_PHASE = "io.sluice.checkpoint.phase";

  @Description(
      "A guest that is made of a file has come to another phase, in the end to done or failed; the message is its name, the phase and why. Fields: guest, id, phase, reason.")
  public static final String RESTORE_PHASE = "io.sluice.restore.phase";

  @Description(
      "A migration entered a phase; the message is the guest's name, the phase and why. Fields: guest, id, phase, reason.")
  public static final String MIGRATION_PHASE = "io.sluice.migration.phase";

  @Description(
      "Nobody says whose a guest is that was being given away; the message is its name and why. A phase follows when that ends. Fields: guest, id, reason.")
  public static final String MIGRATION_UNDECIDED = "io.sluice.migration.undecided";

  @Description(
      "An application opened a session; the message is its guest's name, its number, and the application.")
  public static final String SESSION_OPENED = "io.sluice.session.opened";

  @Description("A session ended; the message is its guest's name, its number and why.")
  public static final String SESSION_ENDED = "io.sluice.session.ended";

  @Description(
      "A session's move has come to another stage; the message is its guest's name, its number and which.")
  public static final String SESSION_MOVING = "io.sluice.session.moving";

  @Description(
      "A session has moved, or stayed; the message is its guest's name, its number, and where it is or why.")
  public static final String SESSION_MOVED = "io.sluice.session.moved";

  @Description(
      "A session host serves, or ended and is started again; the message is its guest's name and which.")
  public static final String SESSION_HOST = "io.sluice.session.host";

  @Description(
      "A CUDA program of a guest has come; the message is the guest's name, and the program.")
  public static final String PROGRAM_OPENED = "io.sluice.program.opened";

  @Description(
      "A CUDA program of a guest has left, and all it had is gone; the message is the guest's name, and the program.")
  public static final String PROGRAM_ENDED = "io.sluice.program.ended";

  @Description(
      "The GPU was taken from a CUDA program by an operator; the message is the guest's name, the program, and its number.")
  public static final String PROGRAM_SUSPENDED = "io.sluice.program.suspended";

  @Description(
      "A suspended CUDA program has the GPU again; the message is the guest's name, the program, and its number.")
  public static final String PROGRAM_RESUMED = "io.sluice.program.resumed";

  @Description(
      "The daemon begins to stop; the message lists the guests that lose their GPU. Fields: attached, how many.")
  public static final String DAEMON_STOPPING = "io.sluice.daemon.stopping";

  private NotificationTypes() {}

  /** All of them, each with its description. */
  public static MBeanNotificationInfo[] infos() {
    return Arrays.stream(NotificationTypes.class.getFields())
        .map(NotificationTypes::info)
        .sorted(Comparator.comparing(info -> info.getNotifTypes()[0]))
        .toArray(MBeanNotificationInfo[]::new);
  }

  private static MBeanNotificationInfo info(Field type) {
    Description description = type.getAnnotation(Description.class);
    if (description == null) {
      throw new AssertionError("not described: " + type.getName());
    }
    try {
      return new MBeanNotificationInfo(
          new String[] {(String) type.get(null)},
          Notification.class.getName(),
          description.value());
    } catch (IllegalAccessException e) {
      throw new AssertionError("a public constant", e);
    }
  }
}
