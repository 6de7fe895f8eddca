package io.sluice.channel.nvidia.relay.link;

import io.sluice.abi.relay.RelaySession;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The files of the driver's by which it wakes a program in a machine: each has a word there that
 * counts. To ask such a file whether it is readable takes what it had to tell.
 */
final class WakingFiles {
  private static final VarHandle WORD = ValueLayout.JAVA_INT.varHandle();

  private final MemorySegment shared;
  private final Map<Integer, Fd> files = new TreeMap<>(); // by numbers of events
  private final int[] counts = new int[RelaySession.MAX_EVENTS];

  WakingFiles(MemorySegment shared) {
    this.shared = shared;
  }

  /** Whether one more file has a number. */
  boolean hasRoom() {
    forgetClosed();
    return files.size() < RelaySession.MAX_EVENTS;
  }

  /**
   * Has a file of the driver's wake the program; there is room.
   *
   * @param file stays the caller's
   * @return the number of its event
   */
  int add(Fd file) {
    forgetClosed();
    int number = 1;
    while (files.containsKey(number)) {
      number++;
    }
    files.put(number, file);
    return number;
  }

  /** What an event counts now. */
  int count(int number) {
    return counts[number - 1];
  }

  /** Those that are open, in the order that {@link #tell} takes. */
  List<Fd> files() {
    forgetClosed();
    return List.copyOf(files.values());
  }

  private void forgetClosed() {
    files.values().removeIf(file -> !file.isOpen());
  }

  /**
   * Counts for those that are readable. One that has failed is not asked again.
   *
   * @param ready what {@code poll} found
   * @return whether there were any
   */
  boolean tell(short[] ready) {
    boolean any = false;
    int i = 0;
    for (int number : List.copyOf(files.keySet())) {
      short found = ready[i++];
      if ((found & Kernel.POLLIN) != 0) {
        counts[number - 1]++;
        WORD.setRelease(shared, RelaySession.EVENTS + 4L * (number - 1), counts[number - 1]);
        any = true;
      } else if (found != 0) {
        files.remove(number);
      }
    }
    return any;
  }
}
