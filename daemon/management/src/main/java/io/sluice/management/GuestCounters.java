package io.sluice.management;

import java.util.Map;

/** Totals of one guest since the daemon started, unless said otherwise. */
@Description("Totals of one guest since the daemon started, unless said otherwise.")
public record GuestCounters(
    @Description("clients that attached") long attachments,
    @Description("clients that came while another was attached") long attachmentsRefused,
    @Description("vfio-user messages received") long messages,
    @Description("messages answered with an error or dropped") long messagesRefused,
    @Description("messages by the protocol's name of the command, in lower case")
        Map<String, Long> messagesByCommand,
    @Description("calls executed") long hypercalls,
    @Description("calls ended with an error") long hypercallsRefused,
    @Description("interrupts delivered") long interrupts,
    @Description("events dropped because the guest did not read its queue") long eventsLost,
    @Description("ranges of guest memory mapped now") int dmaMaps,
    @Description("most ranges that it may have mapped") int dmaMapsLimit,
    @Description("guest memory mapped now") long sharedBytes,
    @Description("most guest memory that it may have mapped") long sharedBytesLimit,
    @Description("the daemon's heap that its tables have now, by what their entries count")
        long tableHeapBytes,
    @Description("most heap for its tables") long tableHeapLimit,
    @Description("the daemon's heap that its grids have now") long gridHeapBytes,
    @Description("most heap for its grids; 0: its GPU takes none") long gridHeapLimit,
    @Description("its compiled programs that are kept") long programs,
    @Description("most compiled programs that are kept; 0: none are compiled now")
        long programsLimit,
    @Description("code of its compiled programs") long programBytes,
    @Description("most code that is kept, but for the last program") long programBytesLimit,
    @Description("programs, and parts, that came too soon to be compiled: they were interpreted")
        long programsInterpreted,
    @Description("clients that may connect at once now") int connectionsLeft,
    @Description("most clients that may connect at once") int connectionsAtOnce,
    @Description("milliseconds for one more client in the long run") long connectionIntervalMs,
    @Description("ranges that it may map at once now") int mapsLeft,
    @Description("most ranges that it may map at once") int mapsAtOnce,
    @Description("milliseconds for one more range in the long run") long mapIntervalMs,
    @Description("descriptors of its clients that wait to be closed") int descriptorsWaiting,
    @Description("lines of the log about it that were too many") long logLinesLeftOut,
    @Description("lines of the log about it at once") int logLinesAtOnce,
    @Description("milliseconds for one more line in the long run") long logIntervalMs) {}
