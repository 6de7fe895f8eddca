package io.sluice.remoting.session;

/**
 * A kind of an API's objects.
 *
 * @param number from 1
 * @param most how many of them a session may have; an index is from 1 to this
 */
public record ObjectKind(int number, String name, int most) {}
