package io.sluice.remoting.control;

import io.sluice.remoting.control.HostMessage.Done;
import io.sluice.remoting.control.HostMessage.Ended;
import io.sluice.remoting.control.HostMessage.Left;
import io.sluice.remoting.control.HostMessage.Moved;
import io.sluice.remoting.control.HostMessage.Moving;
import io.sluice.remoting.control.HostMessage.Opened;
import io.sluice.remoting.control.HostMessage.Serving;
import io.sluice.remoting.control.HostMessage.Sessions;
import io.sluice.remoting.control.HostMessage.Shared;
import io.sluice.remoting.control.HostMessage.Turns;
import io.sluice.remoting.control.Order.AddSegment;
import io.sluice.remoting.control.Order.Approach;
import io.sluice.remoting.control.Order.Arrive;
import io.sluice.remoting.control.Order.Depart;
import io.sluice.remoting.control.Order.EndSession;
import io.sluice.remoting.control.Order.EndTrial;
import io.sluice.remoting.control.Order.GoOn;
import io.sluice.remoting.control.Order.Halt;
import io.sluice.remoting.control.Order.Leave;
import io.sluice.remoting.control.Order.LimitSessions;
import io.sluice.remoting.control.Order.ListSessions;
import io.sluice.remoting.control.Order.Mirror;
import io.sluice.remoting.control.Order.Near;
import io.sluice.remoting.control.Order.OpenShared;
import io.sluice.remoting.control.Order.Park;
import io.sluice.remoting.control.Order.Part;
import io.sluice.remoting.control.Order.Relay;
import io.sluice.remoting.control.Order.Serve;
import io.sluice.remoting.control.Order.Stand;
import io.sluice.remoting.control.Order.Stay;
import io.sluice.remoting.control.Order.TakeNumber;
import io.sluice.remoting.control.Order.Trial;
import io.sluice.remoting.control.Order.Unpark;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** The messages as lines. What is read is checked: each end takes the other for hostile. */
public final class ControlCodec {
  static final int MAX_TEXT = 256;
  static final int MAX_KINDS = 32;
  static final int MAX_DEVICES = 64;
  static final int MAX_OBSTACLES = 64;
  static final int MAX_TIES = 4;

  /** Beyond any: a length of as many pieces as there may be is a number. */
  private static final long MAX_SEGMENT_BYTES = Long.MAX_VALUE / MemoryPiece.MAX_PIECES;

  private static final int MAX_INDEX = 63;
  private static final int MAX_ERRNO = 4095;

  private static final JsonFactory JSON = new JsonFactory();

  private ControlCodec() {}

  /** An order as a line without its end. */
  public static String write(Order order) {
    return object(json -> {
      switch (order) {
        case Serve serve -> {
          json.writeStringProperty("do", "serve");
          json.writeStringProperty("guest", serve.guest());
          write(json, serve.limits());
          json.writeNumberProperty("first", serve.first());
        }
        case Stand stand -> {
          json.writeStringProperty("do", "stand");
          json.writeStringProperty("guest", stand.guest());
          write(json, stand.limits());
          json.writeNumberProperty("host", stand.host());
        }
        case Depart depart -> {
          json.writeStringProperty("do", depart.checkOnly() ? "check" : "depart");
          json.writeNumberProperty("id", depart.id());
          json.writeNumberProperty("session", depart.session());
        }
        case Arrive arrive -> {
          json.writeStringProperty("do", arrive.again() ? "again" : "arrive");
          json.writeNumberProperty("id", arrive.id());
          json.writeNumberProperty("session", arrive.session());
          json.writeNumberProperty("pid", arrive.pid());
          json.writeNumberProperty("uid", arrive.uid());
          json.writeNumberProperty("since", arrive.sinceMs());
        }
        case Relay relay -> {
          json.writeStringProperty("do", "relay");
          json.writeNumberProperty("id", relay.id());
          json.writeNumberProperty("session", relay.session());
          json.writeNumberProperty("pid", relay.pid());
          json.writeNumberProperty("uid", relay.uid());
          json.writeNumberProperty("since", relay.sinceMs());
        }
        case Park park -> {
          json.writeStringProperty("do", "park");
          json.writeNumberProperty("id", park.id());
          json.writeNumberProperty("session", park.session());
          json.writeNumberProperty("pid", park.pid());
          json.writeNumberProperty("uid", park.uid());
          json.writeNumberProperty("since", park.sinceMs());
          json.writeStringProperty("key", park.key());
        }
        case Unpark unpark -> {
          json.writeStringProperty("do", "unpark");
          json.writeNumberProperty("id", unpark.id());
          json.writeNumberProperty("session", unpark.session());
          json.writeStringProperty("key", unpark.key());
        }
        case Mirror mirror -> {
          json.writeStringProperty("do", "mirror");
          json.writeNumberProperty("id", mirror.id());
          json.writeNumberProperty("session", mirror.session());
        }
        case Stay stay -> {
          json.writeStringProperty("do", "stay");
          json.writeNumberProperty("id", stay.id());
          json.writeNumberProperty("session", stay.session());
        }
        case ListSessions list -> {
          json.writeStringProperty("do", "list");
          json.writeNumberProperty("id", list.id());
        }
        case LimitSessions limit -> {
          json.writeStringProperty("do", "limit");
          json.writeNumberProperty("id", limit.id());
          write(json, limit.limits());
        }
        case OpenShared open -> {
          json.writeStringProperty("do", open.comes() ? "come" : "open");
          json.writeNumberProperty("id", open.id());
          json.writeNumberProperty("api", open.api());
          write(json, open.files(), open.pieces());
        }
        case Leave leave -> {
          json.writeStringProperty("do", leave.trial() ? "try" : "leave");
          json.writeNumberProperty("id", leave.id());
          json.writeNumberProperty("session", leave.session());
        }
        case Part part -> {
          json.writeStringProperty("do", "part");
          json.writeNumberProperty("id", part.id());
          json.writeNumberProperty("session", part.session());
        }
        case Near near -> {
          json.writeStringProperty("do", "near");
          json.writeNumberProperty("id", near.id());
          json.writeNumberProperty("session", near.session());
          json.writeNumberProperty("api", near.api());
          write(json, near.files(), near.pieces());
        }
        case TakeNumber take -> {
          json.writeStringProperty("do", "number");
          json.writeNumberProperty("id", take.id());
        }
        case EndTrial end -> {
          json.writeStringProperty("do", "tried");
          json.writeNumberProperty("id", end.id());
          json.writeNumberProperty("session", end.session());
        }
        case Trial trial -> {
          json.writeStringProperty("do", "trial");
          json.writeNumberProperty("id", trial.id());
        }
        case Approach approach -> {
          json.writeStringProperty("do", "approach");
          json.writeNumberProperty("id", approach.id());
          json.writeNumberProperty("session", approach.session());
        }
        case Halt halt -> {
          json.writeStringProperty("do", "halt");
          json.writeNumberProperty("id", halt.id());
          json.writeNumberProperty("session", halt.session());
        }
        case GoOn go -> {
          json.writeStringProperty("do", "go");
          json.writeNumberProperty("id", go.id());
          json.writeNumberProperty("session", go.session());
        }
        case AddSegment add -> {
          json.writeStringProperty("do", "segment");
          json.writeNumberProperty("id", add.id());
          json.writeNumberProperty("session", add.session());
          json.writeNumberProperty("index", add.index());
          write(json, add.files(), add.pieces());
        }
        case EndSession end -> {
          json.writeStringProperty("do", "end");
          json.writeNumberProperty("id", end.id());
          json.writeNumberProperty("session", end.session());
        }
      }
    });
  }

  /** The order that a line is. */
  public static Order readOrder(String line) throws LinkException {
    Fields fields = Fields.parse(line);
    String what = fields.text("do", MAX_TEXT);
    Order order =
        switch (what) {
          case "serve" ->
              new Serve(
                  fields.text("guest", MAX_TEXT),
                  limits(fields),
                  fields.whole("first", 1, Long.MAX_VALUE));
          case "stand" ->
              new Stand(
                  fields.text("guest", MAX_TEXT),
                  limits(fields),
                  (int) fields.whole("host", 1, MemoryPage.MOST_HOSTS - 1));
          case "check" -> new Depart(id(fields), number(fields, "session"), true);
          case "depart" -> new Depart(id(fields), number(fields, "session"), false);
          case "arrive", "again" ->
              new Arrive(
                  id(fields),
                  number(fields, "session"),
                  pid(fields),
                  (int) fields.whole("uid", -1, Integer.MAX_VALUE),
                  fields.whole("since", 0, Long.MAX_VALUE),
                  what.equals("again"));
          case "relay" ->
              new Relay(
                  id(fields),
                  number(fields, "session"),
                  pid(fields),
                  (int) fields.whole("uid", -1, Integer.MAX_VALUE),
                  fields.whole("since", 0, Long.MAX_VALUE));
          case "park" ->
              new Park(
                  id(fields),
                  number(fields, "session"),
                  pid(fields),
                  (int) fields.whole("uid", -1, Integer.MAX_VALUE),
                  fields.whole("since", 0, Long.MAX_VALUE),
                  fields.text("key", MAX_TEXT));
          case "unpark" ->
              new Unpark(id(fields), number(fields, "session"), fields.text("key", MAX_TEXT));
          case "mirror" -> new Mirror(id(fields), number(fields, "session"));
          case "leave" -> new Leave(id(fields), number(fields, "session"), false);
          case "try" -> new Leave(id(fields), number(fields, "session"), true);
          case "part" -> new Part(id(fields), number(fields, "session"));
          case "near" ->
              new Near(
                  id(fields),
                  number(fields, "session"),
                  (int) fields.whole("api", 1, Order.MAX_API),
                  files(fields),
                  pieces(fields));
          case "number" -> new TakeNumber(id(fields));
          case "tried" -> new EndTrial(id(fields), number(fields, "session"));
          case "trial" -> new Trial(id(fields));
          case "approach" -> new Approach(id(fields), number(fields, "session"));
          case "halt" -> new Halt(id(fields), number(fields, "session"));
          case "go" -> new GoOn(id(fields), number(fields, "session"));
          case "stay" -> new Stay(id(fields), number(fields, "session"));
          case "list" -> new ListSessions(id(fields));
          case "limit" -> new LimitSessions(id(fields), limits(fields));
          case "open", "come" ->
              new OpenShared(
                  id(fields),
                  (int) fields.whole("api", 1, Order.MAX_API),
                  what.equals("come"),
                  files(fields),
                  pieces(fields));
          case "segment" ->
              new AddSegment(
                  id(fields),
                  number(fields, "session"),
                  (int) fields.whole("index", 1, MAX_INDEX),
                  files(fields),
                  pieces(fields));
          case "end" -> new EndSession(id(fields), fields.whole("session", 1, Long.MAX_VALUE));
          default -> throw new LinkException("an order nobody knows, do=" + what);
        };
    fields.end();
    return order;
  }

  private static void write(JsonGenerator json, SessionLimits limits) {
    json.writeNumberProperty("sessions", limits.sessions());
    json.writeNumberProperty("memory", limits.memoryBytes());
  }

  private static SessionLimits limits(Fields fields) throws LinkException {
    return new SessionLimits(
        (int) fields.whole("sessions", 1, SessionLimits.MAX_SESSIONS),
        fields.whole("memory", 0, Long.MAX_VALUE));
  }

  private static void write(JsonGenerator json, int files, List<MemoryPiece> pieces) {
    json.writeNumberProperty("files", files);
    json.writeArrayPropertyStart("pieces");
    for (MemoryPiece piece : pieces) {
      json.writeStartObject();
      json.writeNumberProperty("file", piece.file());
      json.writeNumberProperty("offset", piece.offset());
      json.writeNumberProperty("bytes", piece.bytes());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static int files(Fields fields) throws LinkException {
    return (int) fields.whole("files", 1, MemoryPiece.MAX_FILES);
  }

  private static List<MemoryPiece> pieces(Fields fields) throws LinkException {
    List<MemoryPiece> pieces = new ArrayList<>();
    for (Fields each : fields.objects("pieces", MemoryPiece.MAX_PIECES)) {
      pieces.add(
          new MemoryPiece(
              (int) each.whole("file", 0, MemoryPiece.MAX_FILES - 1),
              each.whole("offset", 0, Long.MAX_VALUE),
              each.whole("bytes", 1, MAX_SEGMENT_BYTES)));
      each.end();
    }
    return pieces;
  }

  /** A session host's message as a line without its end. */
  public static String write(HostMessage message) {
    return object(json -> {
      switch (message) {
        case Serving serving -> {
          json.writeStringProperty("tell", "serving");
          json.writeStringProperty("sandbox", serving.sandbox());
          json.writeArrayPropertyStart("devices");
          serving.devices().stream()
              .limit(MAX_DEVICES)
              .forEach(device -> json.writeString(fitting(device)));
          json.writeEndArray();
          json.writeArrayPropertyStart("turns");
          serving.turns().stream()
              .limit(TurnPage.MOST_DEVICES)
              .forEach(device -> json.writeString(fitting(device)));
          json.writeEndArray();
        }
        case Turns _ -> json.writeStringProperty("tell", "turns");
        case Opened opened -> {
          json.writeStringProperty("tell", "opened");
          json.writeNumberProperty("session", opened.session());
          json.writeNumberProperty("pid", opened.pid());
        }
        case Ended ended -> {
          json.writeStringProperty("tell", "ended");
          json.writeNumberProperty("session", ended.session());
          json.writeStringProperty("reason", fitting(ended.reason()));
        }
        case Done done -> {
          json.writeStringProperty("tell", "done");
          json.writeNumberProperty("id", done.id());
          json.writeStringProperty("error", fitting(done.error()));
        }
        case Shared shared -> {
          json.writeStringProperty("tell", "shared");
          json.writeNumberProperty("id", shared.id());
          json.writeNumberProperty("session", shared.session());
          json.writeNumberProperty("errno", shared.errno());
        }
        case Moving moving -> {
          json.writeStringProperty("tell", "moving");
          json.writeNumberProperty("session", moving.session());
          json.writeStringProperty("stage", fitting(moving.stage()));
        }
        case Moved moved -> {
          json.writeStringProperty("tell", "moved");
          json.writeNumberProperty("id", moved.id());
          json.writeStringProperty("error", fitting(moved.error()));
          writeObstacles(json, moved.obstacles());
          json.writeNumberProperty("rounds", moved.rounds());
          json.writeNumberProperty("sent", moved.sentBytes());
          json.writeNumberProperty("stopped", moved.stoppedNs());
        }
        case Left left -> {
          json.writeStringProperty("tell", "left");
          json.writeNumberProperty("id", left.id());
          json.writeStringProperty("error", fitting(left.error()));
          writeObstacles(json, left.obstacles());
          json.writeNumberProperty("sent", left.sentBytes());
          json.writeNumberProperty("stopped", left.stoppedNs());
          json.writeArrayPropertyStart("pages");
          left.pages().forEach(range -> write(json, range));
          json.writeEndArray();
        }
        case Sessions sessions -> {
          json.writeStringProperty("tell", "sessions");
          json.writeNumberProperty("id", sessions.id());
          json.writeArrayPropertyStart("sessions");
          sessions.sessions().forEach(session -> write(json, session));
          json.writeEndArray();
        }
      }
    });
  }

  private static void writeObstacles(JsonGenerator json, List<String> obstacles) {
    json.writeArrayPropertyStart("obstacles");
    obstacles.stream()
        .limit(MAX_OBSTACLES)
        .forEach(obstacle -> json.writeString(fitting(obstacle)));
    json.writeEndArray();
  }

  private static void write(JsonGenerator json, SegmentPages range) {
    json.writeStartObject();
    json.writeNumberProperty("segment", range.index());
    json.writeNumberProperty("offset", range.offset());
    json.writeNumberProperty("bytes", range.bytes());
    json.writeEndObject();
  }

  private static List<SegmentPages> pages(Fields fields) throws LinkException {
    List<SegmentPages> pages = new ArrayList<>();
    for (Fields each : fields.objects("pages", SegmentPages.MAX_RANGES)) {
      pages.add(
          new SegmentPages(
              (int) each.whole("segment", 0, MAX_INDEX),
              each.whole("offset", 0, MAX_SEGMENT_BYTES),
              each.whole("bytes", 1, MAX_SEGMENT_BYTES)));
      each.end();
    }
    return pages;
  }

  private static void write(JsonGenerator json, SessionReport session) {
    json.writeStartObject();
    json.writeNumberProperty("number", session.number());
    json.writeNumberProperty("pid", session.pid());
    json.writeNumberProperty("uid", session.uid());
    json.writeStringProperty("api", fitting(session.api()));
    json.writeStringProperty("device", fitting(session.device()));
    json.writeObjectPropertyStart("objects");
    session.objects().forEach(json::writeNumberProperty);
    json.writeEndObject();
    json.writeNumberProperty("memory", session.memoryBytes());
    json.writeNumberProperty("calls", session.calls());
    json.writeNumberProperty("deviceNs", session.deviceNs());
    json.writeNumberProperty("since", session.sinceMs());
    json.writeObjectPropertyStart("ties");
    session.ties().entrySet().stream()
        .limit(MAX_TIES)
        .forEach(tie -> json.writeStringProperty(tie.getKey(), fitting(tie.getValue())));
    json.writeEndObject();
    json.writeEndObject();
  }

  /** The message that a line is. */
  public static HostMessage readMessage(String line) throws LinkException {
    Fields fields = Fields.parse(line);
    String what = fields.text("tell", MAX_TEXT);
    HostMessage message =
        switch (what) {
          case "serving" ->
              new Serving(
                  fields.text("sandbox", MAX_TEXT),
                  fields.texts("devices", MAX_DEVICES, MAX_TEXT),
                  fields.texts("turns", TurnPage.MOST_DEVICES, MAX_TEXT));
          case "turns" -> new Turns();
          case "opened" -> new Opened(number(fields, "session"), pid(fields));
          case "ended" -> new Ended(number(fields, "session"), fields.text("reason", MAX_TEXT));
          case "done" -> new Done(id(fields), fields.text("error", MAX_TEXT));
          case "shared" ->
              new Shared(
                  id(fields),
                  fields.whole("session", 0, Long.MAX_VALUE),
                  (int) fields.whole("errno", 0, MAX_ERRNO));
          case "moving" -> new Moving(number(fields, "session"), fields.text("stage", MAX_TEXT));
          case "moved" ->
              new Moved(
                  id(fields),
                  fields.text("error", MAX_TEXT),
                  fields.texts("obstacles", MAX_OBSTACLES, MAX_TEXT),
                  (int) fields.whole("rounds", 0, Integer.MAX_VALUE),
                  fields.whole("sent", 0, Long.MAX_VALUE),
                  fields.whole("stopped", 0, Long.MAX_VALUE));
          case "left" ->
              new Left(
                  id(fields),
                  fields.text("error", MAX_TEXT),
                  fields.texts("obstacles", MAX_OBSTACLES, MAX_TEXT),
                  fields.whole("sent", 0, Long.MAX_VALUE),
                  fields.whole("stopped", 0, Long.MAX_VALUE),
                  pages(fields));
          case "sessions" -> new Sessions(id(fields), sessions(fields));
          default -> throw new LinkException("a message nobody knows, tell=" + what);
        };
    fields.end();
    return message;
  }

  private static List<SessionReport> sessions(Fields fields) throws LinkException {
    List<SessionReport> sessions = new ArrayList<>();
    for (Fields each : fields.objects("sessions", SessionLimits.MAX_SESSIONS)) {
      sessions.add(
          new SessionReport(
              number(each, "number"),
              pid(each),
              (int) each.whole("uid", -1, Integer.MAX_VALUE),
              each.text("api", MAX_TEXT),
              each.text("device", MAX_TEXT),
              each.counts("objects", MAX_KINDS),
              each.whole("memory", 0, Long.MAX_VALUE),
              each.whole("calls", 0, Long.MAX_VALUE),
              each.whole("deviceNs", 0, Long.MAX_VALUE),
              each.whole("since", 0, Long.MAX_VALUE),
              each.words("ties", MAX_TIES, MAX_TEXT)));
      each.end();
    }
    return sessions;
  }

  private static long id(Fields fields) throws LinkException {
    return number(fields, "id");
  }

  private static long number(Fields fields, String name) throws LinkException {
    return fields.whole(name, 1, Long.MAX_VALUE);
  }

  private static int pid(Fields fields) throws LinkException {
    return (int) fields.whole("pid", 0, Integer.MAX_VALUE);
  }

  /** A text as the other end takes it: names of devices and reasons come from libraries. */
  private static String fitting(String text) {
    StringBuilder plain = new StringBuilder();
    for (int i = 0; i < text.length() && i < MAX_TEXT; i++) {
      char c = text.charAt(i);
      plain.append(Character.isISOControl(c) || Character.isSurrogate(c) ? ' ' : c);
    }
    return plain.toString();
  }

  private static String object(Consumer<JsonGenerator> fields) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      json.writeStartObject();
      fields.accept(json);
      json.writeEndObject();
    }
    return text.toString();
  }
}
