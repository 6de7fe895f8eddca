package io.sluice.remoting.session;

import java.util.List;

/**
 * An event to which nothing can happen any more.
 *
 * @param status complete, or an error
 * @param times what the API says of it; empty for none
 */
public record SettledEvent(int status, List<Long> times) {
  /** Keeps the list as it is now. */
  public SettledEvent {
    times = List.copyOf(times);
  }
}
