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
  private static final Departure.HaltedSession HOW =
      new Departure.HaltedSession(new Departure.Result(1, 2, 3), List.of());

  private final CompletableFuture<Departure.HaltedSession> halted = new CompletableFuture<>();
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

    assertThat(gate.resume()).isFalse();
    assertThat(gate.giveUp()).isFalse();
    assertThat(gate.isStanding()).isTrue();

    gate.decide();
    stood.get(2, TimeUnit.MINUTES);
    assertThat(gate.endStanding()).as("nobody else has it go on").isTrue();
    assertThat(gate.isStanding()).isFalse();
  }

  @Test
  void otherHost_thatIsToldThatItStays_hasItGoOn() throws Exception {
    gate.hold();
    CompletableFuture<Void> stood = stand();
    gate.decide();
    stood.get(2, TimeUnit.MINUTES);

    assertThat(gate.endStanding()).isFalse();
    assertThat(gate.resume()).isTrue();
  }

  @Test
  void session_whoseCallsAreNotHeld_doesNotStand() {
    assertThatThrownBy(() -> gate.stand(HOW)).isInstanceOf(StateException.class);
    assertThat(halted).isNotDone();
  }

  @Test
  void session_thatGoesOnAlready_doesNotStand() {
    gate.hold();
    assertThat(gate.resume()).isTrue();
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

  /** Its words may come in any order, and change nothing that they must not. */
  @Test
  void otherHost_thatHoldsAgain_changesNothing() throws Exception {
    gate.hold();
    gate.hold();
    CompletableFuture<Void> stood = stand();
    gate.hold();
    assertThat(gate.isStanding()).isTrue();
    assertThat(gate.resume()).isFalse();
    gate.hold();
    assertThat(gate.resume()).isFalse();
    gate.decide();
    stood.get(2, TimeUnit.MINUTES);
    assertThat(gate.endStanding()).isTrue();
    gate.hold();
    assertThat(gate.giveUp()).as("it stands no more").isTrue();
    assertThatThrownBy(() -> gate.stand(HOW)).isInstanceOf(StateException.class);
  }

  @Test
  void session_thatDoesNotStand_cannotEndStanding() {
    assertThatThrownBy(gate::endStanding).isInstanceOf(AssertionError.class);
    gate.hold();
    assertThatThrownBy(gate::endStanding).isInstanceOf(AssertionError.class);
    assertThat(gate.resume()).isTrue();
    assertThatThrownBy(gate::endStanding).isInstanceOf(AssertionError.class);
  }

  @Test
  void machine_thatIsAboutToStop_letsItGoOn() throws Exception {
    gate.halt();
    gate.awaitHalt();
    gate.decide();
    gate.awaitHalt();
  }
}
