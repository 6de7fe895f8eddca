package io.sluice.testbed.demo;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The plan of a run of the demo: what it is made of.
 *
 * @param machine whether the guest is a machine, else a process
 * @param openCl whether it has OpenCL
 * @param works whether there is a guest that works and stays
 * @param moves whether a machine moves
 */
record DemoPlan(boolean machine, boolean openCl, boolean works, boolean moves, Sizes sizes) {
  /** Its parts, in order. */
  List<DemoPart> parts() {
    Set<DemoPart> parts = EnumSet.of(DemoPart.HOST);
    if (works) {
      parts.add(machine ? DemoPart.COPY : DemoPart.PROCESS_COPY);
      add(parts, DemoPart.MACHINE, machine);
      add(parts, DemoPart.COMPUTE, sizes.computes());
      add(parts, DemoPart.OPENCL, openCl);
    }
    add(parts, DemoPart.MOVE, moves);
    return List.copyOf(parts);
  }

  private static void add(Set<DemoPart> parts, DemoPart part, boolean wanted) {
    if (wanted) {
      parts.add(part);
    }
  }

  /**
   * One sentence that says what will be seen, and what more there is; a line of a terminal each.
   */
  List<String> introduction() {
    List<String> lines = new ArrayList<>();
    if (works) {
      lines.add(
          (machine ? "A virtual machine" : "A process")
              + " copies "
              + PlainUnits.bytes(sizes.copyBytes())
              + " on a GPU with 0 messages, 0 calls to the host.");
      if (moves) {
        lines.add("Its programs compute there, and go on computing as it moves to another host.");
      } else if (sizes.computes()) {
        lines.add("Its programs compute there, too.");
      }
    } else {
      lines.add("A virtual machine moves to another host while its programs use a GPU.");
    }
    lines.add("All is counted and compared; the last line is \"demo: ok\" if all was right.");
    return List.copyOf(lines);
  }
}
