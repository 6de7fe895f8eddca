package io.sluice.channel.nvidia.relay;

import io.sluice.abi.RefusedException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.rm.RmStatus;
import io.sluice.channel.MovableMemory.Moved;
import io.sluice.channel.nvidia.relay.link.Denial;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The moves of a program's own data between video memory and system memory, under it: it keeps its
 * addresses and its handles, and only its channels stand still, while the engine copies and UVM
 * maps. What libcuda has for itself stays where it is: code, stacks and the like.
 *
 * <p>The destination is made before the channels stop, and the source freed when they go on again.
 */
final class VideoMoves {
  /**
   * Pieces that move at once: each costs some calls of the driver, and the program stands still for
   * all of them.
   */
  static final int MOST_PIECES = 256;

  /** Sizes at most that find no room before no smaller one is tried. */
  static final int MOST_MISSES = 8;

  private final ProgramDriver driver;
  private final PoolCalls pools;
  private final UvmCalls uvm;
  private final Consumer<String> notes;

  /**
   * A piece under way.
   *
   * @param control the file of its client
   * @param target the name under which the destination is made
   */
  private record PieceMove(ExternalMaps.Place place, ProgramFile control, RmObject.Name target) {
    RmObject object() {
      return place.object();
    }
  }

  /**
   * @param notes told why something does not move
   */
  VideoMoves(ProgramDriver driver, PoolCalls pools, UvmCalls uvm, Consumer<String> notes) {
    this.driver = driver;
    this.notes = notes;
    this.pools = pools;
    this.uvm = uvm;
  }

  /** As {@link io.sluice.channel.MovableMemory#evict}. */
  Moved evict(long bytes, long enough) {
    List<ExternalMaps.Place> descending = places(object -> object.videoBytes() > 0).toList();
    List<ExternalMaps.Place> chosen = fitting(descending, bytes);
    if (chosen.stream().mapToLong(ExternalMaps.Place::length).sum() < bytes) {
      Set<ExternalMaps.Place> taken = new HashSet<>(chosen);
      descending.reversed().stream()
          .filter(place -> !taken.contains(place))
          .findFirst()
          .ifPresent(chosen::add);
    }
    List<PieceMove> steps = new ArrayList<>();
    for (ExternalMaps.Place place : firstOf(chosen, enough)) {
      if (!begin(place, true, steps)) {
        break;
      }
    }
    return move(steps, true);
  }

  /** As {@link io.sluice.channel.MovableMemory#restore}. */
  Moved restore(long room, long enough) {
    return move(returning(places(RmObject::isOfSystem).toList(), room, enough), false);
  }

  /** The largest first; where one finds no room in video memory, a smaller one may find some. */
  private List<PieceMove> returning(List<ExternalMaps.Place> descending, long room, long enough) {
    List<PieceMove> steps = new ArrayList<>();
    long bytes = 0;
    long most = room;
    int misses = 0;
    for (ExternalMaps.Place place : descending) {
      if (bytes >= enough || steps.size() == MOST_PIECES || misses == MOST_MISSES) {
        break;
      }
      if (place.length() > Math.min(most, room - bytes)) {
        continue;
      }
      if (begin(place, false, steps)) {
        bytes += place.length();
      } else {
        misses++;
        most = place.length() - 1;
      }
    }
    return steps;
  }

  /** As many as are enough, or as move at once. */
  private static List<ExternalMaps.Place> firstOf(List<ExternalMaps.Place> chosen, long enough) {
    List<ExternalMaps.Place> first = new ArrayList<>();
    long bytes = 0;
    for (ExternalMaps.Place place : chosen) {
      if (bytes >= enough || first.size() == MOST_PIECES) {
        break;
      }
      first.add(place);
      bytes += place.length();
    }
    return first;
  }

  /** The largest first, as far as they fit. */
  private static List<ExternalMaps.Place> fitting(List<ExternalMaps.Place> descending, long bytes) {
    List<ExternalMaps.Place> chosen = new ArrayList<>();
    long left = bytes;
    for (ExternalMaps.Place place : descending) {
      if (place.length() <= left) {
        chosen.add(place);
        left -= place.length();
      }
    }
    return chosen;
  }

  private Stream<ExternalMaps.Place> places(Predicate<RmObject> which) {
    Set<RmObject.Name> needed = driver.objects().channelMemory().all();
    return uvm.places()
        .filter(ExternalMaps.Place::isWhole)
        .filter(place -> place.object().isData() && which.test(place.object()))
        .filter(place -> isNamed(place.object()))
        .filter(place -> !needed.contains(place.object().name()))
        .sorted(Comparator.comparingLong((ExternalMaps.Place place) -> place.length()).reversed());
  }

  private boolean isNamed(RmObject object) {
    return driver
        .objects()
        .find(object.name().client(), object.name().handle())
        .filter(object::equals)
        .isPresent();
  }

  private Moved move(List<PieceMove> steps, boolean out) {
    if (steps.isEmpty()) {
      return Moved.NONE;
    }
    int moved = 0; // of the steps, from the first on
    try (ChannelHold _ = ChannelHold.of(driver)) {
      for (PieceMove step : steps) {
        driver
            .copier()
            .copy(
                driver.port().real(step.target().client()),
                step.object().name().handle(),
                step.target().handle(),
                step.place().length());
        uvm.replace(step.place(), step.control(), step.target().handle());
        moved++;
      }
    } catch (Denial | RefusedException | SyscallException e) {
      notes.accept("its memory does not move: " + e.getMessage());
    }
    Moved all = Moved.NONE;
    for (PieceMove step : steps.subList(0, moved)) {
      end(step, out);
      all = all.plus(new Moved(1, step.place().length()));
    }
    for (PieceMove step : steps.subList(moved, steps.size())) {
      int _ = pools.free(step.control(), step.target(), parentOf(step));
    }
    return all;
  }

  /** Finds room. */
  private boolean begin(ExternalMaps.Place place, boolean out, List<PieceMove> steps) {
    RmObject object = place.object();
    int client = object.name().client();
    ProgramFile control = driver.objects().controlOf(client).orElseThrow();
    PieceMove step = new PieceMove(place, control, driver.objects().freeName(client));
    int status =
        out
            ? pools.makeSystem(control, step.target(), parentOf(step), place.length())
            : pools.makeVideo(control, step.target(), parentOf(step), place.length());
    if (status != RmStatus.OK.code()) {
      notes.accept("its memory finds no room where it is to move, " + RmStatus.nameOf(status));
      return false;
    }
    steps.add(step);
    return true;
  }

  private static int parentOf(PieceMove step) {
    return step.object().parent().handle();
  }

  /** What was moved has the old name from now on, and what it was moved from is freed. */
  private void end(PieceMove step, boolean out) {
    pools.rename(step.control(), step.target(), step.object().name(), parentOf(step));
    long bytes = step.place().length();
    RmObject object = step.object();
    if (out) {
      driver.system().add(bytes);
      object.setSystemBytes(bytes);
      driver.video().giveBack(object.videoBytes());
      object.setVideoBytes(0);
    } else {
      driver.video().add(bytes);
      object.setVideoBytes(bytes);
      driver.system().giveBack(object.systemBytes());
      object.setSystemBytes(0);
    }
  }
}
