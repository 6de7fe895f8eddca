package io.sluice.testbed.opencl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import io.sluice.remoting.session.RingLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;

/** An application in a machine of which there is nothing but its memory, which moves by a copy. */
final class RingApplication implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final long SUBMIT_HEAD = 0x40; // docs/session-protocol.md, as those below
  private static final long STATE = 0x1c0;
  private static final long ANSWER = 0x1000;
  private static final long RING = 0x8000;
  private static final int RING_BYTES = 256 << 10;

  private final Kernel kernel;
  private final long bytes;
  private Mapping memory;
  private Fd doorbell;
  private int head;

  RingApplication(Kernel kernel, Fd file, long bytes, Fd doorbell) {
    this.kernel = kernel;
    this.bytes = bytes;
    this.doorbell = doorbell;
    memory = map(file);
  }

  private Mapping map(Fd file) {
    return kernel.mmap(file, 0, bytes, Kernel.PROT_READ | Kernel.PROT_WRITE);
  }

  /** Goes on in another machine's memory. */
  void moveTo(Fd file, Fd bell) {
    Mapping there = map(file);
    there.segment().copyFrom(memory.segment());
    memory.close();
    memory = there;
    doorbell = bell;
  }

  MemorySegment memory() {
    return memory.segment();
  }

  int word(long at) {
    return memory().get(ValueLayout.JAVA_INT, at);
  }

  /** Why its session has ended; 0 while it has not. */
  int state() {
    return (int) RingLayout.WORD.getAcquire(memory(), STATE);
  }

  /** Makes a call that nobody waits for. */
  void post(int number, long... words) {
    post(number, 0, words);
  }

  private void post(int number, int slot, long[] words) {
    byte[] call = RelayRig.call(number, slot, words);
    long at = RING + (head & RING_BYTES - 1);
    memory().asSlice(at, call.length).copyFrom(MemorySegment.ofArray(call));
    head += call.length;
    RingLayout.WORD.setVolatile(memory(), SUBMIT_HEAD, head);
    if ((int) RingLayout.WORD.getAndSet(memory(), RingLayout.HOST_SLEEPING, 0) != 0) {
      kernel.signal(doorbell);
    }
  }

  /** Makes a call that must succeed. */
  void does(int number, long... words) {
    assertThat(status(number, words)).as("call %s", number).isZero();
  }

  /** Makes a call; value 0. */
  long value(int number, long... words) {
    does(number, words);
    return memory().get(ValueLayout.JAVA_LONG, ANSWER + 8);
  }

  private int status(int number, long... words) {
    RingLayout.WORD.setVolatile(memory(), ANSWER, 0);
    post(number, 1, words);
    await()
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(() -> (int) RingLayout.WORD.getAcquire(memory(), ANSWER) == 1 || state() != 0);
    assertThat(state()).as("the session's end").isZero();
    return word(ANSWER + 4);
  }

  @Override
  public void close() {
    memory.close();
  }
}
