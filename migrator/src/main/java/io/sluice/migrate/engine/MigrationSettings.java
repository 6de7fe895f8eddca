package io.sluice.migrate.engine;

import io.sluice.migrate.memory.DirtyDetection;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * The settings of a migration.
 *
 * @param detach when access is taken back
 * @param detection how changed pages are found
 * @param livePasses passes over video memory while the GPU works, at least 1 unless access is taken
 *     back first
 * @param linkBytesPerSecond what the link is expected to carry; 0 to measure
 * @param drainTimeout longest time for what was submitted to run to its end
 * @param timeout longest time up to the switch-over; zero for no limit
 * @param onTimeout what happens when that is over
 * @param peer how long the other side may be silent
 * @param keepSource the guest stays here: the other side, which must be a file, gets a copy
 */
public record MigrationSettings(
    DetachTime detach,
    DirtyDetection detection,
    int livePasses,
    long linkBytesPerSecond,
    Duration drainTimeout,
    Duration timeout,
    OnTimeout onTimeout,
    PeerPatience peer,
    boolean keepSource) {
  /**
   * The longest silences of the other side.
   *
   * @param running its engine, while the guest loses nothing by waiting: it runs
   * @param held its engine, while the guest waits too
   * @param host its host, while the guest waits
   */
  public record PeerPatience(Duration running, Duration held, Duration host) {
    /** A host that is loaded many times over answers an offer late; a live one is heard at once. */
    static final PeerPatience DEFAULT =
        new PeerPatience(Duration.ofSeconds(60), Duration.ofSeconds(10), Duration.ofMillis(700));

    /** With another time for the host. */
    public PeerPatience withHost(Duration longest) {
      return new PeerPatience(running, held, longest);
    }
  }

  /** The moments in which access can be taken back. */
  public enum DetachTime {
    /** Before memory is copied (the way of the thesis). */
    FIRST,
    /** So that the drain ends when the copying does. */
    PLANNED,
    /** When all has been copied once. */
    LAST
  }

  /** The ways to end a migration that takes too long. */
  public enum OnTimeout {
    /** It is given up. */
    ABORT,
    /**
     * Access is taken back and the machine stopped, however much is left to copy. Channels whose
     * work does not end within the drain's own time are ended, with SLUICE_ERROR_OPERATOR.
     */
    FORCE
  }

  /** What is done when nothing else is said. */
  public static final MigrationSettings DEFAULT =
      new MigrationSettings(
          DetachTime.PLANNED,
          DirtyDetection.DEFAULT,
          1,
          0,
          Duration.ofSeconds(10),
          Duration.ZERO,
          OnTimeout.ABORT,
          PeerPatience.DEFAULT,
          false);

  /** With another time to take access back. */
  public MigrationSettings withDetach(DetachTime time) {
    return with(draft -> draft.detach = time);
  }

  /** With other ways to find changed pages. */
  public MigrationSettings withDetection(DirtyDetection other) {
    return with(draft -> draft.detection = other);
  }

  /** With another limit of the time up to the switch-over. */
  public MigrationSettings withTimeout(Duration longest, OnTimeout then) {
    return with(draft -> {
      draft.timeout = longest;
      draft.onTimeout = then;
    });
  }

  /** With the guest staying here. */
  public MigrationSettings keepingSource() {
    return with(draft -> draft.keepSource = true);
  }

  private MigrationSettings with(Consumer<MutableSettings> change) {
    MutableSettings draft = new MutableSettings(this);
    change.accept(draft);
    return new MigrationSettings(
        draft.detach,
        draft.detection,
        livePasses,
        linkBytesPerSecond,
        drainTimeout,
        draft.timeout,
        draft.onTimeout,
        peer,
        draft.keepSource);
  }

  /** Settings that can be changed one by one. */
  private static final class MutableSettings {
    DetachTime detach;
    DirtyDetection detection;
    Duration timeout;
    OnTimeout onTimeout;
    boolean keepSource;

    MutableSettings(MigrationSettings from) {
      detach = from.detach;
      detection = from.detection;
      timeout = from.timeout;
      onTimeout = from.onTimeout;
      keepSource = from.keepSource;
    }
  }
}
