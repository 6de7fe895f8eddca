package io.sluice.remoting.generator;

/**
 * A kind of objects.
 *
 * @param number from 1, in the order of the specification
 * @param most how many a session may have
 */
record KindSpec(String name, int number, int most) {}
