package io.sluice.sluicectl;

import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * The candidates of a shell's completion: the words that options take, and the names that only the
 * daemon knows. The script is made without it: what stands for a name there becomes a command that
 * asks when the key is pressed.
 */
final class Candidates {
  private static final String GUESTS = "@guests@";
  private static final String GPUS = "@gpus@";
  private static final String CHANNELS = "@channels@";
  private static final String SESSIONS = "@sessions@";
  private static final String PROGRAMS = "@programs@";

  /** A number is one of the guest that is named before it: the script's previous word. */
  private static final Map<String, String> COMMANDS =
      Map.of(
          GUESTS, "$(sluicectl guest list --no-header --columns name 2>/dev/null)",
          GPUS, "$(sluicectl gpu list --no-header --columns gpu 2>/dev/null)",
          CHANNELS, numbers("channel", "id"),
          SESSIONS, numbers("session", "session"),
          PROGRAMS, numbers("program", "program"));

  private Candidates() {}

  /** The guests there are. */
  static final class Guests implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return List.of(GUESTS).iterator();
    }
  }

  /** The GPUs there are. */
  static final class Gpus implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return List.of(GPUS).iterator();
    }
  }

  private static String numbers(String noun, String column) {
    return "$(sluicectl "
        + noun
        + " list --no-header --columns "
        + column
        + " -- \"${prev_word}\" 2>/dev/null)";
  }

  /** The channels of a guest. */
  static final class Channels implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return List.of(CHANNELS).iterator();
    }
  }

  /** The sessions of a guest. */
  static final class Sessions implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return List.of(SESSIONS).iterator();
    }
  }

  /** The CUDA programs of a guest. */
  static final class ProgramNumbers implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return List.of(PROGRAMS).iterator();
    }
  }

  /** The columns that {@code top} sorts by. */
  static final class TopOrders implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return TopRow.orders().iterator();
    }
  }

  /** The times at which access is taken back. */
  static final class DetachTimes implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return List.of("first", "planned", "last").iterator();
    }
  }

  /** The ends of a migration that takes too long. */
  static final class TimeoutActions implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return List.of("abort", "force").iterator();
    }
  }

  /** The forms in which video memory goes. */
  static final class Compress implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return List.of("none", "zstd").iterator();
    }
  }

  /** The ways of a machine's sessions when it moves. */
  static final class SessionsDo implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return List.of("move", "stay").iterator();
    }
  }

  /** The memory that an allocation beyond a share gets. */
  static final class BeyondShareNames implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return List.of("out-of-memory", "system-memory").iterator();
    }
  }

  /** The levels of the log. */
  static final class LogLevel implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return List.of("error", "warn", "info", "debug", "trace").iterator();
    }
  }

  /** Kinds of events. */
  static final class EventKinds implements Iterable<String> {
    static final List<String> ALL =
        List.of(
            "channel",
            "checkpoint",
            "daemon",
            "guest",
            "migration",
            "program",
            "quota",
            "restore",
            "session");

    @Override
    public Iterator<String> iterator() {
      return ALL.iterator();
    }
  }

  /** A completion script that asks. */
  static String in(String script) {
    String asking = script;
    for (Map.Entry<String, String> command : COMMANDS.entrySet()) {
      asking = asking.replace("\"" + command.getKey() + "\"", command.getValue());
    }
    return asking;
  }
}
