package io.sluice.migrate.qemu;

import io.sluice.abi.SluiceException;
import io.sluice.migrate.qmp.QemuMachine;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The monitor of a machine that moves: a thread that waits for its answers, others for what must
 * not wait behind that, and the engine, which is woken when the machine has told something.
 */
final class MachineMonitor {
  private final String name;
  private final QemuMachine machine;
  private final ThreadFactory threads;
  private final Worker worker;
  private volatile Runnable waker = () -> {};

  /**
   * @param name of the machine's device, for threads
   * @param side of the migration, for the same
   * @param onFailure told of a step that failed; the engine is woken behind that
   */
  MachineMonitor(
      String name,
      String side,
      QemuMachine machine,
      ThreadFactory threads,
      Consumer<SluiceException> onFailure) {
    this.name = name;
    this.machine = machine;
    this.threads = threads;
    worker =
        new Worker(
            "sluice-" + name + "-" + side,
            threads,
            why -> {
              onFailure.accept(why);
              wake();
            });
    machine.setListener(this::wake);
  }

  /** The thread that waits for answers. */
  Worker worker() {
    return worker;
  }

  /** A thread of its own for a step, which has yet to be started. */
  Thread thread(String step, Runnable run) {
    Thread thread = threads.newThread(run);
    thread.setName("sluice-" + name + "-" + step);
    return thread;
  }

  void setWaker(Runnable newWaker) {
    waker = newWaker;
  }

  /** Something is new. */
  void wake() {
    waker.run();
  }

  /**
   * Lets go of the monitor when the worker has done what it was given.
   *
   * @param other a thread that is to have ended before; null for none
   * @param way of the machine's stream; let go, too
   */
  void close(@Nullable Thread other, RamTransport.End way) {
    worker.closeAfter(
        other,
        () -> {
          machine.close();
          way.close();
        });
  }
}
