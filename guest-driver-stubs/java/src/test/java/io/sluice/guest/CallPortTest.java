package io.sluice.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.guest.CallSlot;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.guest.Ping;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The client's side of the call slots, against a host that answers when it is rung. */
final class CallPortTest {
  private static final int REFUSED = 0x7777;

  private final MemorySegment bar = MemorySegment.ofArray(new long[GuestAbi.BAR1_SIZE / 8]);
  private final List<Integer> rung = new ArrayList<>();
  private final List<Long> executed = new ArrayList<>();
  private final CallPort port = new CallPort(bar, this::answer, _ -> false);

  /** Echoes the values of the slots from 0 on, and refuses one command. */
  private void answer(int slots) {
    rung.add(slots);
    for (int slot = 0; slot < slots; slot++) {
      long at = GuestAbi.BAR1_SLOTS + slot * CallSlot.SIZE;
      MemorySegment args = bar.asSlice(at + CallSlot.ARGS.offset(), GuestAbi.SLOT_ARGS);
      executed.add(Ping.VALUE.get(args));
      Ping.ECHO.set(args, Ping.VALUE.get(args));
      boolean refuses = CallSlot.COMMAND.bits(bar, at) == REFUSED;
      CallSlot.STATUS.setBits(
          bar, at, refuses ? GuestAbi.STATUS_ERROR | Errno.ENOMEM.number() : GuestAbi.STATUS_OK);
      CallSlot.DONE_SEQ.setRelease(bar, at, CallSlot.SEQ.bitsAcquire(bar, at));
    }
  }

  private static CallPort.DeviceCall call(int command, long value, List<Long> results) {
    return new CallPort.DeviceCall(
        "call " + value,
        command,
        a -> Ping.VALUE.set(a, value),
        a -> results.add(Ping.ECHO.get(a)));
  }

  @Test
  void callAll_someRefused_readsTheOthersAndThrowsTheFirst() {
    List<Long> results = new ArrayList<>();
    assertThatThrownBy(() ->
            port.callAll(
                List.of(
                    call(GuestAbi.CALL_PING, 1, results),
                    call(REFUSED, 2, results),
                    call(REFUSED, 3, results),
                    call(GuestAbi.CALL_PING, 4, results))))
        .isInstanceOf(CallFailedException.class)
        .hasMessageContaining("call 2")
        .hasMessageContaining("ENOMEM");
    assertThat(results).containsExactly(1L, 4L);
  }

  @Test
  void callAll_hostThatDoesNotAnswer_isLost() {
    CallPort silent = new CallPort(bar, _ -> {}, _ -> false);
    assertThatThrownBy(
            () -> silent.callAll(List.of(call(GuestAbi.CALL_PING, 1, new ArrayList<>()))))
        .isInstanceOf(DeviceLostException.class);
  }

  @Test
  void callAll_noCalls_ringsNothing() {
    port.callAll(List.of());
    assertThat(rung).isEmpty();
  }

  @Test
  void callAll_moreThanThereAreSlots_makesAllInTheirOrder() {
    int count = 2 * GuestAbi.MAX_SLOTS + 5;
    List<Long> results = new ArrayList<>();
    port.callAll(
        LongStream.range(0, count)
            .mapToObj(value -> call(GuestAbi.CALL_PING, value, results))
            .toList());
    assertThat(rung).containsExactly(GuestAbi.MAX_SLOTS, GuestAbi.MAX_SLOTS, 5);
    assertThat(executed).containsExactlyElementsOf(LongStream.range(0, count).boxed().toList());
    assertThat(results).isEqualTo(executed);
  }

  @Test
  void call_inASlotThatWasUsed_hasAnotherSequenceNumber() {
    List<Integer> numbers = new ArrayList<>();
    for (int n = 0; n < 3; n++) {
      port.call("PING", GuestAbi.CALL_PING, _ -> {});
      numbers.add(CallSlot.SEQ.bitsAcquire(bar, GuestAbi.BAR1_SLOTS));
    }
    assertThat(numbers).doesNotHaveDuplicates().doesNotContain(0);
  }
}
