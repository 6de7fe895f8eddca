package io.sluice.migrate.report;

import io.sluice.migrate.engine.MigrationFigures;
import io.sluice.migrate.engine.MigrationStatus;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.machine.MovedSessions;
import java.util.Locale;
import java.util.StringJoiner;

/** A report as JSON. */
final class ReportJson {
  private static final int VERSION = 1;

  private ReportJson() {}

  static String of(MigrationReport report) {
    StringJoiner fields = new StringJoiner(",", "{", "}\n");
    fields.add("\"version\":" + VERSION);
    report.last().ifPresent(status -> status(fields, report, status));
    StringJoiner phases = new StringJoiner(",", "[", "]");
    for (MigrationReport.Span span : report.spans()) {
      phases.add(
          "{\"phase\":"
              + quote(span.phase().label())
              + ",\"fromNs\":"
              + span.fromNs()
              + ",\"lengthNs\":"
              + span.lengthNs()
              + ",\"pause\":"
              + MigrationReport.isPause(span.phase())
              + ",\"reason\":"
              + quote(span.reason())
              + "}");
    }
    fields.add("\"phases\":" + phases);
    StringJoiner samples = new StringJoiner(",", "[", "]");
    for (MigrationReport.Sample sample : report.samples()) {
      samples.add(
          "["
              + sample.atNs()
              + ","
              + quote(sample.phase().label())
              + ","
              + sample.bytesSent()
              + ","
              + sample.bytesLeft()
              + ","
              + sample.rate()
              + "]");
    }
    fields.add("\"samples\":" + samples);
    return fields.toString();
  }

  private static void status(StringJoiner fields, MigrationReport report, MigrationStatus status) {
    Reason reason = status.reason().orElse(new Reason("", "", ""));
    fields.add("\"id\":" + quote(status.id().toString()));
    fields.add("\"guest\":" + quote(status.guest()));
    fields.add("\"phase\":" + quote(status.phase().label()));
    fields.add("\"code\":" + quote(reason.code()));
    fields.add("\"reason\":" + quote(reason.what()));
    fields.add("\"remedy\":" + quote(reason.remedy()));
    fields.add("\"gpuPausedNs\":" + report.gpuPausedNs());
    fields.add("\"wentOnNs\":" + report.wentOnNs());
    fields.add("\"bytesTotal\":" + status.bytesTotal());
    fields.add("\"passes\":" + status.pass());
    fields.add("\"pagesSent\":" + status.pagesSent());
    fields.add("\"pausePages\":" + status.lastPassPages());
    fields.add("\"pagesHashed\":" + status.pagesHashed());
    fields.add("\"pagesSampledAway\":" + status.pagesSampledAway());
    fields.add("\"guestBytesRedirtied\":" + status.guestPagesRedirtied());
    fields.add("\"linkBytesSent\":" + status.link().bytesSent());
    fields.add("\"linkBytesRetransmitted\":" + status.link().bytesRetransmitted());
    fields.add("\"linkReconnects\":" + status.link().reconnects());
    fields.add("\"linkBytesPerSecond\":" + status.rateBytesPerSecond());
    figures(fields, status.figures());
  }

  private static void figures(StringJoiner fields, MigrationFigures figures) {
    MigrationFigures.Detach detach = figures.detach();
    fields.add(
        new StringJoiner(",", "\"detach\":{", "}")
            .add("\"leftBytes\":" + detach.leftBytes())
            .add("\"expectedDrainNs\":" + detach.expectedDrainNs())
            .add("\"channels\":" + detach.channels())
            .add("\"running\":" + detach.running())
            .add("\"pendingEntries\":" + detach.pendingEntries())
            .toString());
    MigrationFigures.Stop stop = figures.stop();
    fields.add(
        new StringJoiner(",", "\"stop\":{", "}")
            .add("\"idleNs\":" + stop.idleNs())
            .add("\"settleNs\":" + stop.settleNs())
            .add("\"stoodNs\":" + stop.stoodNs())
            .add("\"drainPages\":" + stop.drainPages())
            .add("\"settledPages\":" + stop.settledPages())
            .add("\"touchedByGuest\":" + stop.touchedByGuest())
            .add("\"parked\":" + stop.parked())
            .add("\"ended\":" + stop.ended())
            .toString());
    MigrationFigures.Saving saving = figures.saving();
    fields.add(
        new StringJoiner(",", "\"saving\":{", "}")
            .add("\"deviceNs\":" + saving.deviceNs())
            .add("\"redirtyNs\":" + saving.redirtyNs())
            .toString());
    MovedSessions sessions = figures.sessions();
    fields.add(
        new StringJoiner(",", "\"sessions\":{", "}")
            .add("\"moved\":" + sessions.count())
            .add("\"bytes\":" + sessions.bytes())
            .add("\"stoodNs\":" + sessions.stoodNs())
            .toString());
  }

  static String quote(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ') {
        out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    return out.append('"').toString();
  }
}
