package io.sluice.remoting.opencl;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.remoting.opencl.KernelOutput.Printer;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The output that sessions share. */
class KernelOutputTest {
  private static final int MOST_BYTES = 256 << 10;
  private static final int PIECE_BYTES = 32 << 10;

  private final Kernel kernel = RealKernel.create();
  private final List<Fd> ends = kernel.socketpair();
  private final KernelOutput output = new KernelOutput(kernel, ends.getFirst());
  private final AtomicInteger woken = new AtomicInteger();
  private final Printer one = new Printer(() -> {});
  private final Printer other = new Printer(woken::incrementAndGet);

  @AfterEach
  void close() {
    ends.forEach(Fd::close);
  }

  private void printed(String text) {
    try (Arena arena = Arena.ofConfined()) {
      byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
      long _ = kernel.write(ends.getLast(), arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes));
    }
  }

  private String taken(Printer printer) {
    return new String(output.take(printer), StandardCharsets.US_ASCII);
  }

  @Test
  void take_ofWhatWasPrintedByNobody_isEmpty() {
    printed("lost");

    assertThat(taken(one)).isEmpty();
  }

  @Test
  void claim_whileAnotherPrints_isRefusedUntilThatIsDone() {
    assertThat(output.claim(one)).isTrue();
    assertThat(output.claim(other)).isFalse();
    printed("one's");

    assertThat(taken(other)).isEmpty();
    assertThat(taken(one)).isEqualTo("one's");
    assertThat(woken).hasValue(0);
    output.release(one);
    assertThat(woken).hasValue(1);
    assertThat(output.claim(other)).isTrue();
    printed("other's");
    assertThat(taken(one)).isEmpty();
    assertThat(taken(other)).isEqualTo("other's");
  }

  @Test
  void claim_again_comesAfterWhoWaits() {
    assertThat(output.claim(one)).isTrue();
    assertThat(output.claim(one)).isTrue();
    assertThat(output.claim(other)).isFalse();

    assertThat(output.claim(one)).isFalse();
    output.release(one);
    assertThat(output.claim(one)).isFalse();
    assertThat(output.claim(other)).isTrue();
  }

  @Test
  void release_ofOneThatWaits_leavesItToTheOthers() {
    assertThat(output.claim(one)).isTrue();
    assertThat(output.claim(other)).isFalse();

    output.release(other);

    assertThat(output.claim(one)).isTrue();
  }

  @Test
  void take_ofMoreThanIsKept_isTheBeginning() {
    assertThat(output.claim(one)).isTrue();
    int pieces = MOST_BYTES / PIECE_BYTES + 2;
    for (int i = 0; i < pieces; i++) {
      printed("x".repeat(PIECE_BYTES));
      assertThat(taken(other)).isEmpty();
    }

    assertThat(taken(one)).hasSize(MOST_BYTES);
  }
}
