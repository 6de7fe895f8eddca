package io.sluice.management;

/**
 * Something that stands in the way of a migration.
 *
 * @param code {@code SLU-<area>-<three digits>}
 * @param what what blocks and why
 * @param remedy what to do about it
 */
public record MigrationBlocker(String code, String what, String remedy) {}
