package io.sluice.management;

import java.util.Map;

/**
 * Totals of one guest since the daemon started.
 *
 * @param attachments clients that attached
 * @param messages vfio-user messages received
 * @param messagesByCommand the same by command, in lower case
 * @param hypercalls calls executed
 * @param hypercallErrors of them, answered with an error
 * @param interrupts interrupts raised
 * @param dmaMaps DMA_MAP requests granted
 * @param dmaUnmaps DMA_UNMAP requests granted
 */
public record GuestCounters(
    long attachments,
    long messages,
    Map<String, Long> messagesByCommand,
    long hypercalls,
    long hypercallErrors,
    long interrupts,
    long dmaMaps,
    long dmaUnmaps) {}
