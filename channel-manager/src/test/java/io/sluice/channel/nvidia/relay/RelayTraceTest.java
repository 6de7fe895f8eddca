package io.sluice.channel.nvidia.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.relay.RelayRequest;
import io.sluice.abi.rm.ioctl.Nvos02AllocMemory;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.channel.MemoryBudget;
import io.sluice.channel.nvidia.time.TimeSlices;
import io.sluice.testbed.fakes.TestCustody;
import io.sluice.testbed.fakes.relay.TraceBytes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Recordings of real programs on a real GPU, without the GPU: the relay asks of the driver, call by
 * call, what it asked when they were recorded, and answers the programs as then.
 */
final class RelayTraceTest {
  private static final long LIMIT_BYTES = 1L << 40;

  /** What is kept for each program of a guest that has 64, of 256 MiB. */
  private static final long HEAP_BYTES = 2L << 20;

  private final Kernel kernel = RealKernel.create();

  static List<RelayTrace> traces() {
    return RelayTrace.all();
  }

  @ParameterizedTest
  @MethodSource("traces")
  void program_thatWasRecorded_isAnsweredAsThen(RelayTrace trace) throws Exception {
    TraceDriver driver = new TraceDriver(kernel, trace.nodes());
    MemoryBudget heap = MemoryBudget.upTo(() -> HEAP_BYTES);
    DriverRelay relay =
        new DriverRelay(
            "web-01",
            kernel,
            driver,
            trace.card(),
            new RelayLimits(1, MemoryBudget.upTo(() -> LIMIT_BYTES), () -> LIMIT_BYTES, heap),
            new FakeDriver(kernel),
            new TimeSlices(),
            System::nanoTime,
            () -> {});
    List<Fd> ends = kernel.socketpair();
    Thread server = Thread.ofPlatform().start(() -> relay.serve(ends.get(1), TestCustody.none()));
    try (TestProgram program = new TestProgram(kernel, ends.get(0))) {
      int number = 0;
      for (RelayTrace.Exchange exchange : trace.exchanges()) {
        driver.expect(exchange.steps());
        TestProgram.Answer answer = exchange(program, exchange.request());
        String what = trace + ", request " + number++ + ": " + TraceBytes.write(exchange.request());
        assertThat(driver.complaints()).as(what).isEmpty();
        assertThat(answer.error()).as(what).isEqualTo(exchange.error());
        if (number > 1) { // the first tells of what is known, which may be more by now
          assertThat(TraceBytes.write(answer.message()))
              .as(what)
              .isEqualTo(TraceBytes.write(exchange.reply()));
        }
        assertThat(answer.fds()).as(what).hasSize(exchange.descriptors());
        answer.fds().forEach(Fd::close);
        assertThat(driver.missing()).as(what).isEmpty();
      }
      assertThat(relay.programs().getFirst().calls()).isPositive();
      assertThat(heap.bytes()).isBetween(1L, HEAP_BYTES / 2);
      driver.expect(trace.end());
    }
    server.join();
    assertThat(driver.complaints()).isEmpty();
    assertThat(driver.missing()).isEmpty();
    assertThat(relay.programs()).isEmpty();
    assertThat(heap.bytes()).isZero();
  }

  /** Sends a request, with a memory file where the program sent one. */
  private TestProgram.Answer exchange(TestProgram program, byte[] request) {
    long pinned = pinnedBytes(request);
    if (pinned == 0) {
      return program.ask(request, List.of());
    }
    try (Fd file = kernel.memfdCreate("pinned", pinned)) {
      kernel.addSeals(file, Kernel.F_SEAL_SHRINK);
      return program.ask(request, List.of(file));
    }
  }

  /** The bytes that the memory file of a request must have; 0 if none goes with it. */
  static long pinnedBytes(byte[] request) {
    if (word(request, RelayRequest.OP.offset()) != RelayRequest.IOCTL
        || word(request, RelayRequest.ARGUMENT.offset())
            != TestProgram.request(ProgramEscape.ALLOC_MEMORY)
        || request.length < RelayRequest.SIZE + Long.BYTES + Nvos02AllocMemory.LAYOUT.byteSize()) {
      return 0;
    }
    MemorySegment message = MemorySegment.ofArray(request);
    long limit = RelayRequest.SIZE + Long.BYTES + Nvos02AllocMemory.LIMIT.offset();
    return message.get(ValueLayout.JAVA_LONG_UNALIGNED, RelayRequest.ADDRESS.offset())
        + message.get(ValueLayout.JAVA_LONG_UNALIGNED, limit)
        + 1;
  }

  /** A word of a message. */
  static int word(byte[] message, long at) {
    return MemorySegment.ofArray(message).get(ValueLayout.JAVA_INT_UNALIGNED, at);
  }
}
