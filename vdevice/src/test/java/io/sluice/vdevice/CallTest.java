package io.sluice.vdevice;

import static io.sluice.vdevice.RawClient.body;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.guest.CallSlot;
import io.sluice.abi.guest.GuestAbi;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.Mapping;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A guest that has mapped BAR 1, has vector 0 and shares 64 KiB of memory at {@link #RAM}. */
abstract class CallTest extends ServerTest {
  static final long RAM = 0x1000_0000L;
  static final int RAM_BYTES = 0x10000;
  private static final int PATIENCE_MS = 60_000;

  MemorySegment calls;
  MemorySegment ram;
  Fd vectorZero;
  private Mapping callMapping;
  private Mapping ramMapping;
  private int lastSeq;

  @BeforeEach
  void attach() {
    try (RawClient.Message reply = client.call(5, body(32, 0, GuestAbi.BAR_CALLS, 0, 0L, 0L))) {
      callMapping = map(reply.fds().get(0), GuestAbi.BAR1_SIZE);
    }
    calls = callMapping.segment();
    vectorZero = kernel.eventfd(0, Kernel.NONBLOCK);
    client.ok(8, body(20, 0x24, 2, 0, 1), vectorZero);
    try (Fd memory = kernel.memfdCreate("ram", RAM_BYTES)) {
      client.ok(2, body(32, 3, 0L, RAM, (long) RAM_BYTES), memory);
      ramMapping = map(memory, RAM_BYTES);
    }
    ram = ramMapping.segment();
  }

  private Mapping map(Fd fd, long bytes) {
    return kernel.mmap(fd, 0, bytes, Kernel.PROT_READ | Kernel.PROT_WRITE);
  }

  @AfterEach
  void unmap() {
    callMapping.close();
    ramMapping.close();
    vectorZero.close();
  }

  static long slotAt(int slot) {
    return GuestAbi.BAR1_SLOTS + slot * CallSlot.SIZE;
  }

  /** The arguments of a slot, from offset 0. */
  MemorySegment args(int slot) {
    return calls.asSlice(slotAt(slot) + CallSlot.ARGS.offset(), GuestAbi.SLOT_ARGS);
  }

  /** Fills a slot; its sequence number. */
  int fill(int slot, int command, Object... parts) {
    byte[] bytes = body(parts);
    args(slot).fill((byte) 0);
    MemorySegment.copy(bytes, 0, args(slot), ValueLayout.JAVA_BYTE, 0, bytes.length);
    CallSlot.COMMAND.setBits(calls, slotAt(slot), command);
    lastSeq++;
    CallSlot.SEQ.setRelease(calls, slotAt(slot), lastSeq);
    return lastSeq;
  }

  void ring(int slot) {
    client.write32(GuestAbi.BAR_REGISTERS, GuestAbi.REG_CALL, slot);
  }

  void awaitVectorZero() {
    int ready =
        kernel.poll(List.of(vectorZero), new short[] {Kernel.POLLIN}, new short[1], PATIENCE_MS);
    assertThat(ready).as("vector 0 is raised").isEqualTo(1);
    kernel.drain(vectorZero);
  }

  void awaitDone(int slot, int seq) {
    while (CallSlot.DONE_SEQ.bitsAcquire(calls, slotAt(slot)) != seq) {
      awaitVectorZero();
    }
  }

  int status(int slot) {
    return CallSlot.STATUS.bits(calls, slotAt(slot));
  }

  /** Makes a call in slot 0; its status. */
  int call(int command, Object... parts) {
    int seq = fill(0, command, parts);
    ring(0);
    awaitDone(0, seq);
    return status(0);
  }

  /** Makes a call that succeeds; its arguments afterwards. */
  MemorySegment succeed(int command, Object... parts) {
    assertThat(Integer.toHexString(call(command, parts))).isEqualTo("1");
    return args(0);
  }

  /** Makes a call that is refused, with its arguments left alone; the server goes on. */
  void refuse(Errno errno, int command, Object... parts) {
    int status = call(command, parts);
    assertThat(status & GuestAbi.STATUS_ERROR).isEqualTo(GuestAbi.STATUS_ERROR);
    assertThat(Errno.nameOf(status & ~GuestAbi.STATUS_ERROR)).isEqualTo(errno.name());
    byte[] given = body(parts);
    byte[] left = args(0).asSlice(0, given.length).toArray(ValueLayout.JAVA_BYTE);
    assertThat(left).isEqualTo(given);
    assertThat(succeed(GuestAbi.CALL_PING, 42L).get(ValueLayout.JAVA_LONG, 8)).isEqualTo(42);
  }

  int word(MemorySegment args, long offset) {
    return args.get(ValueLayout.JAVA_INT, offset);
  }
}
