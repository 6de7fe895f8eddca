package io.sluice.sluicectl;

import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import io.sluice.management.Quantities;
import io.sluice.management.SessionMove;
import io.sluice.management.SessionStatus;
import io.sluice.management.SessionsMXBean;
import io.sluice.management.local.LocalConnection;
import io.sluice.sluicectl.Output.Fact;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code sluicectl session …}. */
final class SessionCommand extends Noun {
  private static final String GUEST = "Name, UUID, or GPU/NAME.";
  private static final String WHERE = "On the daemon's host; its user writes it.";
  private static final String NUMBER = "Its number, as session list shows it.";

  /** What the daemon needs beside a move: hosts that start, answers that come late. */
  private static final Duration ANSWER = Duration.ofMinutes(5);

  SessionCommand(GlobalOptions global) {
    super(
        global,
        "session",
        "Sessions of APIs: what applications of guests have made through OpenCL.");
  }

  @Command(name = "list", description = "The sessions of one guest, or of all.")
  int list(
      @Parameters(
              arity = "0..1",
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = "Name, UUID, or GPU/NAME; all when left out.")
          @Nullable String name)
      throws IOException, OperationsException {
    try (LocalConnection connection = global.connect()) {
      String guest = name == null ? "" : find(connection, name);
      global.output().list(Views.SESSIONS, connection.sessions().list(guest));
    }
    return ExitCode.OK;
  }

  @Command(
      name = "show",
      description =
          "Everything about one session, its objects by kind, what may keep it from moving.")
  int show(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String name,
      @Parameters(
              paramLabel = "SESSION",
              completionCandidates = Candidates.Sessions.class,
              description = NUMBER)
          long number)
      throws IOException, OperationsException {
    try (LocalConnection connection = global.connect()) {
      String guest = find(connection, name);
      SessionStatus session =
          connection.sessions().list(guest).stream()
              .filter(each -> each.number() == number)
              .findFirst()
              .orElseThrow(() -> unknown(guest, number));
      Output output = global.output();
      switch (output.format()) {
        case csv -> output.list(Views.SESSIONS, List.of(session));
        case json -> showJson(output, session);
        case table -> output.facts(facts(session));
      }
    }
    return ExitCode.OK;
  }

  private static ProblemException unknown(String guest, long number) {
    return new ProblemException(
        Problem.of(
            ErrorCode.SESSION_UNKNOWN,
            "no session " + number + " of guest \"" + guest + "\"",
            "",
            "sluicectl session list " + guest + " shows those it has"),
        ExitCode.NOT_FOUND);
  }

  private static List<Fact> facts(SessionStatus session) {
    List<Fact> facts = new ArrayList<>();
    facts.add(new Fact("guest", session.guest()));
    facts.add(new Fact("session", Long.toString(session.number())));
    facts.add(new Fact("application", Views.application(session) + ", uid " + session.uid()));
    facts.add(new Fact("api", session.api().isEmpty() ? "-" : session.api()));
    facts.add(new Fact("device", session.device().isEmpty() ? "-" : session.device()));
    facts.add(new Fact("host", session.host()));
    facts.add(new Fact("memory", Quantities.formatSize(session.memoryBytes())));
    facts.add(new Fact("calls", Long.toString(session.calls())));
    facts.add(new Fact("device time", Views.deviceTime(session)));
    facts.add(new Fact("since", Instant.ofEpochMilli(session.sinceMs()).toString()));
    new TreeMap<>(session.ties()).forEach((_, why) -> facts.add(new Fact("tied by", why)));
    new TreeMap<>(session.objects())
        .forEach((kind, n) -> facts.add(new Fact("  " + kind, n.toString())));
    return facts;
  }

  private static void showJson(Output output, SessionStatus session) {
    output.json(json -> {
      json.writeName("session");
      json.writeStartObject();
      Output.fields(json, Views.SESSIONS.choose(output), session);
      json.writeName("objects");
      json.writeStartObject();
      new TreeMap<>(session.objects()).forEach(json::writeNumberProperty);
      json.writeEndObject();
      json.writeName("ties");
      json.writeStartObject();
      new TreeMap<>(session.ties()).forEach(json::writeStringProperty);
      json.writeEndObject();
      json.writeEndObject();
    });
  }

  @Command(
      name = "move",
      description = {
        "Moves a session to another session host of its guest, here or on another host, while its"
            + " application runs, and waits until that is done."
      })
  int move(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String name,
      @Parameters(
              paramLabel = "SESSION",
              completionCandidates = Candidates.Sessions.class,
              description = NUMBER)
          long number,
      @Option(
              names = "--to",
              paramLabel = "HOST",
              required = true,
              description =
                  "default, the name of a directory of sessions.implementations, or HOST:PORT of"
                      + " another daemon.")
          String host,
      @Option(
              names = "--check",
              description = "Only say what would be in the way; the session stays.")
          boolean check)
      throws IOException, OperationsException {
    SessionMove move =
        follow(name, number, (sessions, guest) -> sessions.move(guest, number, host, check));
    global.output().facts(moveFacts(move, check));
    return move.obstacles().isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }

  /** A session's way to another place, which is over when it returns. */
  @FunctionalInterface
  private interface Way {
    SessionMove take(SessionsMXBean sessions, String guest) throws OperationsException;
  }

  /** Waits for as long as the daemon may take, which goes on whoever waits. */
  private SessionMove follow(String name, long number, Way way)
      throws IOException, OperationsException {
    try (LocalConnection connection = global.connect(SessionMove.LONGEST.plus(ANSWER))) {
      String guest = find(connection, name);
      try {
        return way.take(connection.sessions(), guest);
      } catch (UndeclaredThrowableException e) {
        if (e.getCause() instanceof IOException broken) {
          throw left(guest, number, broken);
        }
        throw e;
      }
    }
  }

  private ProblemException left(String guest, long number, IOException broken) {
    return new ProblemException(
        Problem.of(
            ErrorCode.CONTROL_BROKEN,
            "the connection to sluiced at "
                + global.socket()
                + " broke before session "
                + number
                + " of guest \""
                + guest
                + "\" was there",
            String.valueOf(broken.getMessage()).replaceAll("\\s+", " "),
            "when the daemon runs it goes on: sluicectl session list "
                + guest
                + " says where it is"),
        ExitCode.UNREACHABLE);
  }

  private static List<Fact> moveFacts(SessionMove move, boolean check) {
    List<Fact> facts = new ArrayList<>();
    for (String obstacle : move.obstacles()) {
      facts.add(new Fact("in the way", obstacle));
    }
    if (check && facts.isEmpty()) {
      facts.add(new Fact("in the way", "nothing"));
    }
    if (!check) {
      facts.add(new Fact("rounds", Integer.toString(move.rounds())));
      facts.add(new Fact("sent", Quantities.formatSize(move.sentBytes())));
      facts.add(new Fact("stopped", move.stoppedNs() / 1_000_000 + " ms"));
    }
    return facts;
  }

  @Command(
      name = "checkpoint",
      description = {
        "Writes a session to a file. Its objects are there and nowhere else then, and its"
            + " application waits until session restore."
      })
  int checkpoint(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String name,
      @Parameters(
              paramLabel = "SESSION",
              completionCandidates = Candidates.Sessions.class,
              description = NUMBER)
          long number,
      @Option(names = "--file", paramLabel = "FILE", required = true, description = WHERE)
          Path file)
      throws IOException, OperationsException {
    String path = file.toAbsolutePath().toString();
    SessionMove move =
        follow(name, number, (sessions, guest) -> sessions.checkpoint(guest, number, path));
    global.output().facts(moveFacts(move, false));
    return ExitCode.OK;
  }

  @Command(
      name = "restore",
      description = {
        "Makes a session again of the file that it was written to; its application goes on, and the"
            + " file stays."
      })
  int restore(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String name,
      @Parameters(
              paramLabel = "SESSION",
              completionCandidates = Candidates.Sessions.class,
              description = NUMBER)
          long number,
      @Option(names = "--file", paramLabel = "FILE", required = true, description = WHERE)
          Path file,
      @Option(
              names = "--to",
              paramLabel = "HOST",
              defaultValue = "default",
              description =
                  "default, which is taken when it is left out, or the name of a directory of"
                      + " sessions.implementations.")
          String host)
      throws IOException, OperationsException {
    String path = file.toAbsolutePath().toString();
    SessionMove move =
        follow(name, number, (sessions, guest) -> sessions.restore(guest, number, path, host));
    global.output().facts(moveFacts(move, false));
    return ExitCode.OK;
  }

  @Command(name = "stay", description = "Gives up a session's move, if that can be.")
  int stay(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String name,
      @Parameters(
              paramLabel = "SESSION",
              completionCandidates = Candidates.Sessions.class,
              description = NUMBER)
          long number)
      throws IOException, OperationsException {
    try (LocalConnection connection = global.connect()) {
      connection.sessions().stay(find(connection, name), number);
    }
    return ExitCode.OK;
  }

  @Command(
      name = "end",
      description = {
        "Ends one session: what it has is given back, and its application's calls fail. Others go"
            + " on."
      })
  int end(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String name,
      @Parameters(
              paramLabel = "SESSION",
              completionCandidates = Candidates.Sessions.class,
              description = NUMBER)
          long number)
      throws IOException, OperationsException {
    try (LocalConnection connection = global.connect()) {
      connection.sessions().end(find(connection, name), number);
    }
    return ExitCode.OK;
  }

  @Command(
      name = "limit",
      description = {
        "Limits the sessions of a guest until the daemon's next start. What is left out stays as it"
            + " is; what there is beyond a limit stays too."
      })
  int limit(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String name,
      @Option(
              names = "--sessions",
              paramLabel = "N",
              description = "Most sessions at one time: 1 to 1024.")
          @Nullable Integer sessions,
      @Option(
              names = "--memory",
              paramLabel = "SIZE",
              description = "Most memory of their objects together, such as 2GiB.")
          @Nullable String memory)
      throws IOException, OperationsException {
    if (sessions == null && memory == null) {
      throw new ParameterException(verb("limit"), "an option that limits something is missing");
    }
    Long bytes = memory == null ? null : size(memory);
    try (LocalConnection connection = global.connect()) {
      SessionsMXBean beans = connection.sessions();
      String guest = find(connection, name);
      beans.limit(guest, sessions, bytes);
      global
          .output()
          .list(
              Views.SESSION_HOSTS,
              beans.getHosts().values().stream().filter(h -> h.guest().equals(guest)).toList());
    }
    return ExitCode.OK;
  }

  private long size(String text) {
    return Quantities.parseSize(text)
        .orElseThrow(() ->
            new ParameterException(
                verb("limit"),
                "--memory takes a size such as 512MiB or 2GiB, not \"" + text + "\""));
  }

  @Command(
      name = "host",
      description = "The session hosts: the processes in which sessions live, one a guest.")
  int host() throws IOException {
    try (LocalConnection connection = global.connect()) {
      global
          .output()
          .list(
              Views.SESSION_HOSTS,
              List.copyOf(new TreeMap<>(connection.sessions().getHosts()).values()));
    }
    return ExitCode.OK;
  }

  /** Guests of other hosts, which are called HOST:GUEST, are the sessions' own. */
  private static String find(LocalConnection connection, String name) {
    return name.indexOf(':') > 0
        ? name
        : GuestNames.find(connection.daemon().getGuests(), name).name();
  }
}
