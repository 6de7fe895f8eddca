package io.sluice.channel.nvidia.time;

import io.sluice.abi.rm.RmEngine;
import io.sluice.channel.nvidia.channel.ChannelUse.Doing;
import io.sluice.channel.nvidia.channel.ChannelUse.Questions;
import io.sluice.channel.nvidia.channel.NvidiaChannel;
import io.sluice.channel.nvidia.rm.HardwareChannel;
import io.sluice.channel.nvidia.time.TimeLedger.TimeFinding;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * The looks, now and then, at which guests have the engines, for the account of GPU time: a duty
 * cycle of one thread. Submissions cost nothing: ring pointers are read, RM tells which channel the
 * graphics engine holds, and is asked of a few channels whether they are idle. On a copy engine
 * those that have work have it together, by weight. Of CUDA programs there is only which of their
 * channels the graphics engine holds: they are charged where the GPU measures how busy that was.
 *
 * <p>A look takes no more than a twentieth of the time: the next is put off until then.
 */
public final class TimeLooks {
  /** Between two looks, on average, while several guests have something to do. */
  static final long SHARED_NS = 5_000_000;

  /** While one has. */
  static final long ALONE_NS = 20_000_000;

  /** While none has. */
  static final long REST_NS = 64_000_000;

  /** Between two questions how busy the graphics engine was. */
  static final long SETTLE_NS = 1_000_000_000;

  /** Channels of which RM is asked in a look. */
  private static final int QUESTIONS = 4;

  /** A look takes this part of the time at most. */
  private static final int COST = 20;

  /** What somebody is believed to have had whose work began and ended since the last look. */
  private static final double ENDED_PART = 0.25;

  /** Of a token: the number on its runlist. */
  private static final int NUMBER = 0xffff;

  private final LongSupplier clock;
  private final Supplier<List<GuestTime>> guests;
  private final Supplier<List<ProgramTime>> programs;
  private final GraphicsEngine graphics;
  private final RandomGenerator random;
  private final TimeLedger ledger = new TimeLedger();
  private long dueNs;
  private long askedNs;
  private int turn;

  private record Found(GuestTime guest, int engine, int number, Doing doing) {}

  /** Channels that run: of which there may be something to do, and the numbers of all. */
  private record RunningChannels(
      Map<GuestTime, List<NvidiaChannel>> active, Set<Integer> graphics, boolean computing) {}

  /**
   * @param clock GPU time
   * @param guests as they are at any time
   * @param programs of guests, as they are at any time
   * @param random when to look: not in step with what is looked at
   */
  public TimeLooks(
      LongSupplier clock,
      Supplier<List<GuestTime>> guests,
      Supplier<List<ProgramTime>> programs,
      GraphicsEngine graphics,
      RandomGenerator random) {
    this.clock = clock;
    this.guests = guests;
    this.programs = programs;
    this.graphics = graphics;
    this.random = random;
  }

  /**
   * Looks if that is due.
   *
   * @return nanoseconds until it is due again; {@link Long#MAX_VALUE} while there are no guests
   */
  public long work() {
    List<ProgramTime> all = programs.get();
    if (guests.get().isEmpty() && all.isEmpty()) {
      return Long.MAX_VALUE;
    }
    List<ProgramTime> computing = all.stream().filter(ProgramTime::mayCompute).toList();
    if (guests.get().isEmpty() && computing.isEmpty()) {
      return SETTLE_NS; // nobody tells when a program begins
    }
    long now = clock.getAsLong();
    if (now < dueNs) {
      return dueNs - now;
    }
    int active = look(now, computing);
    settle(now);
    long interval = active > 1 ? SHARED_NS : active > 0 ? ALONE_NS : REST_NS;
    long due = interval / 2 + random.nextLong(interval);
    due = Math.max(due, COST * (clock.getAsLong() - now));
    dueNs = now + due;
    return due;
  }

  /** How many guests may have something to do. */
  private int look(long now, List<ProgramTime> computing) {
    RunningChannels candidates = candidates();
    OptionalInt resident =
        candidates.computing() || !computing.isEmpty() ? graphics.resident() : OptionalInt.empty();
    Optional<ProgramTime> program =
        computing.stream()
            .filter(each -> resident.isPresent() && each.has(resident.getAsInt()))
            .findAny();
    List<Found> found = ask(candidates, resident);
    List<TimeFinding> parts = new ArrayList<>();
    found.stream()
        .map(Found::engine)
        .distinct()
        .forEach(engine -> {
          List<Found> there = found.stream().filter(f -> f.engine() == engine).toList();
          if (engine == RmEngine.GRAPHICS && resident.isPresent()) {
            held(there, resident.getAsInt(), candidates.graphics(), program, parts);
          } else {
            shared(there, parts);
          }
        });
    boolean isAsked = found.stream().anyMatch(f -> f.engine() == RmEngine.GRAPHICS);
    if (!isAsked && graphics.measures()) {
      program.ifPresent(each -> parts.add(new TimeFinding(Optional.of(each.use()), true, 1, 0)));
    }
    ledger.note(now, parts);
    boolean works = graphics.measures() && ledger.wasBusy();
    return candidates.active().size() + (works ? computing.size() : 0);
  }

  private RunningChannels candidates() {
    Map<GuestTime, List<NvidiaChannel>> active = new LinkedHashMap<>();
    Set<Integer> numbers = new HashSet<>();
    boolean[] computing = new boolean[1];
    for (GuestTime guest : guests.get()) {
      guest
          .lock()
          .runIfFree(() -> {
            for (NvidiaChannel channel : guest.channels().all()) {
              HardwareChannel hardware = channel.state().hardware();
              boolean computes = hardware != null && hardware.engineType() == RmEngine.GRAPHICS;
              if (hardware != null && computes) {
                numbers.add(hardware.token() & NUMBER);
              }
              if (channel.mayUseTime()) {
                active.computeIfAbsent(guest, _ -> new ArrayList<>()).add(channel);
                computing[0] |= computes;
              }
            }
          });
    }
    return new RunningChannels(active, numbers, computing[0]);
  }

  /** The one that has the graphics engine first, then the others in turns. */
  private List<Found> ask(RunningChannels candidates, OptionalInt resident) {
    Questions questions = new Questions(QUESTIONS);
    List<Found> found = new ArrayList<>();
    List<GuestTime> order = new ArrayList<>(candidates.active().keySet());
    turn = order.isEmpty() ? 0 : (turn + 1) % order.size();
    Collections.rotate(order, turn);
    candidates
        .active()
        .forEach((guest, channels) ->
            guest
                .lock()
                .runIfFree(() -> {
                  for (NvidiaChannel channel : channels) {
                    if (holds(channel, resident)) {
                      see(guest, channel, questions, found);
                    }
                  }
                }));
    for (GuestTime guest : order) {
      guest
          .lock()
          .runIfFree(() -> {
            for (NvidiaChannel channel : candidates.active().getOrDefault(guest, List.of())) {
              if (!holds(channel, resident)) {
                see(guest, channel, questions, found);
              }
            }
          });
    }
    return found;
  }

  private static boolean holds(NvidiaChannel channel, OptionalInt resident) {
    HardwareChannel hardware = channel.state().hardware();
    return hardware != null
        && hardware.engineType() == RmEngine.GRAPHICS
        && resident.isPresent()
        && resident.getAsInt() == (hardware.token() & NUMBER);
  }

  private static void see(
      GuestTime guest, NvidiaChannel channel, Questions questions, List<Found> found) {
    HardwareChannel hardware = channel.state().hardware();
    if (hardware != null) {
      Doing doing = channel.lookAtUse(questions);
      found.add(new Found(guest, hardware.engineType(), hardware.token() & NUMBER, doing));
    }
  }

  /** The graphics engine holds a channel: others wait while that is busy. */
  private void held(
      List<Found> found,
      int resident,
      Set<Integer> ours,
      Optional<ProgramTime> program,
      List<TimeFinding> parts) {
    boolean measured = graphics.measures();
    Optional<Found> holder = found.stream().filter(f -> f.number() == resident).findAny();
    boolean foreign = !ours.contains(resident);
    Doing doing = holder.map(Found::doing).orElse(foreign ? Doing.BUSY : Doing.REST);
    Optional<GuestTime> owner = holder.map(Found::guest);
    if (doing == Doing.BUSY) {
      Optional<TimeUse> use =
          owner
              .map(GuestTime::use)
              .or(() -> measured ? program.map(ProgramTime::use) : Optional.empty());
      parts.add(new TimeFinding(use, measured, 1, 0));
      found.stream()
          .filter(f -> f.doing() == Doing.BUSY)
          .map(Found::guest)
          .distinct()
          .filter(guest -> owner.isEmpty() || guest != owner.get())
          .forEach(guest -> parts.add(new TimeFinding(Optional.of(guest.use()), measured, 0, 1)));
    } else if (doing == Doing.ENDED && measured) {
      parts.add(new TimeFinding(owner.map(GuestTime::use), true, ENDED_PART, 0));
    }
  }

  /** Those that have work have the engine by weight. */
  private void shared(List<Found> found, List<TimeFinding> parts) {
    List<GuestTime> busy =
        found.stream().filter(f -> f.doing() == Doing.BUSY).map(Found::guest).distinct().toList();
    double whole = busy.stream().mapToInt(guest -> guest.slices().weight()).sum();
    for (GuestTime guest : busy) {
      double part = guest.slices().weight() / whole;
      parts.add(new TimeFinding(Optional.of(guest.use()), false, part, 1 - part));
    }
  }

  private void settle(long now) {
    if (!ledger.hasClaims() || now - askedNs < SETTLE_NS) {
      return;
    }
    askedNs = now;
    ledger.settle(graphics.periods());
    if (!graphics.measures()) {
      ledger.settleUnmeasured();
    }
  }
}
