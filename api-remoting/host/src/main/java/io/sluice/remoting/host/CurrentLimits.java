package io.sluice.remoting.host;

import io.sluice.remoting.control.SessionLimits;

/** The limits of the guest's sessions, which the daemon may change. */
final class CurrentLimits {
  private volatile SessionLimits limits;

  CurrentLimits(SessionLimits limits) {
    this.limits = limits;
  }

  SessionLimits now() {
    return limits;
  }

  void set(SessionLimits changed) {
    limits = changed;
  }
}
