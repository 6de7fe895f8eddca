package io.sluice.remoting.opencl;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The function that the library calls, on threads of its own, when an event has come as far as was
 * asked for. It only wakes the session. One entry point serves all sessions; a call that comes
 * after its session finds nobody.
 */
final class EventCallback implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EventCallback.class);
  private static final Map<Long, Runnable> WAKERS = new ConcurrentHashMap<>();
  private static final AtomicLong NEXT = new AtomicLong(1);
  private static final MemorySegment ENTRY = entry();

  private final long number = NEXT.getAndIncrement();

  EventCallback(Runnable waker) {
    WAKERS.put(number, waker);
  }

  private static MemorySegment entry() {
    try {
      MethodHandle called =
          MethodHandles.lookup()
              .findStatic(
                  EventCallback.class,
                  "called",
                  MethodType.methodType(void.class, long.class, int.class, long.class));
      return Linker.nativeLinker()
          .upcallStub(
              called,
              FunctionDescriptor.ofVoid(
                  ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG),
              Arena.global());
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  /** Nothing may leave it: what is thrown into the library ends the process. */
  @SuppressWarnings("unused") // called by the library
  private static void called(long event, int status, long number) {
    try {
      Runnable waker = WAKERS.get(number);
      if (waker != null) {
        waker.run();
      }
    } catch (Throwable failure) {
      LOG.atError().setCause(failure).log("a session was not woken");
    }
  }

  /**
   * Asks for a call.
   *
   * @return false if the library refuses
   */
  boolean ask(long event, int threshold) {
    return OpenClLibrary.clSetEventCallback(
            event, threshold, ENTRY, MemorySegment.ofAddress(number))
        == ClStatus.SUCCESS;
  }

  @Override
  public void close() {
    WAKERS.remove(number);
  }
}
