package io.sluice.migrate.qmp;

/**
 * Something the monitor told without being asked.
 *
 * @param name such as {@code STOP}, {@code RESUME}, {@code MIGRATION}
 * @param data what it says; may be without members
 */
public record QmpEvent(String name, JsonObject data) {}
