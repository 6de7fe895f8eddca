package io.sluice.daemon.config;

import com.google.common.collect.ImmutableSet;

/**
 * The settings of sessions that guests of other hosts have here.
 *
 * @param acceptFrom which hosts may bring some, by a name in their certificates; empty for none
 * @param guestLimit most of their guests at one time, each with a session host of its own
 * @param sessionLimit most sessions of each of them
 * @param memoryBytes most memory of the objects of each of them, and of what is kept of its
 *     applications' memory
 */
public record ForeignSettings(
    ImmutableSet<String> acceptFrom, int guestLimit, int sessionLimit, long memoryBytes) {}
