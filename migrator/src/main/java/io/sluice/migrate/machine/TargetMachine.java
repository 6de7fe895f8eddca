package io.sluice.migrate.machine;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * The machine, or process, that uses the guest on the destination, as the engine needs it. Rules as
 * for {@link SourceMachine}.
 *
 * <pre>
 *   prepare → (COMPLETED) → restore → resume → (RUNNING)
 *       abort, from anywhere before resume: the machine here ends
 * </pre>
 */
public interface TargetMachine extends AutoCloseable {
  /**
   * Begins to receive.
   *
   * @param source what {@link SourceMachine#describe} gave; comes from the peer
   * @return what {@link SourceMachine#start} needs
   */
  ByteBuffer prepare(ByteBuffer source);

  /** A word of the source's machine ({@code MACHINE} frame), between prepare and resume. */
  default void tell(ByteBuffer message) {}

  /** Where it stands. */
  MachineProgress progress();

  /**
   * Once COMPLETED: makes the virtual device what the source's was, and the machine's view of it
   * (PCI function, MSI-X) with it.
   *
   * @param device what {@link SourceMachine#save} gave; comes from the peer
   * @return false while that still goes on: call again when woken
   */
  boolean restore(List<ByteBuffer> device);

  /**
   * Lets the machine run; the durable record says already that it is this side's. It is called
   * again when it has thrown something.
   */
  void resume();

  /** Ends the machine here; it has never run. */
  void abort();

  /** Who is to be woken when {@link #progress} has changed; called by any thread. */
  void setWaker(Runnable waker);

  /** Lets go of the machine, which is left as it is. */
  @Override
  void close();
}
