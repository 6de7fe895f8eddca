package io.sluice.channel.nvidia.relay;

import static io.sluice.channel.nvidia.relay.TestProgram.block;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.Uninterruptibles;
import io.sluice.abi.RefusedException;
import io.sluice.abi.rm.HopperMethods;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramControl;
import io.sluice.abi.rm.program.ProgramEscape;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The suspension of a program before a driver in memory. */
final class RelaySuspendTest extends RelayChannelFixture {
  @Test
  void program_thatIsNotThere_isNeitherSuspendedNorResumed() {
    assertThat(relay.suspend(99, PATIENCE_NS)).isFalse();
    assertThat(relay.resume(99)).isFalse();
  }

  @Test
  void program_thatRuns_isNotResumed() {
    assertThatThrownBy(() -> relay.resume(number()))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("the program is running")
        .hasMessageContaining("SLU-RLY-007");
  }

  @Test
  void program_thatIsSuspended_isNotSuspendedAgain() {
    suspend();
    assertThatThrownBy(() -> relay.suspend(number(), PATIENCE_NS))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("the program is suspended")
        .hasMessageContaining("SLU-RLY-006");
    resume();
  }

  @Test
  void work_thatDoesNotEnd_leavesTheProgramAsItWas() {
    driver.probes().work(true);
    assertThatThrownBy(() -> relay.suspend(number(), 20_000_000))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("does not come to an end");
    assertThat(driver.probes().groups()).isEmpty();
    assertThat(relay.programs().getFirst().state()).isEqualTo(ProgramState.RUNNING);
    submit(method(0x2bc), 7);
    assertThat(ran).containsExactly(method(0x2bc), 7);
    assertThat(driver.stopped()).isZero();
  }

  @Test
  void work_thatEndsInTime_isWaitedFor() {
    driver.probes().work(true);
    long number = number();
    CompletableFuture<Boolean> suspended = aside(() -> relay.suspend(number, PATIENCE_NS));
    driver.probes().awaitQuestions(1);
    assertThat(driver.probes().groups()).containsExactly(GROUP);
    assertThat(driver.stopped()).isZero();
    assertThat(suspended).isNotDone();
    driver.probes().work(false);
    assertThat(suspended.join()).isTrue();
    resume();
  }

  /** As a kernel does that has waited for another one's end. */
  @Test
  void work_thatFollowsOther_isWaitedForAlike() {
    driver.probes().work(true);
    long number = number();
    CompletableFuture<Boolean> suspended = aside(() -> relay.suspend(number, PATIENCE_NS));
    for (int i = 1; i <= 3; i++) {
      driver.probes().awaitQuestions(i);
      aheadNs.addAndGet(30_000_000);
      driver.probes().follow();
    }
    driver.probes().awaitQuestions(4);
    assertThat(suspended).isNotDone();
    driver.probes().work(false);
    assertThat(suspended.join()).isTrue();
    resume();
  }

  /** A function of the program's own is between two of its kernels, say. */
  @Test
  void channel_thatWaitsForASemaphore_isWaitedFor() throws Exception {
    int semaphore = 0x7000;
    submit(
        HopperMethods.header(0, HopperMethods.SEM_ADDR_LO, HopperMethods.SEM_WORDS),
        (int) RING + semaphore,
        (int) (RING >>> Integer.SIZE),
        5,
        0,
        HopperMethods.SEM_ACQUIRE_AT_LEAST);
    ring.set(ValueLayout.JAVA_INT, semaphore, 4);
    long number = number();
    assertThatThrownBy(() -> relay.suspend(number, 200_000_000))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("does not come to an end");
    ring.set(ValueLayout.JAVA_INT, semaphore, 5);
    assertThat(relay.suspend(number, PATIENCE_NS)).isTrue();
    resume();
  }

  @ParameterizedTest
  @EnumSource(
      value = ProgramClass.class,
      names = {"FERMI_VASPACE_A", "FERMI_CONTEXT_SHARE_A", "HOPPER_CHANNEL_GPFIFO_A"})
  void channelOfOurs_thatCannotBeMade_leavesTheProgramAsItWas(ProgramClass type) {
    int before = driver.objects();
    driver.refuse(type);
    assertThatThrownBy(() -> relay.suspend(number(), PATIENCE_NS))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("it is not to be known when its work has ended")
        .hasMessageContaining(type.name());
    assertThat(driver.objects()).isEqualTo(before);
    assertThat(relay.programs().getFirst().state()).isEqualTo(ProgramState.RUNNING);
    submit(method(0x2bc), 7);
    assertThat(ran).containsExactly(method(0x2bc), 7);
  }

  @Test
  void contents_thatCannotBeKept_leaveTheProgramAsItWas() {
    data();
    driver.copy(0);
    assertThatThrownBy(() -> relay.suspend(number(), PATIENCE_NS))
        .isInstanceOf(RefusedException.class);
    assertThat(driver.keptContents()).isZero();
    assertThat(driver.stopped()).isZero();
    assertThat(driver.load(DATA_AT)).isEqualTo(77);
    assertThat(notifier.get(ValueLayout.JAVA_INT, 24)).isEqualTo(FIRST_TOKEN);
    assertThat(relay.programs().getFirst().videoBytes()).isEqualTo(1 << 20);
  }

  @Test
  void memory_beyondTheHostsLimit_isNotKept() {
    data();
    hostLimit.set(RING_BYTES + 4096);
    assertThatThrownBy(() -> relay.suspend(number(), PATIENCE_NS))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("more of the host's memory than the guest may have");
    assertThat(relay.programs().getFirst().state()).isEqualTo(ProgramState.RUNNING);
  }

  @Test
  void program_thatIsSuspended_hasNothingOnTheCardAndComesBackAsItWas() {
    data();
    submit(method(0), 0xcbc0, method(0x2bc), 1);
    suspend();
    assertThat(driver.objects()).isZero();
    assertThat(relay.programs().getFirst().videoBytes()).isZero();
    assertThat(relay.programs().getFirst().evictedBytes()).isEqualTo(1 << 20);
    assertThat(driver.keptContents()).isEqualTo(1);

    ran.clear();
    resume();
    assertThat(ran).as("its channel is told its class").startsWith(method(0), 0xcbc0);
    assertThat(ran).as("and runs nothing twice").doesNotContain(method(0x2bc));
    assertThat(driver.load(DATA_AT)).isEqualTo(77);
    assertThat(driver.keptContents()).isZero();
    assertThat(relay.programs().getFirst().videoBytes()).isEqualTo(1 << 20);
    assertThat(relay.programs().getFirst().evictedBytes()).isZero();
    assertThat(notifier.get(ValueLayout.JAVA_INT, 24)).isEqualTo(NEXT_TOKEN);
    ran.clear();
    submit(method(0x2bc), 2);
    assertThat(ran).containsExactly(method(0x2bc), 2);
  }

  @Test
  void submissions_whileItIsSuspended_runOnceWhenItIsResumed() {
    for (int i = 0; i < ENTRIES + 5; i++) { // round the ring
      submit(method(0x2bc), i);
    }
    suspend();
    ran.clear();
    submit(method(0x2bc), 100);
    submit(method(0x2bc), 101);
    assertThat(ran).isEmpty();
    resume();
    assertThat(ran).containsExactly(method(0x2bc), 100, method(0x2bc), 101);
  }

  /** As a program does that allocates and computes all the time. */
  @Test
  void submissions_besideMemoryOfTheProgramsOwn_needNotBeSeen() {
    aheadNs.addAndGet(1_000_000_000); // what set the channel up was seen
    for (int i = 0; i < 4; i++) {
      int memory = DATA + i;
      assertThat(alloc(DEVICE, memory, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(4096)))
          .isEqualTo(OK);
      ProgramControl register = ProgramControl.REGISTER_VIDMEM;
      assertThat(controlStatus(client, register.command(), block(register.shape().bytes(), memory)))
          .isEqualTo(OK);
      for (int j = 0; j < ENTRIES + 5; j++) { // round the ring, with other entries each time
        int round = (i * (ENTRIES + 5) + j) / ENTRIES;
        submit(Arrays.copyOf(new int[] {method(0x2bc), j, 0}, 2 + round % 2));
      }
    }
    suspend();
    resume();
  }

  @Test
  void submissions_besideMemoryThatMayBeLibcudas_mustBeSeen() {
    aheadNs.addAndGet(1_000_000_000); // what set the channel up was seen
    assertThat(alloc(DEVICE, DATA, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(4096)))
        .isEqualTo(OK);
    submit(method(0x790), 5);
    suspend();
    ran.clear();
    resume();
    assertThat(ran).contains(method(0x790), 5);
  }

  /** RM has a name of its own for each client's objects. */
  @Test
  void channel_withTheHandleOfAnotherClient_isKnownAsAnother() {
    int other = client(program, control);
    assertThat(alloc(GROUP, other, ProgramClass.HOPPER_CHANNEL_GPFIFO_A, channelParameters()))
        .isEqualTo(OK);
    assertThat(alloc(DEVICE, DATA, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(4096)))
        .as("the call after that")
        .isEqualTo(OK);
    assertThat(relay.programs().getFirst().channels()).isEqualTo(2);
  }

  @Test
  void program_thatLeavesInACallWhileItsWorkLasts_isNoticed() throws Exception {
    driver.probes().work(true);
    long number = number();
    CompletableFuture<Boolean> suspended = aside(() -> relay.suspend(number, Long.MAX_VALUE >> 1));
    driver.probes().awaitQuestions(1);
    program.begin(control, ProgramEscape.FREE, block(16, client, DEVICE, DATA));
    program.close();
    assertThatThrownBy(suspended::get).hasMessageContaining("it leaves");
  }

  @Test
  void calls_underTheFormerNames_reachTheClientThatWasMadeAnew() {
    suspend();
    resume();
    assertThat(alloc(DEVICE, DATA, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(1 << 20)))
        .isEqualTo(OK);
    FakeDriver.Seen last = driver.seen(ProgramEscape.ALLOC).getLast();
    assertThat(last.word(0)).isNotEqualTo(client);
    suspend();
    resume();
    assertThat(status(control, ProgramEscape.FREE, block(16, client, DEVICE, DATA))).isEqualTo(OK);
  }

  @Test
  void call_ofASuspendedProgram_waitsUntilItIsResumed() throws Exception {
    suspend();
    CompletableFuture<Integer> call =
        aside(() -> alloc(DEVICE, DATA, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(1 << 20)));
    assertThat(call).isNotDone();
    resume();
    assertThat(call.get()).isEqualTo(OK);
  }

  /**
   * It gives the turn back while it asks the quotas: it must not go on before a card without it.
   */
  @Test
  void call_thatWaitsForTheQuotas_endsBeforeItsProgramIsSuspended() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    taking =
        () -> {
          asked.countDown();
          Uninterruptibles.awaitUninterruptibly(answered);
        };
    CompletableFuture<Integer> call =
        aside(() -> alloc(DEVICE, DATA, ProgramClass.NV01_MEMORY_LOCAL_USER, memory(1 << 20)));
    asked.await();
    long number = number();
    CompletableFuture<Boolean> suspended = aside(() -> relay.suspend(number, PATIENCE_NS));
    while (relay.programs().getFirst().state() == ProgramState.RUNNING) {
      Thread.onSpinWait();
    }
    assertThat(suspended).isNotDone();
    taking = () -> {};
    answered.countDown();
    assertThat(call.get()).isEqualTo(OK);
    assertThat(suspended.get()).isTrue();
    resume();
    assertThat(status(control, ProgramEscape.FREE, block(16, client, DEVICE, DATA))).isEqualTo(OK);
  }

  /** Nothing may keep a guest from being removed for as long as an operator would wait. */
  @Test
  void program_thatIsSentAwayWhileItsWorkLasts_leaves() throws Exception {
    driver.probes().work(true);
    long number = number();
    CompletableFuture<Boolean> suspended = aside(() -> relay.suspend(number, Long.MAX_VALUE >> 1));
    while (relay.programs().getFirst().state() == ProgramState.RUNNING) {
      Thread.onSpinWait();
    }
    assertThat(relay.end(number)).isTrue();
    assertThatThrownBy(suspended::get).hasMessageContaining("it leaves");
  }

  /** It may wait in its own memory, where no call of it would fail. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void program_thatIsEnded_readsInItsNotifierThatItsChannelIsGone(boolean suspended) {
    if (suspended) {
      suspend();
    }
    assertThat(relay.end(number())).isTrue();
    while (!relay.programs().isEmpty()) {
      Thread.onSpinWait();
    }
    assertThat(notifier.get(ValueLayout.JAVA_INT, 8)).isEqualTo(45);
    assertThat(notifier.get(ValueLayout.JAVA_SHORT, 14)).isEqualTo((short) 0xffff);
  }

  @Test
  void program_thatLeavesWhileItIsSuspended_leavesNothing() {
    data();
    suspend();
    program.close(); // the fixture looks at what is left
  }

  @Test
  void cardWithoutRoom_keepsItSuspended() {
    data();
    suspend();
    driver.haveNoVideoMemory(1);
    assertThatThrownBy(() -> relay.resume(number()))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("SLU-RLY-007");
    assertThat(relay.programs().getFirst().state()).isEqualTo(ProgramState.SUSPENDED);
    assertThat(relay.programs().getFirst().videoBytes()).isZero();
    resume();
    assertThat(driver.load(DATA_AT)).isEqualTo(77);
  }
}
