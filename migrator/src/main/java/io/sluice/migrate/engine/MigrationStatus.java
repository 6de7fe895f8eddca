package io.sluice.migrate.engine;

import com.google.common.collect.ImmutableList;
import io.sluice.migrate.link.MigrationLink;
import io.sluice.migrate.phase.Phase;
import io.sluice.migrate.phase.PhaseLog;
import java.util.Optional;
import java.util.UUID;

/**
 * A migration as an operator sees it; a snapshot.
 *
 * @param id of the attempt
 * @param guest its name
 * @param phase where the source stands
 * @param phases every change so far
 * @param reason why it was given up
 * @param bytesTotal video memory to move
 * @param bytesLeft not yet looked at in this pass
 * @param pass over video memory
 * @param pagesSent in all passes
 * @param lastPassPages sent in the last pass, during the pause
 * @param pagesHashed compared as a whole
 * @param pagesSampledAway found by a sample
 * @param guestPagesRedirtied ranges of guest memory the GPU wrote, in bytes
 * @param rateBytesPerSecond of the link
 * @param expectedDrainNs how long the drain is expected to take
 * @param link what it carried
 * @param machineBytesLeft of the machine's own memory; -1 unknown
 * @param wentOnNs from giving up until GPU and machine went on here, in nanoseconds; -1 before
 * @param figures of moments of it
 * @param atNs when this was
 */
public record MigrationStatus(
    UUID id,
    String guest,
    Phase phase,
    ImmutableList<PhaseLog.Entry<Phase>> phases,
    Optional<Reason> reason,
    long bytesTotal,
    long bytesLeft,
    int pass,
    long pagesSent,
    long lastPassPages,
    long pagesHashed,
    long pagesSampledAway,
    long guestPagesRedirtied,
    long rateBytesPerSecond,
    long expectedDrainNs,
    MigrationLink.Statistics link,
    long machineBytesLeft,
    long wentOnNs,
    MigrationFigures figures,
    long atNs) {}
