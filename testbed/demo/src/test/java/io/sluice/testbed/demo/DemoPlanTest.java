package io.sluice.testbed.demo;

import static io.sluice.testbed.demo.DemoPart.COMPUTE;
import static io.sluice.testbed.demo.DemoPart.COPY;
import static io.sluice.testbed.demo.DemoPart.HOST;
import static io.sluice.testbed.demo.DemoPart.MACHINE;
import static io.sluice.testbed.demo.DemoPart.MOVE;
import static io.sluice.testbed.demo.DemoPart.OPENCL;
import static io.sluice.testbed.demo.DemoPart.PROCESS_COPY;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class DemoPlanTest {
  private static final Sizes ALL = new Sizes(64 << 20, 1024, 512, 512);
  private static final Sizes COPIES = new Sizes(1 << 20, 0, 0, 0);

  @Test
  void parts_machineWithAll_areSix() {
    assertThat(new DemoPlan(true, true, true, true, ALL).parts())
        .containsExactly(HOST, MACHINE, COPY, COMPUTE, OPENCL, MOVE);
  }

  @Test
  void parts_processThatCopiesOnly_areTwo() {
    assertThat(new DemoPlan(false, false, true, false, COPIES).parts())
        .containsExactly(HOST, PROCESS_COPY);
  }

  @Test
  void parts_moveAlone_leavesOutWhoStays() {
    assertThat(new DemoPlan(true, true, false, true, ALL).parts()).containsExactly(HOST, MOVE);
  }

  @Test
  void introduction_machine_saysInItsFirstSentenceWhatCounts() {
    assertThat(new DemoPlan(true, true, true, true, ALL).introduction().getFirst())
        .isEqualTo(
            "A virtual machine copies 64 MiB on a GPU with 0 messages, 0 calls to the host.");
  }

  @Test
  void introduction_whatIsLeftOut_isNotPromised() {
    assertThat(String.join("\n", new DemoPlan(false, false, true, false, COPIES).introduction()))
        .startsWith("A process copies 1 MiB")
        .doesNotContain("moves", "compute");
    assertThat(new DemoPlan(true, true, false, true, ALL).introduction().getFirst())
        .startsWith("A virtual machine moves to another host")
        .doesNotContain("0 messages");
  }

  @Test
  void introduction_any_fitsTheLinesOfATerminal() {
    Sizes most = new Sizes(512 << 20, 16, 0, 0);
    assertThat(new DemoPlan(true, true, true, true, most).introduction())
        .allSatisfy(line -> assertThat(line).hasSizeLessThan(80));
  }
}
