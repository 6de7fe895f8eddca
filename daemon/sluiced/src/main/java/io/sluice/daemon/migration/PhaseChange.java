package io.sluice.daemon.migration;

/**
 * A migration, checkpoint or restore that has come to another phase.
 *
 * @param guest its name; empty while an incoming one is not known yet
 * @param id of the attempt; empty while it is not known
 * @param kind as {@link io.sluice.management.MigrationStatusView#kind} has it
 * @param phase where it stands now
 * @param reason why, for people
 */
public record PhaseChange(String guest, String id, String kind, String phase, String reason) {}
