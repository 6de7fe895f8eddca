package io.sluice.testbed.fakes;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The calls of a fake that are to fail, and counts of all. Guarded by the fake's lock. */
final class Failures {
  private final Map<String, Long> made = new HashMap<>();
  private final Map<String, List<Planned>> planned = new HashMap<>();

  private record Planned(long atCall, Errno errno) {}

  void plan(String call, int n, Errno errno) {
    if (n < 1) {
      throw new IllegalArgumentException("the first call is number 1, n=" + n);
    }
    planned
        .computeIfAbsent(call, name -> new ArrayList<>())
        .add(new Planned(made.getOrDefault(call, 0L) + n, errno));
  }

  /** Counts a call, and fails it when that is planned. */
  void enter(String call) {
    long number = made.merge(call, 1L, Long::sum);
    List<Planned> plans = planned.getOrDefault(call, List.of());
    for (Planned plan : plans) {
      if (plan.atCall == number) {
        throw new SyscallException(call, "injected, call=" + number, plan.errno.number());
      }
    }
  }

  long count(String call) {
    return made.getOrDefault(call, 0L);
  }

  /** Failures that were planned and have not happened. */
  List<String> outstanding() {
    List<String> waiting = new ArrayList<>();
    planned.forEach((call, plans) -> {
      for (Planned plan : plans) {
        if (plan.atCall > count(call)) {
          waiting.add(call + " " + plan.errno);
        }
      }
    });
    return waiting;
  }
}
