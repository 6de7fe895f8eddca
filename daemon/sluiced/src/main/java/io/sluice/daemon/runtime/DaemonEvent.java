package io.sluice.daemon.runtime;

import com.google.common.collect.ImmutableMap;

/**
 * The telling of something that happened: a notification to be.
 *
 * @param type among those of {@link io.sluice.management.NotificationTypes}
 * @param message for people, on one line
 * @param fields the same for programs
 */
public record DaemonEvent(String type, String message, ImmutableMap<String, Object> fields) {
  /** Without fields. */
  public DaemonEvent(String type, String message) {
    this(type, message, ImmutableMap.of());
  }

  /** One that is about a guest, with that field alone. */
  public static DaemonEvent ofGuest(String type, String guest) {
    return new DaemonEvent(type, guest, ImmutableMap.of("guest", guest));
  }
}
