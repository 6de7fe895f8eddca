package io.sluice.vdevice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.guest.CallSlot;
import io.sluice.abi.guest.EventQueue;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.guest.GuestEvent;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.state.ChannelError;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Slots, doorbells, sequence numbers, events, resets: what is common to all calls. */
final class CallSlotsTest extends CallTest {
  @ParameterizedTest
  @ValueSource(ints = {64, 65, 1000, -1, Integer.MIN_VALUE})
  void doorbell_indexOutOfRange_isIgnored(int slot) {
    ring(slot);
    succeed(GuestAbi.CALL_PING, 1L);
  }

  @Test
  void doorbell_ofAnEmptySlot_isIgnored() {
    ring(5);
    succeed(GuestAbi.CALL_PING, 1L);
    assertThat(CallSlot.DONE_SEQ.bitsAcquire(calls, slotAt(5))).isZero();
  }

  @Test
  void doorbell_oftenForOneSequenceNumber_executesOnce() {
    int seq = fill(0, GuestAbi.CALL_VSPACE_NEW, 0, 0);
    for (int i = 0; i < 100; i++) {
      ring(0);
    }
    awaitDone(0, seq);
    for (int i = 0; i < 100; i++) {
      ring(0);
    }
    succeed(GuestAbi.CALL_PING, 1L);
    assertThat(gpu.last().spaces).isEqualTo(1);
  }

  @Test
  void doorbell_inAnotherAccessWidth_isIgnored() {
    fill(0, GuestAbi.CALL_VSPACE_NEW, 0, 0);
    client.ok(10, RawClient.body(0x101L, 0, 4, 0));
    client.ok(10, RawClient.body(0x100L, 0, 2, (short) 0));
    int seq = fill(1, GuestAbi.CALL_PING, 0L);
    ring(1);
    awaitDone(1, seq);
    assertThat(gpu.last().spaces).isZero();
  }

  @Test
  void slots_manyAtOnce_areExecutedInTheOrderTheyWereRung() {
    int[] seqs = new int[64];
    for (int slot = 0; slot < 64; slot++) {
      seqs[slot] = fill(slot, GuestAbi.CALL_VSPACE_NEW, 0, 0);
    }
    for (int slot = 63; slot >= 0; slot--) {
      ring(slot);
    }
    awaitDone(0, seqs[0]);
    for (int slot = 0; slot < 64; slot++) {
      assertThat(status(slot)).isEqualTo(1);
      assertThat(word(args(slot), 0)).isEqualTo(64 - slot);
    }
  }

  /** The virtual CPU is held for the write of the doorbell, not for the call. */
  @Test
  void doorbell_whileACallRuns_isAnsweredAtOnce() {
    CountDownLatch gate = new CountDownLatch(1);
    gpu.gate = gate;
    int slow = fill(0, GuestAbi.CALL_MEM_ALLOC, 2, 0, 0, 0, 4096L, 0L);
    ring(0);
    int quick = fill(1, GuestAbi.CALL_PING, 5L);
    ring(1);
    assertThat(client.read32(0, GuestAbi.REG_MAGIC)).isEqualTo(GuestAbi.MAGIC);
    assertThat(client.read32(0, GuestAbi.REG_GENERATION)).isNotZero();
    assertThat(CallSlot.DONE_SEQ.bitsAcquire(calls, slotAt(0))).isZero();
    gate.countDown();
    awaitDone(0, slow);
    awaitDone(1, quick);
  }

  /** The host copies a slot once: what the guest stores while the call runs changes nothing. */
  @Test
  void slot_rewrittenWhileItsCallRuns_executesWhatWasRung() throws InterruptedException {
    CountDownLatch gate = new CountDownLatch(1);
    gpu.gate = gate;
    int seq = fill(0, GuestAbi.CALL_MEM_ALLOC, 2, 0, 0, 0, 4096L, 0L);
    ring(0);
    await("the call begins").until(session::isExecuting);
    args(0).set(ValueLayout.JAVA_LONG, 0x10, 1L << 60);
    CallSlot.COMMAND.setBits(calls, slotAt(0), GuestAbi.CALL_VSPACE_NEW);
    CallSlot.SEQ.setRelease(calls, slotAt(0), seq + 500);
    gate.countDown();
    awaitDone(0, seq);
    assertThat(status(0)).isEqualTo(1);
    assertThat(args(0).get(ValueLayout.JAVA_LONG, 0x10)).isEqualTo(4096);
    assertThat(gpu.last().spaces).isZero();
  }

  @Test
  void slot_rungAgainWhileItRuns_executesTheNewSequenceNumberToo() {
    CountDownLatch gate = new CountDownLatch(1);
    gpu.gate = gate;
    fill(0, GuestAbi.CALL_MEM_ALLOC, 2, 0, 0, 0, 4096L, 0L);
    ring(0);
    await("the call begins").until(session::isExecuting);
    int second = fill(0, GuestAbi.CALL_MEM_ALLOC, 2, 0, 0, 0, 4096L, 0L);
    ring(0);
    gate.countDown();
    awaitDone(0, second);
    assertThat(gpu.last().buffers).isEqualTo(2);
  }

  @Test
  void resetRegister_wrongWord_isIgnored() {
    succeed(GuestAbi.CALL_VSPACE_NEW, 0, 0);
    client.write32(0, GuestAbi.REG_RESET, 1);
    succeed(GuestAbi.CALL_PING, 1L);
    assertThat(gpu.last().spaces).isEqualTo(1);
  }

  @Test
  void resetRegister_magic_freesEverythingAndTells() {
    int generation = client.read32(0, GuestAbi.REG_GENERATION);
    int space = word(succeed(GuestAbi.CALL_VSPACE_NEW, 0, 0), 0);
    succeed(GuestAbi.CALL_CHAN_NEW, space, 0);
    succeed(GuestAbi.CALL_MEM_ALLOC, 2, 0, 0, 0, 4096L, 0L);
    client.write32(0, GuestAbi.REG_RESET, GuestAbi.MAGIC);
    await("the device is reset")
        .until(() -> client.read32(0, GuestAbi.REG_GENERATION) != generation);
    assertThat(gpu.last().spaces + gpu.last().channels + gpu.last().buffers).isZero();
    awaitEvents(1);
    MemorySegment event = event(0);
    assertThat(GuestEvent.KIND.bits(event)).isEqualTo(GuestAbi.EVENT_GENERATION);
    assertThat(GuestEvent.CODE.bits(event)).isEqualTo(client.read32(0, GuestAbi.REG_GENERATION));
    // Slots start again; guest memory stays shared.
    assertThat(CallSlot.DONE_SEQ.bitsAcquire(calls, slotAt(0))).isZero();
    succeed(GuestAbi.CALL_PING, 1L);
    assertThat(gpu.last().regions).hasSize(1);
  }

  @Test
  void reset_withCallsThatWait_executesNoneOfThem() {
    CountDownLatch gate = new CountDownLatch(1);
    gpu.gate = gate;
    fill(0, GuestAbi.CALL_MEM_ALLOC, 2, 0, 0, 0, 4096L, 0L);
    ring(0);
    await("the call begins").until(session::isExecuting);
    fill(1, GuestAbi.CALL_VSPACE_NEW, 0, 0);
    ring(1);
    int id = client.send(13, 0, new byte[0]); // waits for the call that runs
    gate.countDown();
    try (RawClient.Message reply = client.receive()) {
      assertThat(reply.id()).isEqualTo(id);
    }
    succeed(GuestAbi.CALL_PING, 1L);
    assertThat(gpu.last().buffers).isZero();
    assertThat(gpu.last().spaces).isZero();
  }

  // ---- events ----

  private MemorySegment event(int index) {
    long at = GuestAbi.BAR1_EVENTS + EventQueue.ENTRIES.offset() + index * GuestEvent.SIZE;
    return calls.asSlice(at, GuestEvent.SIZE);
  }

  private void awaitEvents(int head) {
    while (EventQueue.HEAD.bitsAcquire(calls, GuestAbi.BAR1_EVENTS) != head) {
      awaitVectorZero();
    }
  }

  @Test
  void channelError_isAnEventAPendingBitAndBothVectors() {
    int space = word(succeed(GuestAbi.CALL_VSPACE_NEW, 0, 0), 0);
    int channel = word(succeed(GuestAbi.CALL_CHAN_NEW, space, 0), 4);
    session.guest().channels().kill(channel, GuestAbi.ERROR_OPERATOR, 9);
    awaitEvents(1);
    assertThat(GuestEvent.KIND.bits(event(0))).isEqualTo(GuestAbi.EVENT_CHANNEL_ERROR);
    assertThat(GuestEvent.ID.bits(event(0))).isEqualTo(channel);
    assertThat(GuestEvent.CODE.bits(event(0))).isEqualTo(GuestAbi.ERROR_OPERATOR);
    assertThat(word(calls, GuestAbi.BAR1_PENDING)).isEqualTo(1 << channel);
    assertThat(session.vectors().pending()).isEqualTo(1L << (1 + channel % 16));
    gpu.last().happen(new ChannelError(channel, 1, 0, 0, 0)); // told once only
    session.guest().dispatchEvents();
    assertThat(EventQueue.HEAD.bitsAcquire(calls, GuestAbi.BAR1_EVENTS)).isEqualTo(1);
  }

  @Test
  void interrupt_ofAChannel_setsItsBitAndRaisesItsVector() {
    try (Fd vector = kernel.eventfd(0, Kernel.NONBLOCK)) {
      client.ok(8, RawClient.body(20, 0x24, 2, 1 + 40 % 16, 1), vector);
      gpu.last().happen(40);
      gpu.last().happen(40);
      session.guest().dispatchEvents();
      assertThat(kernel.drain(vector)).isEqualTo(1); // the second found the bit set
      assertThat(word(calls, GuestAbi.BAR1_PENDING + 4)).isEqualTo(1 << 8);
    }
  }

  @Test
  void events_thatTheGuestDoesNotTake_areCountedAsLost() {
    for (int i = 0; i < GuestAbi.EVENT_ENTRIES + 5; i++) {
      session.setVramLimit(4096L * (i + 1));
    }
    assertThat(EventQueue.HEAD.bitsAcquire(calls, GuestAbi.BAR1_EVENTS))
        .isEqualTo(GuestAbi.EVENT_ENTRIES);
    assertThat(EventQueue.LOST.bits(calls, GuestAbi.BAR1_EVENTS)).isEqualTo(5);
    assertThat(GuestEvent.ADDRESS.get(event(0))).isEqualTo(4096);
    EventQueue.TAIL.setRelease(calls, GuestAbi.BAR1_EVENTS, 1);
    session.setVramLimit(8192);
    assertThat(EventQueue.HEAD.bitsAcquire(calls, GuestAbi.BAR1_EVENTS))
        .isEqualTo(GuestAbi.EVENT_ENTRIES + 1);
    assertThat(client.read32(0, GuestAbi.REG_VRAM_LO)).isEqualTo(8192);
  }

  @Test
  void askToTouch_driverThatDoesNotKnow_isNotAsked() {
    assertThat(session.askToTouch()).isZero();
    assertThat(EventQueue.HEAD.bitsAcquire(calls, GuestAbi.BAR1_EVENTS)).isZero();
  }

  private void knowTouch() {
    EventQueue.TOUCHED.setRelease(calls, GuestAbi.BAR1_EVENTS, GuestAbi.TOUCH_KNOWN);
  }

  @Test
  void askToTouch_queueFull_isNotAsked() {
    knowTouch();
    for (int i = 0; i < GuestAbi.EVENT_ENTRIES; i++) {
      session.setVramLimit(4096L * (i + 1));
    }
    assertThat(session.askToTouch()).isZero();
  }

  @Test
  void askToTouch_guestAnswers_hasTouched() {
    knowTouch();
    int code = session.askToTouch();
    assertThat(GuestEvent.KIND.bits(event(0))).isEqualTo(GuestAbi.EVENT_TOUCH);
    assertThat(GuestEvent.CODE.bits(event(0))).isEqualTo(code).isNotZero();
    assertThat(session.hasTouched(code)).isFalse();
    EventQueue.TOUCHED.setRelease(calls, GuestAbi.BAR1_EVENTS, code);
    assertThat(session.hasTouched(code)).isTrue();
  }

  /** What it does late, for a former question or before a reset, is no answer to a new one. */
  @Test
  void askToTouch_guestAnswersAFormerQuestion_hasNotTouched() {
    knowTouch();
    int former = session.askToTouch();
    int code = session.askToTouch();
    EventQueue.TOUCHED.setRelease(calls, GuestAbi.BAR1_EVENTS, former);
    assertThat(session.hasTouched(code)).isFalse();
    int generation = client.read32(0, GuestAbi.REG_GENERATION);
    client.write32(0, GuestAbi.REG_RESET, GuestAbi.MAGIC);
    await("the device is reset")
        .until(() -> client.read32(0, GuestAbi.REG_GENERATION) != generation);
    awaitEvents(1);
    knowTouch();
    int anew = session.askToTouch();
    EventQueue.TOUCHED.setRelease(calls, GuestAbi.BAR1_EVENTS, code);
    assertThat(session.hasTouched(anew)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 1000, -1, Integer.MIN_VALUE})
  void events_tailThatCannotBe_losesEventsOnly(int tail) {
    EventQueue.TAIL.setRelease(calls, GuestAbi.BAR1_EVENTS, tail);
    for (int i = 0; i < 3; i++) {
      session.setVramLimit(4096L * (i + 1));
    }
    int head = EventQueue.HEAD.bitsAcquire(calls, GuestAbi.BAR1_EVENTS);
    int lost = EventQueue.LOST.bits(calls, GuestAbi.BAR1_EVENTS);
    assertThat(head + lost).isEqualTo(3);
    succeed(GuestAbi.CALL_PING, 1L);
  }

  /** What the host counts is its own: the guest's copy of it decides nothing. */
  @Test
  void events_headOverwrittenByTheGuest_isRestored() {
    session.setVramLimit(4096);
    EventQueue.HEAD.setRelease(calls, GuestAbi.BAR1_EVENTS, 1_000_000);
    session.setVramLimit(8192);
    assertThat(EventQueue.HEAD.bitsAcquire(calls, GuestAbi.BAR1_EVENTS)).isEqualTo(2);
  }
}
