package io.sluice.testbed.bench.migration;

import io.sluice.testbed.bench.measure.BenchContext;
import io.sluice.testbed.bench.measure.Measurement;
import io.sluice.testbed.bench.migration.MovedMachine.Move;
import io.sluice.testbed.bench.results.Figure;
import io.sluice.testbed.machine.MachineEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * P6: how long the GPU stands still, and how much longer a program takes for a move, when access is
 * taken back first, as late as possible, and as planned; then gMig's ways to find what changed. The
 * thesis' tables 6.2 and 6.3, on the same programs.
 */
public final class StandstillBench implements Measurement {
  private static final double GOAL = 1.15;
  private static final String GOAL_FOR = "planned";
  private static final List<String> TIMES = List.of(GOAL_FOR, "first", "last");

  /** Moves of which the median counts. */
  private static final int TURNS = 3;

  /** The switches of {@code migration start}, one more each time. */
  private static final Map<String, Map<String, String>> WAYS = ways();

  /** Two in either direction. */
  private static final int FIRST_MOVES = 4;

  @Override
  public String id() {
    return "P6";
  }

  @Override
  public String title() {
    return "standstill of the GPU by when it is taken back, and by how changes are found";
  }

  private static Map<String, Map<String, String>> ways() {
    Map<String, Map<String, String>> all = new LinkedHashMap<>();
    all.put(
        "basic", Map.of("exact", "off", "hashing", "off", "sampling", "off", "overlapped", "off"));
    all.put("hashing", Map.of("exact", "off", "sampling", "off", "overlapped", "off"));
    all.put("sampling", Map.of("exact", "off", "overlapped", "off"));
    all.put("overlapped", Map.of("exact", "off"));
    all.put("unseen", Map.of("compared", "off"));
    all.put("exact", Map.of());
    return all;
  }

  @Override
  public List<Figure> run(BenchContext context) throws Exception {
    MachineEnvironment environment =
        MachineEnvironment.find()
            .orElseThrow(() -> new IOException("no machine environment: see above"));
    List<Figure> figures = new ArrayList<>();
    MovePlots plots = new MovePlots();
    try (MovedMachine machine = new MovedMachine(environment, context.directory())) {
      // What daemons do for the first time is in none of the figures: P5 prints it.
      for (int i = 0; i < FIRST_MOVES; i++) {
        context.log().printf("first: %s%n", machine.move(Map.of()));
      }
      for (MoveProgram any : MoveProgram.all(context.longRun())) {
        MoveProgram.Alone run = any.alone(machine);
        MoveProgram program = run.program();
        double alone = run.ms();
        figures.add(
            Figure.info("P6", program.name() + ": video memory", program.mebibytes(), "MiB"));
        figures.add(Figure.info("P6", program.name() + ": run without a move", alone, "ms"));
        for (String time : TIMES) {
          Turn turn = turns(context, machine, program, time, alone);
          Move move = turn.move();
          plots.taken(
              program.name(), named(time), move.pauseNs() / 1e6, ranMs(move), move.drainNs() / 1e6);
          figures.addAll(figures(program.name() + ", detach " + time, turn));
        }
        ways(context, machine, program, figures, plots);
      }
    }
    plot(context, MovePlots.STANDSTILL, plots.standstill());
    plot(context, MovePlots.SWITCHES, plots.switches());
    return figures;
  }

  private static String named(String time) {
    return time.equals(GOAL_FOR) ? time + MovePlots.DEFAULT : time;
  }

  /**
   * A move while a program runs.
   *
   * @param longerMs how much longer that ran
   */
  private record Turn(Move move, double longerMs) {
    /** What the goal allows besides the drain. */
    double goalMs() {
      return GOAL * 1000.0 * move.standstillBytes() / MovedMachine.LINK_BYTES_PER_SECOND;
    }

    double beyondGoalMs() {
      return (move.standstillNs() - move.drainNs()) / 1e6 - goalMs();
    }
  }

  /** The median of those that the goal is for, by how far they are from it. */
  private static Turn turns(
      BenchContext context, MovedMachine machine, MoveProgram program, String time, double aloneMs)
      throws Exception {
    List<Turn> turns = new ArrayList<>();
    for (int i = 0; i < (time.equals(GOAL_FOR) ? TURNS : 1); i++) {
      machine.prepare();
      program.startRun(machine);
      long start = System.nanoTime();
      Move move = machine.move(Map.of("detach", time, "drain-timeout", "120s"));
      turns.add(new Turn(move, program.awaitRun(machine, start) - aloneMs));
      context.log().printf("%s, %s: %s%n", program.name(), time, move);
    }
    turns.sort(Comparator.comparingDouble(Turn::beyondGoalMs));
    return turns.get(turns.size() / 2);
  }

  private static List<Figure> figures(String what, Turn turn) {
    Move move = turn.move();
    List<Figure> figures = new ArrayList<>();
    figures.add(Figure.info("P6", what + ": run longer by", turn.longerMs(), "ms"));
    figures.add(Figure.info("P6", what + ": migration", move.totalNs() / 1e6, "ms"));
    figures.add(Figure.info("P6", what + ": drain", move.drainNs() / 1e6, "ms"));
    figures.add(Figure.info("P6", what + ": drained, and the machine ran", ranMs(move), "ms"));
    figures.add(Figure.info("P6", what + ": pause", move.pauseNs() / 1e6, "ms"));
    double stood = move.standstillNs() / 1e6;
    if (what.endsWith(GOAL_FOR)) {
      figures.add(
          Figure.atMost(
              "P6", what + ": drain and pause", stood, "ms", turn.goalMs() + move.drainNs() / 1e6));
    } else {
      figures.add(Figure.info("P6", what + ": drain and pause", stood, "ms"));
    }
    return figures;
  }

  /** For how long the GPU had nothing to do and the machine did not stand still yet. */
  private static double ranMs(Move move) {
    return Math.max(0, move.idleNs() - move.stoodNs()) / 1e6;
  }

  private static void ways(
      BenchContext context,
      MovedMachine machine,
      MoveProgram program,
      List<Figure> figures,
      MovePlots plots)
      throws Exception {
    for (Map.Entry<String, Map<String, String>> way : WAYS.entrySet()) {
      Map<String, String> options = new LinkedHashMap<>(way.getValue());
      options.put("drain-timeout", "120s");
      program.start(machine);
      Move move = machine.move(options);
      program.end(machine);
      String what = program.name() + ", " + way.getKey();
      context.log().printf("%s: %s%n", what, move);
      double idle = ranMs(move) + move.pauseNs() / 1e6;
      figures.add(Figure.info("P6", what + ": pause", move.pauseNs() / 1e6, "ms"));
      figures.add(Figure.info("P6", what + ": pages of video memory in it", move.pausePages(), ""));
      figures.add(Figure.info("P6", what + ": drained until it runs", idle, "ms"));
      long before = Math.max(move.drainPages(), move.settledPages());
      figures.add(Figure.info("P6", what + ": pages before the pause", before, ""));
      String how = way.getKey() + (way.getValue().isEmpty() ? MovePlots.DEFAULT : "");
      plots.found(program.name(), how, move.pauseNs() / 1e6, ranMs(move));
    }
  }

  /** Where {@code --plots} says. */
  private static void plot(BenchContext context, String file, String drawn) throws IOException {
    if (context.plots().isPresent()) {
      Path directory = Files.createDirectories(context.plots().get());
      Path written = Files.writeString(directory.resolve(file), drawn);
      context.log().printf(Locale.ROOT, "written: %s%n", written);
    }
  }
}
