package io.sluice.migrate.qmp;

/**
 * A message of the monitor that nobody has asked for.
 *
 * @param name such as {@code STOP}, {@code RESUME}, {@code MIGRATION}
 * @param data what it says; may be without members
 */
public record QmpEvent(String name, JsonObject data) {}
