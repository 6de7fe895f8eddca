package io.sluice.management;

/** A reason that stands in the way of a migration. */
@Description("A reason that stands in the way of a migration.")
public record MigrationBlocker(
    @Description("SLU-<area>-<three digits>") String code,
    @Description("what blocks and why") String what,
    @Description("what to do about it") String remedy) {}
