package io.sluice.remoting.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.remoting.session.Departure;
import io.sluice.remoting.state.StateException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What each side may do while a session waits for its machine. */
final class MachineGateTest {
  private static final Departure.Halted HOW =
      new Departure.Halted(new Departure.Result(1, 2, 3), List.of());

  private final CompletableFuture<Departure.Halted> halted = new CompletableFuture<>();
  private final MachineGate gate = new MachineGate(halted::complete);

  private CompletableFuture<Void> stand() throws Exception {
    CompletableFuture<Void> stood =
        CompletableFuture.runAsync(() -> {
          try {
            gate.stand(HOW);
          } catch (StateException refused) {
            throw new IllegalStateException(refused);
          }
        });
    assertThat(halted.get(2, TimeUnit.MINUTES)).isEqualTo(HOW);
    return stood;
  }

  @Test
  void otherHost_givesUpWhileItStands_changesNothingBeforeItIsDecided() throws Exception {
    gate.hold();
    CompletableFuture<Void> stood = stand();

    assertThat(gate.mayResume()).isFalse();
    assertThat(gate.giveUp()).isFalse();
    assertThat(gate.isStanding()).isTrue();

    gate.decide();
    stood.get(2, TimeUnit.MINUTES);
    assertThat(gate.hasToResume()).as("nobody else has it go on").isTrue();
    assertThat(gate.isStanding()).isFalse();
  }

  @Test
  void otherHost_thatIsToldThatItStays_hasItGoOn() throws Exception {
    gate.hold();
    CompletableFuture<Void> stood = stand();
    gate.decide();
    stood.get(2, TimeUnit.MINUTES);

    assertThat(gate.hasToResume()).isFalse();
    assertThat(gate.mayResume()).isTrue();
  }

  @Test
  void session_whoseCallsAreNotHeld_doesNotStand() {
    assertThatThrownBy(() -> gate.stand(HOW)).isInstanceOf(StateException.class);
    assertThat(halted).isNotDone();
  }

  @Test
  void session_thatGoesOnAlready_doesNotStand() {
    gate.hold();
    assertThat(gate.mayResume()).isTrue();
    assertThatThrownBy(() -> gate.stand(HOW)).isInstanceOf(StateException.class);
    assertThat(halted).isNotDone();
  }

  @Test
  void otherHost_thatGivesUpBeforeTheMachineStops_isWaitedForNoMore() {
    assertThat(gate.giveUp()).isTrue();
    assertThatThrownBy(gate::awaitHalt).isInstanceOf(StateException.class);
    gate.hold();
    assertThatThrownBy(() -> gate.stand(HOW)).isInstanceOf(StateException.class);
  }

  @Test
  void machine_thatIsAboutToStop_letsItGoOn() throws Exception {
    gate.halt();
    gate.awaitHalt();
    gate.decide();
    gate.awaitHalt();
  }
}
