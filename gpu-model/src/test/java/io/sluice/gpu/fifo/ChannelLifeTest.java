package io.sluice.gpu.fifo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.guest.GuestAbi;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ChannelLifeTest {
  /** What may follow what, written down apart from the code. */
  private static final Map<String, String> ORACLE =
      Map.of("NEW START", "LIVE", "NEW END", "DEAD", "LIVE END", "DEAD");

  private static ChannelLife in(ChannelLife.LifePhase phase) {
    ChannelLife life = new ChannelLife();
    switch (phase) {
      case NEW -> {}
      case LIVE -> life.transition(ChannelLife.LifeStep.START);
      case DEAD -> life.transition(ChannelLife.LifeStep.END);
    }
    return life;
  }

  @Test
  void transition_everyPair_isAsTheOracleSays() {
    for (ChannelLife.LifePhase phase : ChannelLife.LifePhase.values()) {
      for (ChannelLife.LifeStep step : ChannelLife.LifeStep.values()) {
        ChannelLife life = in(phase);
        String next = ORACLE.get(phase + " " + step);
        assertThat(life.transition(step)).isEqualTo(next != null);
        assertThat(life.phase()).hasToString(next == null ? phase.toString() : next);
      }
    }
  }

  @Test
  void state_everyPhaseAndGate_isReportedAsTheGuestKnowsIt() {
    for (ChannelLife.LifePhase phase : ChannelLife.LifePhase.values()) {
      for (int gates = 0; gates < 4; gates++) {
        ChannelLife life = in(phase);
        life.suspended((gates & 1) != 0);
        life.detached((gates & 2) != 0);
        int expected =
            phase == ChannelLife.LifePhase.DEAD
                ? GuestAbi.CHANNEL_DEAD
                : (gates & 2) != 0
                    ? GuestAbi.CHANNEL_DETACHED
                    : (gates & 1) != 0
                        ? GuestAbi.CHANNEL_SUSPENDED
                        : phase == ChannelLife.LifePhase.NEW
                            ? GuestAbi.CHANNEL_NEW
                            : GuestAbi.CHANNEL_RUNNING;
        assertThat(life.state()).isEqualTo(expected);
        assertThat(life.isRunnable())
            .isEqualTo(phase == ChannelLife.LifePhase.LIVE && (gates & 1) == 0);
      }
    }
  }

  @Test
  void channelError_codes_areThoseOfTheGuestAbi() throws ReflectiveOperationException {
    for (EndReason error : EndReason.values()) {
      assertThat(GuestAbi.class.getField("ERROR_" + error).getInt(null)).isEqualTo(error.code());
    }
  }
}
