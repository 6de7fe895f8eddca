package io.sluice.remoting.state;

import java.util.EnumSet;
import java.util.Set;

/**
 * The states of the service of an application: whether this host takes what it adds to its memory,
 * and which host does.
 *
 * <pre>
 *  HERE ◄──► HELD
 *    └───┬────┘
 *        ▼
 *    ELSEWHERE
 * </pre>
 */
public enum ServingState {
  /** It is served here. */
  HERE,
  /** It is served here, and its memory stays as it is. */
  HELD,
  /** Another host serves it. */
  ELSEWHERE;

  private Set<ServingState> next() {
    return switch (this) {
      case HERE -> EnumSet.of(HELD, ELSEWHERE);
      case HELD -> EnumSet.of(HERE, ELSEWHERE);
      case ELSEWHERE -> EnumSet.noneOf(ServingState.class);
    };
  }

  /** Whether another state may follow. */
  public boolean mayBecome(ServingState following) {
    return next().contains(following);
  }

  /** The state after a wish for another: that one where the table has the change, else this. */
  public ServingState after(ServingState wish) {
    return mayBecome(wish) ? wish : this;
  }
}
