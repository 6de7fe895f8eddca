package io.sluice.vdevice.pci;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.testbed.fakes.FakeKernel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What may be signalled for a vector, and who is told of it. */
final class VectorTableTest {
  private final FakeKernel kernel = new FakeKernel();
  private final VectorTable vectors = new VectorTable(kernel);
  private final List<String> told = new ArrayList<>();
  private final Fd ours = kernel.eventfd(0, Kernel.NONBLOCK);

  @AfterEach
  void nothingIsLeft() {
    vectors.close();
    ours.close();
    assertThat(kernel.openFds()).isEmpty();
  }

  private void observe() {
    vectors.observe((vector, eventfd) -> {
      if (eventfd != null) {
        assertThat(eventfd.isOpen()).isTrue();
        told.add(vector + " on");
      } else if (vector == 3) {
        told.add(vector + " off");
      }
    });
  }

  @Test
  void assign_eventfd_isToldWhileTheFormerOneIsStillOpen() {
    Fd first = kernel.dup(ours);
    vectors.assign(3, first);
    vectors.observe((vector, _) -> told.add(vector + " former open=" + first.isOpen()));
    vectors.assign(3, kernel.dup(ours));
    assertThat(told).containsExactly("3 former open=true");
    assertThat(first.isOpen()).isFalse();
  }

  @Test
  void assign_whileHeld_tellsOfNothingUntilRelease() {
    vectors.hold();
    observe();
    vectors.assign(3, kernel.dup(ours));
    assertThat(told).containsExactly("3 off");
    vectors.release();
    assertThat(told).containsExactly("3 off", "3 on");
    assertThat(kernel.drain(ours)).isEqualTo(1);
  }

  @Test
  void hold_vectorWithEventfd_takesItAwayBeforeItReturns() {
    vectors.assign(3, kernel.dup(ours));
    observe();
    vectors.hold();
    assertThat(told).containsExactly("3 off");
    vectors.raise(3);
    assertThat(kernel.drain(ours)).isZero();
    vectors.release();
    assertThat(told).containsExactly("3 off", "3 on");
    assertThat(kernel.drain(ours)).isEqualTo(1);
  }

  @Test
  void clear_vectorWithEventfd_isTold() {
    vectors.assign(3, kernel.dup(ours));
    observe();
    vectors.clear();
    assertThat(told).containsExactly("3 off");
  }
}
