package io.sluice.daemon.relay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.channel.nvidia.relay.ProgramRelay;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.management.OperationsException;

/**
 * The relays of a guest's programs: that of its own GPU, where they begin, and those of others to
 * which some have gone, as long as one is there.
 */
final class GuestRelays implements AutoCloseable {
  private final String gpu;
  private final ProgramRelay own;
  private final OtherGpus others;

  @GuardedBy("this")
  private final Map<String, Elsewhere> elsewhere = new TreeMap<>();

  /** A relay on another GPU, and how many programs are about to go there. */
  private static final class Elsewhere {
    final ProgramRelay relay;
    int coming;

    Elsewhere(ProgramRelay relay) {
      this.relay = relay;
    }
  }

  /** The stay of a relay, until a program has arrived there or has not. */
  interface Stay extends AutoCloseable {
    /** Where the program is to arrive. */
    ProgramRelay relay();

    @Override
    void close();
  }

  /**
   * @param gpu the guest's own
   * @param own its relay; is closed with this
   */
  GuestRelays(String gpu, ProgramRelay own, OtherGpus others) {
    this.gpu = gpu;
    this.own = own;
    this.others = others;
  }

  /** That of the guest's own GPU, which knows all of the guest's programs. */
  ProgramRelay own() {
    return own;
  }

  /** All of them. */
  synchronized List<ProgramRelay> all() {
    List<ProgramRelay> all = new ArrayList<>();
    all.add(own);
    elsewhere.values().forEach(each -> all.add(each.relay));
    return all;
  }

  /**
   * Has a relay on a GPU, at least until the stay is closed.
   *
   * @param failed what does not happen when this is refused
   */
  Stay begin(String failed, String to) throws OperationsException {
    if (to.equals(gpu)) {
      return new HeldStay(own, this::release);
    }
    synchronized (this) {
      Elsewhere there = elsewhere.get(to);
      if (there == null) {
        there = new Elsewhere(others.open(failed, to, own));
        elsewhere.put(to, there);
      }
      there.coming++;
      return new HeldStay(there.relay, () -> arrived(to));
    }
  }

  /**
   * A relay, and what is done when it is needed no longer.
   *
   * @param done what is done
   */
  private record HeldStay(ProgramRelay relay, Runnable done) implements Stay {
    @Override
    public void close() {
      done.run();
    }
  }

  private synchronized void arrived(String to) {
    Elsewhere there = elsewhere.get(to);
    if (there != null) {
      there.coming--;
    }
    release();
  }

  /** Closes those on which no program is any more, and none is about to come. */
  synchronized void release() {
    elsewhere
        .entrySet()
        .removeIf(each -> {
          boolean left =
              each.getValue().coming == 0
                  && own.programs().stream().noneMatch(at -> at.gpu().equals(each.getKey()));
          if (left) {
            others.close(each.getKey(), each.getValue().relay);
          }
          return left;
        });
  }

  /** Sends all programs away; the relays of other GPUs leave with their programs. */
  @Override
  public void close() {
    all().forEach(ProgramRelay::close);
  }
}
