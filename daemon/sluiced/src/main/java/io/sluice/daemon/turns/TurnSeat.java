package io.sluice.daemon.turns;

import io.sluice.abi.SyscallException;
import io.sluice.abi.signal.LateSignals;
import io.sluice.abi.signal.PromptSignals;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.remoting.control.TurnPage;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The seat of a session host at the devices that guests share: the page that both map, and the
 * eventfd by which the host hears of grants. Closed by {@link TurnKeeper#leave}.
 */
public final class TurnSeat {
  private final Kernel kernel;
  private final String guest;
  private final LongSupplier processorNs;
  private final PromptSignals signals;
  private final LateSignals late;
  private final Consumer<String> end;
  private final Fd file;
  private final Fd granted;
  private final Mapping mapping;
  private final TurnPage page;
  private volatile boolean closed;

  /**
   * @param processorNs time that the host's process has had of processors
   * @param signals to this host
   * @param threads makes one for signals that take long
   * @param end ends the host, and says why; does not wait
   */
  TurnSeat(
      Kernel kernel,
      String guest,
      LongSupplier processorNs,
      PromptSignals signals,
      ThreadFactory threads,
      Consumer<String> end) {
    this.kernel = kernel;
    this.guest = guest;
    this.processorNs = processorNs;
    this.signals = signals;
    late = new LateSignals(_ -> ringLate(), threads);
    this.end = end;
    Fd made = kernel.memfdCreate("sluice-turns", TurnPage.BYTES);
    Fd bell = null;
    Mapping mapped = null;
    try {
      kernel.addSeals(made, Kernel.F_SEAL_SHRINK | Kernel.F_SEAL_GROW | Kernel.F_SEAL_SEAL);
      mapped = kernel.mmap(made, 0, TurnPage.BYTES, Kernel.PROT_READ | Kernel.PROT_WRITE);
      bell = kernel.eventfd(0, Kernel.NONBLOCK);
    } finally {
      if (bell == null) {
        made.close();
        if (mapped != null) {
          mapped.close();
        }
      }
    }
    file = made;
    mapping = mapped;
    granted = bell;
    page = new TurnPage(mapping.segment());
  }

  /** What goes to the host: the page's file and the eventfd. Stay the seat's. */
  public List<Fd> files() {
    return List.of(file, granted);
  }

  String guest() {
    return guest;
  }

  long processorNs() {
    return processorNs.getAsLong();
  }

  TurnPage page() {
    return page;
  }

  /** Has the host look; it has the same eventfd, and cannot make this wait. */
  void ring() {
    try {
      if (!kernel.canSignalForeign()) {
        kernel.signal(granted);
      } else if (!signals.signal(granted)) {
        late.send(0);
      }
    } catch (SyscallException e) {
      end("it cannot be told of its turns: " + e.getMessage());
    }
  }

  private void ringLate() {
    Fd own;
    synchronized (granted) {
      if (closed) {
        return;
      }
      own = kernel.dup(granted);
    }
    try (own) {
      kernel.signalForeign(own);
    }
  }

  void end(String why) {
    end.accept(why);
  }

  boolean isClosed() {
    return closed;
  }

  /** Is nobody's seat from now on; {@link #close} follows. */
  void retire() {
    closed = true;
  }

  void close() {
    late.close();
    synchronized (granted) {
      closed = true;
      granted.close();
    }
    mapping.close();
    file.close();
  }
}
