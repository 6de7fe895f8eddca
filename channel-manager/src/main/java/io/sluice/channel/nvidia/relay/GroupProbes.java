package io.sluice.channel.nvidia.relay;

import io.sluice.channel.nvidia.relay.link.Denial;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The probes of all channel groups of a program that has come to be suspended. */
final class GroupProbes implements AutoCloseable {
  private final List<GroupProbe> probes = new ArrayList<>();

  /**
   * Makes them.
   *
   * @param channels all that the program has
   */
  static GroupProbes of(
      ProgramDriver driver,
      PagesCalls pages,
      PoolCalls pools,
      UvmCalls uvm,
      List<RmObject> channels)
      throws Denial {
    GroupProbes all = new GroupProbes();
    boolean complete = false;
    try {
      Set<RmObject.Name> groups = new HashSet<>();
      for (RmObject channel : channels) {
        if (groups.add(channel.parent())) {
          all.probes.add(GroupProbe.of(driver, pages, pools, uvm, channel));
        }
      }
      complete = true;
      return all;
    } finally {
      if (!complete) {
        all.close();
      }
    }
  }

  /** Asks all of them; what they were asked before has been answered. */
  void ask() {
    probes.forEach(GroupProbe::ask);
  }

  /** Whether all that was begun before they were asked has ended. */
  boolean areAnswered() {
    return probes.stream().allMatch(GroupProbe::isAnswered);
  }

  /**
   * Takes all away.
   *
   * @throws IllegalStateException when RM keeps one: the program must end
   */
  @Override
  public void close() {
    IllegalStateException failed = null;
    for (GroupProbe each : probes) {
      try {
        each.close();
      } catch (IllegalStateException e) {
        failed = e;
      }
    }
    probes.clear();
    if (failed != null) {
      throw failed;
    }
  }
}
