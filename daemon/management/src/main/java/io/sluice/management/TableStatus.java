package io.sluice.management;

/** A table of a guest at one moment. */
@Description("A table of a guest at one moment.")
public record TableStatus(
    @Description("entries that it has") int used, @Description("most it may have") int limit) {}
