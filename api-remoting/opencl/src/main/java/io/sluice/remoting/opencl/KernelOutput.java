package io.sluice.remoting.opencl;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The standard output of this process, where libraries write what kernels print (OpenCL C 3.0,
 * section 6.15.14): nothing in it says whose kernel it was. So one session at a time may have
 * kernels that print under way, in the order in which they asked. From any thread.
 */
public final class KernelOutput implements Runnable {
  /** Most bytes of one session that wait to be taken; what is more is lost. */
  private static final int MOST_BYTES = 256 << 10;

  private static final int CHUNK_BYTES = 64 << 10;
  private static final int MOST_CHUNKS = 64;
  private static final MethodHandle FLUSH =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker()
                  .defaultLookup()
                  .find("fflush")
                  .orElseThrow(() -> new AssertionError("the C library lacks fflush")),
              FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS));

  private final Kernel kernel;
  private final Fd from;
  private final MemorySegment chunk = Arena.global().allocate(CHUNK_BYTES);

  @GuardedBy("this")
  private final Queue<Printer> waiting = new ArrayDeque<>();

  @GuardedBy("this")
  private @Nullable Printer current;

  /**
   * Reads from the other end of what is the standard output by now.
   *
   * @param from becomes non-blocking
   */
  public KernelOutput(Kernel kernel, Fd from) {
    this.kernel = kernel;
    this.from = from;
    kernel.setNonBlocking(from);
  }

  /** A session whose kernels print, from time to time. */
  static final class Printer {
    private final Runnable wake;
    private final ByteArrayOutputStream text = new ByteArrayOutputStream();

    /**
     * @param wake is run when it may print, and when there is text of it
     */
    Printer(Runnable wake) {
      this.wake = wake;
    }

    private void add(byte[] bytes) {
      text.write(bytes, 0, Math.min(bytes.length, MOST_BYTES - text.size()));
    }

    private byte[] take() {
      byte[] taken = text.toByteArray();
      text.reset();
      return taken;
    }
  }

  /** Reads all that comes, so that no kernel waits for room, as long as the process lives. */
  @Override
  public void run() {
    List<Fd> readable = List.of(from);
    while (true) {
      int _ = kernel.pollNs(readable, new short[] {Kernel.POLLIN}, new short[1], -1);
      Runnable wake = receive();
      wake.run();
    }
  }

  /** What wakes the session whose text has come. */
  private synchronized Runnable receive() {
    Printer printer = current;
    Runnable wake = () -> {};
    for (int i = 0; i < MOST_CHUNKS; i++) {
      long bytes = kernel.read(from, chunk);
      if (bytes <= 0) {
        break;
      }
      if (printer != null) {
        printer.add(chunk.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE));
        wake = printer.wake;
      }
    }
    return wake;
  }

  /**
   * Asks for the output.
   *
   * @return whether what comes is the printer's from now on; else it is woken when it may ask again
   */
  synchronized boolean claim(Printer printer) {
    if (current == printer && waiting.isEmpty()) {
      return true;
    }
    if (current == null && (waiting.isEmpty() || waiting.peek() == printer)) {
      boolean _ = waiting.remove(printer);
      current = printer;
      return true;
    }
    if (!waiting.contains(printer)) {
      waiting.add(printer);
    }
    return false;
  }

  /** None of a printer's kernels that print is under way; its text was taken. */
  void release(Printer printer) {
    Printer next;
    synchronized (this) {
      boolean _ = waiting.remove(printer);
      if (current == printer) {
        current = null;
      }
      next = current == null ? waiting.peek() : null;
    }
    if (next != null) {
      next.wake.run();
    }
  }

  /** What was printed by now, by kernels that have come to their end if by nobody else. */
  byte[] take(Printer printer) {
    flush(); // not below the lock: who is within the library's stream may wait for the reader
    synchronized (this) {
      Runnable _ = receive();
      return printer.take();
    }
  }

  private static void flush() {
    try {
      int _ = (int) FLUSH.invokeExact(MemorySegment.NULL);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new AssertionError("a downcall threw a checked exception", t);
    }
  }
}
