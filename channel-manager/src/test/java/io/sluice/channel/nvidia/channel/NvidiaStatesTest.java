package io.sluice.channel.nvidia.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testbed.checks.FactWalk;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * The two tables of states, all pairs of them, against oracles that know no table: a channel and a
 * detachment as plain facts, the operations that change them, and the state that the facts amount
 * to. Every state that operations can reach is walked; each step gives a legal transition.
 */
final class NvidiaStatesTest {
  // ---- a channel ----

  /** The facts of a channel. */
  private record Channel(
      boolean ring, boolean cut, boolean wanted, boolean drained, boolean ended, boolean gone) {
    NvidiaChannelState.Kind kind() {
      if (gone) {
        return NvidiaChannelState.Kind.CLOSED;
      }
      if (ended) {
        return NvidiaChannelState.Kind.ENDED;
      }
      if (!ring) {
        return NvidiaChannelState.Kind.PREPARED;
      }
      if (!cut) {
        return NvidiaChannelState.Kind.RUNNING;
      }
      if (drained) {
        return NvidiaChannelState.Kind.DETACHED;
      }
      return wanted ? NvidiaChannelState.Kind.RETURNING : NvidiaChannelState.Kind.DETACHING;
    }

    boolean lives() {
      return !ended && !gone;
    }
  }

  /** What happens to channels, and to which. */
  private record Event<F>(Predicate<F> possible, UnaryOperator<F> change) {}

  private static final List<Event<Channel>> CHANNEL_EVENTS =
      List.of(
          // prepared for a restore, or for another ring
          new Event<>(f -> f.lives() && !f.ring, f -> f),
          // its state is saved, once more too
          new Event<>(f -> f.lives() && f.cut && f.drained, f -> f),
          // started, restored
          new Event<>(
              f -> f.lives() && !f.ring, _ -> new Channel(true, false, false, false, false, false)),
          // detached
          new Event<>(
              f -> f.lives() && f.ring && !f.cut,
              _ -> new Channel(true, true, false, false, false, false)),
          // detached again before it went on
          new Event<>(
              f -> f.lives() && f.cut && f.wanted,
              _ -> new Channel(true, true, false, false, false, false)),
          // all that was put has finished: one that is wanted goes on
          new Event<>(
              f -> f.lives() && f.cut && !f.drained,
              f -> new Channel(true, !f.wanted, false, !f.wanted, false, false)),
          // given back: one that has drained goes on
          new Event<>(
              f -> f.lives() && f.cut && !f.wanted,
              f -> new Channel(true, !f.drained, !f.drained, false, false, false)),
          // its error is reported
          new Event<>(f -> f.ended && !f.gone, f -> f),
          // RM ends it, or we do
          new Event<>(Channel::lives, f -> new Channel(f.ring, false, false, false, true, false)),
          new Event<>(f -> !f.gone, f -> new Channel(f.ring, false, false, false, f.ended, true)));

  @Test
  void channel_allPairs_areThoseThatOperationsReach() {
    FactWalk.of(
            new Channel(false, false, false, false, false, false),
            facts -> next(facts, CHANNEL_EVENTS),
            Channel::kind)
        .requireSteps(NvidiaChannelState.Kind.class, NvidiaChannelState.Kind::canBecome);
  }

  // ---- a detachment ----

  /** The facts of a detachment. */
  private record Drain(boolean end, int poisons, boolean guestHeld, boolean drained) {
    DetachmentState state() {
      if (drained) {
        return DetachmentState.DRAINED;
      }
      if (poisons > 0) {
        return guestHeld ? DetachmentState.POISONED : DetachmentState.RELEASED;
      }
      return end ? DetachmentState.AT_END : DetachmentState.FETCHING;
    }
  }

  private static final List<Event<Drain>> DRAIN_EVENTS =
      List.of(
          // all that was put is fetched
          new Event<>(
              f -> f.poisons == 0 && !f.end && !f.drained, _ -> new Drain(true, 0, false, false)),
          // the guest has put more, and one of its channels waits
          new Event<>(f -> f.poisons == 0 && !f.drained, _ -> new Drain(false, 0, false, false)),
          // poison: at its end, or given back before
          new Event<>(f -> f.poisons == 0 && !f.drained, f -> new Drain(f.end, 1, true, false)),
          // another poison behind the entry that took the place of the last
          new Event<>(
              f -> f.poisons > 0 && f.poisons < 3 && !f.drained,
              f -> new Drain(f.end, f.poisons + 1, true, false)),
          // what is before the poison waits
          new Event<>(
              f -> f.poisons > 0 && f.guestHeld && !f.drained,
              f -> new Drain(f.end, f.poisons, false, false)),
          // the poison was run
          new Event<>(
              f -> f.poisons > 0 && !f.drained, f -> new Drain(f.end, f.poisons, false, true)));

  @Test
  void detachment_allPairs_areThoseThatOperationsReach() {
    FactWalk.of(new Drain(false, 0, false, false), facts -> next(facts, DRAIN_EVENTS), Drain::state)
        .requireSteps(DetachmentState.class, DetachmentState::canBecome);
  }

  @Test
  void detachment_everyStage_takesMoreOrIsPoisonedOrDrained() {
    assertThat(Arrays.stream(DetachmentState.values()).filter(DetachmentState::takesMore))
        .containsExactly(DetachmentState.FETCHING, DetachmentState.AT_END);
    assertThat(Arrays.stream(DetachmentState.values()).filter(DetachmentState::isPoisoned))
        .containsExactly(DetachmentState.POISONED, DetachmentState.RELEASED);
  }

  private static <F> List<F> next(F facts, List<Event<F>> events) {
    return events.stream()
        .filter(event -> event.possible().test(facts))
        .map(event -> event.change().apply(facts))
        .toList();
  }
}
