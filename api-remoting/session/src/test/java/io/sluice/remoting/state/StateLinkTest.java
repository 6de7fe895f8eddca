package io.sluice.remoting.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.testbed.checks.StandIn;
import io.sluice.testbed.fakes.FakeKernel;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Two threads that write to one stream: each item comes once, one behind the other. */
final class StateLinkTest {
  private final FakeKernel kernel = new FakeKernel();
  private final CountDownLatch goOn = new CountDownLatch(1);

  /** A kernel whose first send has sent, but does not return before it is told to. */
  private Kernel late() {
    CountDownLatch first = new CountDownLatch(1);
    return StandIn.of(
        Kernel.class,
        kernel,
        call -> {
          Object result = call.pass();
          if (call.is("sendmsg") && first.getCount() > 0) {
            first.countDown();
            goOn.await();
          }
          return result;
        });
  }

  private static Thread sends(StateLink link, StateItem item) {
    return Thread.ofPlatform()
        .start(() -> {
          try {
            link.write(item);
            link.flush();
          } catch (StateException lost) {
            throw new AssertionError(lost);
          }
        });
  }

  @Test
  void item_thatAnotherThreadWritesWhileTheFirstStillSends_comesBehindIt() throws Exception {
    List<Fd> ends = kernel.socketpair();
    try (StateLink out = new StateLink(late(), ends.get(0));
        StateLink in = new StateLink(kernel, ends.get(1))) {
      Thread one = sends(out, new StateItem.Complete());
      assertThat(in.read()).isEqualTo(new StateItem.Complete());

      Thread other = sends(out, new StateItem.Go());
      await()
          .until(() ->
              Set.of(Thread.State.WAITING, Thread.State.TERMINATED).contains(other.getState()));
      goOn.countDown();
      one.join();
      other.join();

      assertThat(in.read()).isEqualTo(new StateItem.Go());
      out.end();
      assertThatThrownBy(in::read).hasMessageContaining("ended the stream");
    }
  }
}
