package io.sluice.remoting.state;

import java.util.List;

/** The failure of a move because of what the session has. It stays where it is. */
public final class UnmovableException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient List<String> reasons;

  /**
   * @param reasons what is in the way, each by its name
   */
  public UnmovableException(List<String> reasons) {
    super(String.join("; ", reasons));
    this.reasons = List.copyOf(reasons);
  }

  /** What is in the way, each by its name. */
  public List<String> reasons() {
    return reasons;
  }
}
