package io.sluice.migrate.machine;

/**
 * The API sessions that move with a machine.
 *
 * @param count how many
 * @param bytes of their state that were sent
 * @param stoodNs longest from when one took no calls until it could go on at the destination, which
 *     it does with its machine
 */
public record MovedSessions(int count, long bytes, long stoodNs) {
  /** Of a machine that has none. */
  public static final MovedSessions NONE = new MovedSessions(0, 0, 0);
}
