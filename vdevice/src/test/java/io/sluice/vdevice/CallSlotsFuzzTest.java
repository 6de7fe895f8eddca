package io.sluice.vdevice;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.junit.Lifecycle;
import io.sluice.abi.guest.CallSlot;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.testbed.checks.FuzzInput;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Slots of calls that a second thread goes on rewriting, from one content to another and back,
 * while the device reads and executes them: afterwards calls are answered as ever, and a reset
 * leaves nothing.
 */
final class CallSlotsFuzzTest extends CallTest {
  private static final int SLOTS = 4;
  private static final int MAX_ROUNDS = 6;
  private static final int SLOT_WORDS = (int) CallSlot.SIZE / Long.BYTES;
  private static final int COMMANDS = 24;

  /** Of each round the slot, the command and words of its first content, and of its second. */
  static Stream<byte[]> slots() {
    return Stream.of(
        round(GuestAbi.CALL_PING, 1, GuestAbi.CALL_PING, 2),
        round(2, 0x10000, 3, 1),
        round(4, 1, 5, 0),
        RawClient.body(round(2, 0x1000, 2, -1), round(6, 1, 7, 1), round(8, 0, 9, 1)));
  }

  private static byte[] round(int first, int word, int second, int other) {
    return RawClient.body(
        new byte[] {1}, content(first, word), content(second, other), new byte[] {3});
  }

  private static byte[] content(int command, int word) {
    return RawClient.body(
        new byte[] {(byte) command}, RawClient.body(word, 0, word, 0, 1, 0, 0, 0));
  }

  @MethodSource("slots")
  @FuzzTest(lifecycle = Lifecycle.PER_EXECUTION)
  void rewritten(byte[] input) throws InterruptedException {
    FuzzInput choices = new FuzzInput(input);
    for (int i = 0; i < MAX_ROUNDS && !choices.isEmpty(); i++) {
      int slot = choices.nextInt(SLOTS);
      MemorySegment one = content(choices);
      MemorySegment other = content(choices);
      rewriteWhileItIsCalled(slot, one, other, 1 + choices.nextInt(8));
    }
    MemorySegment slots = calls.asSlice(GuestAbi.BAR1_SLOTS, GuestAbi.MAX_SLOTS * CallSlot.SIZE);
    slots.fill((byte) 0);
    assertThat(succeed(GuestAbi.CALL_PING, 42L).get(ValueLayout.JAVA_LONG, 8)).isEqualTo(42);
    client.ok(13, new byte[0]);
    FakeGpu.Open open = gpu.last();
    assertThat(open.buffers + open.spaces + open.channels).isZero();
  }

  /** What stands in a slot: a command and eight words of arguments. */
  private static MemorySegment content(FuzzInput choices) {
    MemorySegment slot = MemorySegment.ofArray(new long[SLOT_WORDS]);
    CallSlot.COMMAND.setBits(slot, 0, choices.nextInt(COMMANDS));
    byte[] words = choices.take(32);
    MemorySegment.copy(words, 0, slot, ValueLayout.JAVA_BYTE, CallSlot.ARGS.offset(), words.length);
    return slot;
  }

  private void rewriteWhileItIsCalled(int slot, MemorySegment one, MemorySegment other, int times)
      throws InterruptedException {
    AtomicBoolean stop = new AtomicBoolean();
    Thread writer =
        Thread.ofPlatform()
            .start(() -> {
              for (int seq = 1; !stop.get(); seq++) {
                long at = slotAt(slot);
                MemorySegment content = seq % 2 == 0 ? one : other;
                MemorySegment.copy(content, 0, calls, at, content.byteSize());
                CallSlot.SEQ.setRelease(calls, at, seq);
              }
            });
    try {
      for (int i = 0; i < times; i++) {
        ring(slot);
        assertGoesOn();
      }
    } finally {
      stop.set(true);
      writer.join();
    }
  }
}
