package io.sluice.channel.nvidia.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.RefusedException;
import io.sluice.abi.rm.RmEngine;
import io.sluice.abi.rm.program.UvmCommand;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The suspension of a program whose channel is on a copy engine. */
final class RelayCopySuspendTest extends RelayChannelFixture {
  private static final long SEMAPHORES = 0x3_0000_0000L;

  @Override
  int engine() {
    return RmEngine.COPY0 + 2;
  }

  @Test
  void copies_areWaitedForInTheProgramsOwnAddressSpace() {
    pool(SEMAPHORES);
    driver.probes().work(true);
    long number = number();
    CompletableFuture<Boolean> suspended = aside(() -> relay.suspend(number, PATIENCE_NS));
    driver.probes().awaitQuestions(1);
    assertThat(driver.probes().groups()).containsExactly(GROUP);
    assertThat(suspended).isNotDone();
    driver.probes().work(false);
    assertThat(suspended.join()).isTrue();
    resume();
    submit(method(0x2bc), 2);
    assertThat(ran).endsWith(method(0x2bc), 2);
  }

  @Test
  void copies_thatDoNotEnd_leaveTheProgramAsItWas() {
    pool(SEMAPHORES);
    int before = driver.objects();
    driver.probes().work(true);
    assertThatThrownBy(() -> relay.suspend(number(), 20_000_000))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("does not come to an end");
    assertThat(driver.objects()).isEqualTo(before);
    assertThat(driver.seen(UvmCommand.FREE)).hasSize(1);
    assertThat(driver.stopped()).isZero();
  }

  @Test
  void addressSpaceThatIsFullWhereWeLook_isSearchedOn() {
    pool(SEMAPHORES);
    driver.refuseMaps(3);
    suspend();
    resume();
  }

  @Test
  void addressSpaceWithoutRoom_leavesTheProgramAsItWas() {
    pool(SEMAPHORES);
    int before = driver.objects();
    driver.refuseMaps(Integer.MAX_VALUE);
    assertThatThrownBy(() -> relay.suspend(number(), PATIENCE_NS))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("UVM refuses");
    driver.refuseMaps(0);
    assertThat(driver.objects()).isEqualTo(before);
    assertThat(relay.programs().getFirst().state()).isEqualTo(ProgramState.RUNNING);
  }

  @Test
  void addressSpaceWithoutSemaphores_leavesTheProgramAsItWas() {
    assertThatThrownBy(() -> relay.suspend(number(), PATIENCE_NS))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("an address space without semaphores");
    assertThat(relay.programs().getFirst().state()).isEqualTo(ProgramState.RUNNING);
  }
}
