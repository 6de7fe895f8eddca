package io.sluice.migrate.engine;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SluiceException;
import io.sluice.migrate.link.Frame;
import io.sluice.migrate.link.FrameType;
import io.sluice.migrate.link.MigrationLink;
import org.jspecify.annotations.Nullable;

/**
 * The destination's reason why a machine's own migration failed. That it has failed, or that the
 * way of its memory has ended, is seen here at once, and is enough for the guest to go on; why, the
 * destination says over the link, which is another connection and may bring it a little later.
 */
final class PeerFailure {
  /** It is waited for so long, by an operator, not by the guest. */
  static final long LONGEST_NS = 500_000_000L;

  /** Of what came before it, so much is passed over at once. */
  private static final int FRAMES_AT_ONCE = 64;

  private final MigrationLink link;
  private final long untilNs;
  private @Nullable Reason heard;
  private boolean over;

  PeerFailure(MigrationLink link, long nowNs) {
    this.link = link;
    untilNs = nowNs + LONGEST_NS;
  }

  /** Listens; whether nothing more will be heard. */
  boolean listen(long nowNs) {
    try {
      for (int i = 0; !over && i < FRAMES_AT_ONCE; i++) {
        Frame frame = link.poll(MigrationLink.CONTROL);
        if (frame == null) {
          break;
        }
        if (frame.type() == FrameType.ABORT) {
          heard = Reason.decode(frame);
          over = true;
        }
      }
    } catch (SluiceException e) {
      over = true;
      boolean refused = e instanceof RefusedException r && r.errno() == Errno.ECONNREFUSED;
      heard = refused ? Reason.of(e) : null; // it says no more than that the link has ended, too
    }
    over |= nowNs >= untilNs;
    return over;
  }

  /** What this side saw first, with what the other one said about it. */
  Reason after(Reason first) {
    Reason said = heard;
    return said == null
        ? first
        : new Reason(
            first.code(),
            first.what() + "; the destination says: " + said.what(),
            first.remedy().isEmpty() ? said.remedy() : first.remedy());
  }
}
