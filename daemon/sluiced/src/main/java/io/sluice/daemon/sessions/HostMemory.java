package io.sluice.daemon.sessions;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.remoting.control.MemoryPage;

/** The page by which the memory of all session hosts of a guest counts against one limit. */
final class HostMemory implements AutoCloseable {
  private final Fd file;
  private final Mapping mapping;
  private final MemoryPage page;

  /** Hosts of each line of the page that run. */
  @GuardedBy("this")
  private final int[] hosts = new int[MemoryPage.MOST_HOSTS];

  HostMemory(Kernel kernel) {
    Fd made = kernel.memfdCreate("sluice-memory", MemoryPage.BYTES);
    Mapping mapped = null;
    try {
      kernel.addSeals(made, Kernel.F_SEAL_SHRINK | Kernel.F_SEAL_GROW | Kernel.F_SEAL_SEAL);
      mapped = kernel.mmap(made, 0, MemoryPage.BYTES, Kernel.PROT_READ | Kernel.PROT_WRITE);
    } finally {
      if (mapped == null) {
        made.close();
      }
    }
    file = made;
    mapping = mapped;
    page = new MemoryPage(mapping.segment());
  }

  /** What goes to each host; stays this one's. */
  Fd file() {
    return file;
  }

  /**
   * A host is about to start.
   *
   * @param host its line
   */
  synchronized void enter(int host) {
    hosts[host]++;
  }

  /** Nothing of a host's process is left, which may have written to any line. */
  synchronized void leave(int host) {
    hosts[host]--;
    for (int line = 0; line < hosts.length; line++) {
      if (hosts[line] == 0) {
        page.clear(line);
      }
    }
  }

  @Override
  public void close() {
    mapping.close();
    file.close();
  }
}
