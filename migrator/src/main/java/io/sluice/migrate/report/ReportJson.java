package io.sluice.migrate.report;

import io.sluice.migrate.engine.MigrationFigures;
import io.sluice.migrate.engine.MigrationStatus;
import io.sluice.migrate.engine.Reason;
import java.io.StringWriter;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** A report as JSON: times in ns since the start, amounts in bytes, moments in ISO 8601. */
final class ReportJson {
  private static final int SCHEMA_VERSION = 1;

  private final JsonGenerator json;

  private ReportJson(JsonGenerator json) {
    this.json = json;
  }

  static String of(MoveHistory report) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json =
        JsonFactory.builder().build().createGenerator(ObjectWriteContext.empty(), text)) {
      new ReportJson(json).write(report);
    }
    return text.append('\n').toString();
  }

  private void write(MoveHistory report) {
    json.writeStartObject();
    json.writeNumberProperty("schemaVersion", SCHEMA_VERSION);
    report
        .last()
        .ifPresent(status -> {
          attempt(report, status);
          headlines(report, status);
          amounts(status);
          figures(status.figures());
        });
    pause(report);
    phases(report);
    samples(report);
    json.writeEndObject();
  }

  private void attempt(MoveHistory report, MigrationStatus status) {
    MoveContext context = report.context();
    Reason reason = status.reason().orElse(new Reason("", "", ""));
    json.writeStringProperty("id", status.id().toString());
    json.writeStringProperty("guest", status.guest());
    json.writeStringProperty("from", context.from());
    json.writeStringProperty("to", context.to());
    json.writeStringProperty("gpu", context.gpu());
    json.writeStringProperty("sluiced", context.version());
    json.writeStringProperty("machine", context.machine());
    json.writeNumberProperty("protocol", status.agreedVersion());
    json.writeObjectPropertyStart("options");
    context.options().forEach(json::writeStringProperty);
    json.writeEndObject();
    json.writeStringProperty("startedAt", context.startedAt().toString());
    report.endedAt().ifPresent(at -> json.writeStringProperty("endedAt", at.toString()));
    json.writeNumberProperty("elapsedNs", report.elapsedNs());
    json.writeStringProperty("phase", status.phase().label());
    json.writeStringProperty("code", reason.code());
    json.writeStringProperty("reason", reason.what());
    json.writeStringProperty("remedy", reason.remedy());
  }

  private void headlines(MoveHistory report, MigrationStatus status) {
    json.writeBooleanProperty("machineStands", status.machine().stands());
    json.writeNumberProperty("machinePausedNs", report.machinePausedNs());
    json.writeNumberProperty("gpuPausedNs", report.gpuPausedNs());
    json.writeNumberProperty("wentOnNs", report.wentOnNs());
  }

  private void amounts(MigrationStatus status) {
    json.writeNumberProperty("bytesTotal", status.allBytesTotal());
    json.writeNumberProperty("bytesSent", status.allBytesSent());
    json.writeNumberProperty("bytesLeft", status.allBytesLeft());
    json.writeNumberProperty("bytesPerSecond", status.rateBytesPerSecond());
    json.writeNumberProperty("machineBytesTotal", status.machine().totalBytes());
    json.writeNumberProperty("machineBytesSent", status.machine().sentBytes());
    json.writeNumberProperty("machineBytesLeft", status.machineBytesLeft());
    json.writeNumberProperty("videoBytesTotal", status.bytesTotal());
    json.writeNumberProperty("passes", status.pass());
    json.writeNumberProperty("pagesSent", status.pagesSent());
    json.writeNumberProperty("pausePages", status.lastPassPages());
    json.writeNumberProperty("pagesHashed", status.pagesHashed());
    json.writeNumberProperty("pagesSampledAway", status.pagesSampledAway());
    json.writeNumberProperty("guestBytesRedirtied", status.guestPagesRedirtied());
    json.writeNumberProperty("linkBytesSent", status.link().bytesSent());
    json.writeNumberProperty("linkBytesRetransmitted", status.link().bytesRetransmitted());
    json.writeNumberProperty("linkReconnects", status.link().reconnects());
  }

  private void figures(MigrationFigures figures) {
    MigrationFigures.DetachFigures detach = figures.detach();
    json.writeObjectPropertyStart("detach");
    json.writeNumberProperty("leftBytes", detach.leftBytes());
    json.writeNumberProperty("expectedDrainNs", detach.expectedDrainNs());
    json.writeNumberProperty("channels", detach.channels());
    json.writeNumberProperty("running", detach.running());
    json.writeNumberProperty("pendingEntries", detach.pendingEntries());
    json.writeEndObject();
    MigrationFigures.StopFigures stop = figures.stop();
    json.writeObjectPropertyStart("stop");
    json.writeNumberProperty("idleNs", stop.idleNs());
    json.writeNumberProperty("settleNs", stop.settleNs());
    json.writeNumberProperty("stoodNs", stop.stoodNs());
    json.writeNumberProperty("drainPages", stop.drainPages());
    json.writeNumberProperty("settledPages", stop.settledPages());
    json.writeBooleanProperty("touchedByGuest", stop.touchedByGuest());
    json.writeNumberProperty("parked", stop.parked());
    json.writeNumberProperty("ended", stop.ended());
    json.writeEndObject();
    MigrationFigures.SavingFigures saving = figures.saving();
    json.writeObjectPropertyStart("saving");
    json.writeNumberProperty("deviceNs", saving.deviceNs());
    json.writeNumberProperty("redirtyNs", saving.redirtyNs());
    json.writeNumberProperty("machineBytesLeft", saving.machineBytesLeft());
    json.writeEndObject();
    json.writeObjectPropertyStart("sessions");
    json.writeNumberProperty("moved", figures.sessions().count());
    json.writeNumberProperty("bytes", figures.sessions().bytes());
    json.writeNumberProperty("stoodNs", figures.sessions().stoodNs());
    json.writeArrayPropertyStart("stayedAt");
    figures.sessions().stayedAt().forEach(json::writeString);
    json.writeEndArray();
    json.writeEndObject();
  }

  private void pause(MoveHistory report) {
    json.writeArrayPropertyStart("pauseParts");
    for (PausePart part : report.pause()) {
      json.writeStartObject();
      json.writeStringProperty("part", part.kind().id());
      json.writeNumberProperty("fromNs", part.fromNs());
      json.writeNumberProperty("lengthNs", part.lengthNs());
      json.writeBooleanProperty("gpu", part.gpu());
      json.writeBooleanProperty("machine", part.machine());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void phases(MoveHistory report) {
    json.writeArrayPropertyStart("phases");
    for (MoveHistory.Span span : report.spans()) {
      json.writeStartObject();
      json.writeStringProperty("phase", span.phase().label());
      json.writeNumberProperty("fromNs", span.fromNs());
      json.writeNumberProperty("lengthNs", span.lengthNs());
      json.writeBooleanProperty("pause", MoveHistory.isPause(span.phase()));
      json.writeStringProperty("reason", span.reason());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private void samples(MoveHistory report) {
    json.writeArrayPropertyStart("samples");
    for (MoveHistory.Sample sample : report.samples()) {
      json.writeStartObject();
      json.writeNumberProperty("atNs", sample.atNs());
      json.writeStringProperty("phase", sample.phase().label());
      json.writeNumberProperty("bytesSent", sample.bytesSent());
      json.writeNumberProperty("bytesLeft", sample.bytesLeft());
      json.writeNumberProperty("machineBytesSent", sample.machineBytesSent());
      json.writeNumberProperty("machineBytesLeft", sample.machineBytesLeft());
      json.writeNumberProperty("bytesPerSecond", sample.rate());
      json.writeEndObject();
    }
    json.writeEndArray();
  }
}
