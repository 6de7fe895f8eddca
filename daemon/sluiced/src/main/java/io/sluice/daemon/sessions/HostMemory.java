package io.sluice.daemon.sessions;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.remoting.control.MemoryPage;

/** The page by which the memory of all session hosts of a guest counts against one limit. */
final class HostMemory implements AutoCloseable {
  private final Fd file;
  private final Mapping mapping;
  private final MemoryPage page;

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

  /** Nothing of a host's process is left. */
  void clear(int host) {
    page.clear(host);
  }

  @Override
  public void close() {
    mapping.close();
    file.close();
  }
}
