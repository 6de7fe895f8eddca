package io.sluice.remoting.control;

/**
 * The limits of a guest's sessions.
 *
 * @param sessions most at one time, 1 to {@link #MAX_SESSIONS}
 * @param memoryBytes most memory of their objects together
 */
public record SessionLimits(int sessions, long memoryBytes) {
  /** Most sessions that a guest may ever have at one time. */
  public static final int MAX_SESSIONS = 1024;
}
