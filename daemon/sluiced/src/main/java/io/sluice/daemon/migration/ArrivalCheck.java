package io.sluice.daemon.migration;

import com.google.common.collect.ImmutableSet;
import io.sluice.channel.Capability;
import io.sluice.daemon.guest.GuestHost;
import io.sluice.management.Quantities;
import io.sluice.management.QuotaStatus;
import io.sluice.migrate.engine.MoveQuestion;
import io.sluice.migrate.engine.Offer;
import io.sluice.migrate.engine.Reason;
import io.sluice.migrate.link.MigrationCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The obstacles of a guest that wants to come to this daemon, each with its remedy. */
final class ArrivalCheck {
  private ArrivalCheck() {}

  /** There is no place for it. */
  static Reason unknown(String name) {
    return new Reason(
        ArrivalCode.NO_GUEST,
        "the destination has no guest \"" + name + "\"",
        "Create it there: sluicectl guest create " + name + ".");
  }

  /** What no waiting changes: another GPU, a limit. */
  static List<Reason> unfit(Offer offer, GuestHost host) {
    List<Reason> found = new ArrayList<>();
    if (offer.chipset() != host.gpu().gpu().info().chipset()) {
      found.add(
          new Reason(
              MigrationCode.OTHER_GPU,
              "the GPU is of another kind, gpu=" + host.gpu().name(),
              "Choose a destination with a GPU of the same kind."));
    }
    long limit = host.quota().limitBytes();
    if (offer.vramUsedBytes() > limit) {
      found.add(
          new Reason(
              MigrationCode.OVER_LIMIT,
              "the guest holds more video memory than it may have here, bytes="
                  + offer.vramUsedBytes()
                  + " limit="
                  + limit,
              "Raise the guest's limit at the destination, or choose another."));
    }
    return found;
  }

  /** Who may be there already: nobody before a process. */
  static Optional<Reason> occupied(GuestHost host) {
    return host.isAttached()
        ? Optional.of(
            new Reason(
                ArrivalCode.OCCUPIED,
                "somebody is attached at the destination: " + host.describe(),
                "Choose another destination, or detach it: who comes brings its process, or its QEMU,"
                    + " along."))
        : Optional.empty();
  }

  /** Who must be there already: QEMU before a machine. */
  static Optional<Reason> empty(GuestHost host) {
    return host.isAttached()
        ? Optional.empty()
        : Optional.of(
            new Reason(
                ArrivalCode.NO_MACHINE,
                "no machine waits at the destination for guest \"" + host.settings().name() + "\"",
                "Start it there with -S -incoming defer, and as the source is but for its"
                    + " sockets."));
  }

  /**
   * All that can be seen of this daemon without touching anything.
   *
   * @param host the guest's place
   * @param guests all of this daemon
   */
  static List<Reason> objections(
      MoveQuestion question, GuestHost host, Map<String, GuestHost> guests) {
    List<Reason> found = new ArrayList<>(unfit(question.offer(), host));
    lacking(question, host).ifPresent(found::add);
    sized(question, host).ifPresent(found::add);
    crowded(question, host, guests).ifPresent(found::add);
    return found;
  }

  private static Optional<Reason> lacking(MoveQuestion question, GuestHost host) {
    ImmutableSet<String> missing = question.missing(host.gpu().gpu().capabilities());
    return missing.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Reason(
                ArrivalCode.LESSER_GPU,
                "the destination's GPU cannot do what the guest's can, missing=" + missing,
                "Choose a destination with a GPU of the same kind and a driver as new."));
  }

  /** A process keeps the file that is its video memory, of the size that it has. */
  private static Optional<Reason> sized(MoveQuestion question, GuestHost host) {
    long there = question.offer().apertureBytes();
    long here = host.gpu().gpu().info().vramBytes();
    boolean mustMatch =
        question.process() && question.capabilities().contains(Capability.VRAM_APERTURE.name());
    return mustMatch && there != here
        ? Optional.of(
            new Reason(
                ArrivalCode.OTHER_SIZE,
                "the destination's GPU has another size, bytes=" + here + " source=" + there,
                "Choose a destination whose GPU has as much video memory."))
        : Optional.empty();
  }

  /** Whether its memory fits beside what others hold and keep. */
  private static Optional<Reason> crowded(
      MoveQuestion question, GuestHost host, Map<String, GuestHost> guests) {
    boolean evicts = host.gpu().gpu().capabilities().contains(Capability.EVICTION);
    long kept =
        guests.values().stream()
            .filter(other -> other != host && other.gpu() == host.gpu())
            .map(GuestHost::quota)
            .mapToLong(quota -> kept(quota, evicts))
            .sum();
    long room = host.gpu().gpu().info().vramBytes() - kept;
    long wanted = question.offer().vramUsedBytes();
    return wanted <= room
        ? Optional.empty()
        : Optional.of(
            new Reason(
                ArrivalCode.NO_ROOM,
                "the destination has no room now: the guest holds "
                    + Quantities.formatSize(wanted)
                    + ", other guests of its GPU leave "
                    + Quantities.formatSize(Math.max(0, room)),
                "Choose another destination, or have less held there: sluicectl quota show "
                    + host.gpu().name()
                    + "."));
  }

  /** What another guest can be made to give back is no obstacle. */
  private static long kept(QuotaStatus quota, boolean evicts) {
    return evicts ? Math.min(quota.heldBytes(), quota.minimumBytes()) : quota.heldBytes();
  }
}
