package io.sluice.channel.nvidia.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdCustody;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A program whose descriptors are closed when it likes. */
final class RelayForeignFdsTest extends RelayFixture {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final CountDownLatch gate = new CountDownLatch(1);

  @Override
  FdCustody custody() {
    return new FdCustody() {
      @Override
      public Fd apply(Fd received) {
        return new Fd(received.number(), _ -> closeLater(received));
      }

      @Override
      public boolean awaitRoom() {
        return true;
      }
    };
  }

  private void closeLater(Fd received) {
    try {
      gate.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    received.close();
  }

  /** What it has on the card is not kept by what it has sent. */
  @Test
  void program_whoseDescriptorIsNotClosed_hasNothingLeftOnTheCard() {
    device();
    assertThat(driver.objects()).isPositive();
    try (Fd event = kernel.eventfd(0, 0)) {
      program.send(new byte[8], List.of(event));
    }
    program.close();

    await().atMost(PATIENCE).until(() -> driver.objects() == 0);

    gate.countDown();
  }
}
