package io.sluice.remoting.session;

import io.sluice.abi.sys.Fd;

/**
 * The ways in which a session and its application wake one another.
 *
 * @param doorbell what the application rings
 * @param wake an eventfd, not blocking, of our own
 * @param application how the application is woken
 */
record Bells(Fd doorbell, Fd wake, Wakeup application) {}
