package io.sluice.channel.nvidia.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.rm.HopperMethods;
import io.sluice.channel.nvidia.relay.ring.ProbeRing;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;

/**
 * The channels that the relay makes in a program's groups, of a driver in memory: they answer when
 * the program's work has ended. Their tokens are their handles.
 */
final class FakeProbes {
  /**
   * A channel.
   *
   * @param address at which the GPU has its pages
   * @param bound whether it has a class of its engine
   */
  private record Probe(
      long name,
      int group,
      long address,
      MemorySegment pages,
      MemorySegment userd,
      boolean bound) {}

  private final Map<Integer, Probe> probes = new LinkedHashMap<>();
  private boolean working;
  private int questions;

  synchronized void add(
      long name, int group, long address, MemorySegment pages, MemorySegment userd) {
    probes.put((int) name, new Probe(name, group, address, pages, userd, false));
  }

  synchronized boolean has(int token) {
    return probes.containsKey(token);
  }

  /** It has a class of its engine from now on, if it is one of these. */
  synchronized void bind(int token) {
    probes.computeIfPresent(
        token,
        (_, each) ->
            new Probe(each.name(), each.group(), each.address(), each.pages(), each.userd(), true));
  }

  synchronized void removeIf(LongPredicate gone) {
    probes.values().removeIf(probe -> gone.test(probe.name()));
  }

  /** Whether it is one of these that is rung. */
  synchronized boolean isAsked(int token) {
    Probe probe = probes.get(token);
    if (probe != null) {
      assertThat(probe.bound()).as("a channel that waits has a class of its engine").isTrue();
      questions++;
      notifyAll();
      if (!working) {
        answer(probe);
      }
    }
    return probe != null;
  }

  /** Does what the last entry of a channel releases. */
  private static void answer(Probe probe) {
    MemorySegment pages = probe.pages();
    int last = probe.userd().get(ValueLayout.JAVA_INT, 0x8c) - 1 & ProbeRing.ENTRIES - 1;
    long entry = pages.get(ValueLayout.JAVA_LONG, last * 8L);
    long from = HopperMethods.address(entry) - probe.address();
    for (long at = from; at < from + 4L * HopperMethods.words(entry); at += 4) {
      if (word(pages, at)
          == HopperMethods.header(0, HopperMethods.SEM_ADDR_LO, HopperMethods.SEM_WORDS)) {
        long semaphore =
            Integer.toUnsignedLong(word(pages, at + 4)) | (long) word(pages, at + 8) << 32;
        pages.set(ValueLayout.JAVA_INT, semaphore - probe.address(), word(pages, at + 12));
      }
    }
  }

  private static int word(MemorySegment pages, long at) {
    return pages.get(ValueLayout.JAVA_INT, at);
  }

  /** Whether the program's channels compute on. */
  synchronized void work(boolean whether) {
    working = whether;
    if (!working) {
      follow();
    }
  }

  /** Work ends, and other work begins that has waited for it. */
  synchronized void follow() {
    probes.values().forEach(FakeProbes::answer);
  }

  /** Waits until it has been asked so often whether work has ended. */
  synchronized void awaitQuestions(int times) {
    try {
      while (questions < times) {
        wait();
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The groups in which there are some. */
  synchronized List<Integer> groups() {
    return probes.values().stream().map(Probe::group).toList();
  }
}
