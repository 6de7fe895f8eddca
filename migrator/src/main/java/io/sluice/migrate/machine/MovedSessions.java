package io.sluice.migrate.machine;

import com.google.common.collect.ImmutableList;

/**
 * The API sessions that move with a machine.
 *
 * @param count how many, those that stay among them
 * @param bytes of their state that were sent
 * @param stoodNs longest from when one took no calls until it could go on at the destination, which
 *     it does with its machine
 * @param stayedAt where those live that stay on another host than the machine's, each
 */
public record MovedSessions(int count, long bytes, long stoodNs, ImmutableList<String> stayedAt) {
  /** Of a machine that has none. */
  public static final MovedSessions NONE = new MovedSessions(0, 0, 0, ImmutableList.of());
}
