package io.sluice.management;

import java.util.Map;

/**
 * Totals of one guest since the daemon started, unless said otherwise.
 *
 * @param attachments clients that attached
 * @param attachmentsRefused clients that came while another was attached
 * @param messages vfio-user messages received
 * @param messagesRefused of them, answered with an error or dropped
 * @param messagesByCommand messages by the protocol's name of the command, in lower case
 * @param hypercalls calls executed
 * @param hypercallsRefused of them, ended with an error
 * @param interrupts interrupts delivered
 * @param eventsLost events dropped because the guest did not read its queue
 * @param dmaMaps ranges of guest memory mapped now
 * @param dmaMapsLimit most of them
 * @param sharedBytes guest memory mapped now
 * @param sharedBytesLimit most of it
 * @param descriptorsWaiting descriptors of its clients that wait to be closed
 * @param logLinesLeftOut lines of the log about it that were too many
 */
public record GuestCounters(
    long attachments,
    long attachmentsRefused,
    long messages,
    long messagesRefused,
    Map<String, Long> messagesByCommand,
    long hypercalls,
    long hypercallsRefused,
    long interrupts,
    long eventsLost,
    int dmaMaps,
    int dmaMapsLimit,
    long sharedBytes,
    long sharedBytesLimit,
    int descriptorsWaiting,
    long logLinesLeftOut) {}
