package io.sluice.channel.nvidia.relay.ring;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.rm.HopperMethods;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The follower of a ring that its program writes as it likes. */
final class RingFollowerTest {
  private static final int ENTRIES = 16;
  private static final long PUSHBUFFER = 0x1000;
  private static final int SET_OBJECT = HopperMethods.header(1, 0, 1);
  private static final int LAUNCH = HopperMethods.header(1, 0x2bc, 1);

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment slots = arena.allocate(ENTRIES * 8, 8);
  private final MemorySegment userd = arena.allocate(512, 8);
  private final MemorySegment words = arena.allocate(0x1000, 8);
  private final ProgramRing ring = new ProgramRing(slots, userd, arena.allocate(48, 8));
  private final RingFollower follower = new RingFollower();
  private final RingFollower.WordBudget budget = new RingFollower.WordBudget();

  @AfterEach
  void close() {
    arena.close();
  }

  private void submit(int... piece) {
    for (int i = 0; i < piece.length; i++) {
      words.set(ValueLayout.JAVA_INT, i * 4L, piece[i]);
    }
    put(HopperMethods.entry(PUSHBUFFER, piece.length));
  }

  private void put(long entry) {
    slots.set(ValueLayout.JAVA_LONG, ring.put() * 8L, entry);
    ring.put(ring.put() + 1 & ENTRIES - 1);
  }

  private void look(int most) {
    budget.begin(most);
    int[] _ =
        follower.look(
            ring,
            (address, bytes) ->
                address >= PUSHBUFFER && address + bytes <= PUSHBUFFER + words.byteSize()
                    ? Optional.of(words.asSlice(address - PUSHBUFFER, bytes))
                    : Optional.empty(),
            new int[1],
            budget);
  }

  @Test
  void putBeyondTheRing_isMissed() {
    ring.put(ENTRIES);
    look(100);
    assertThat(follower.missed()).contains("GP_PUT is beyond its ring");
  }

  @Test
  void moreThanIsLookedAtAtOnce_isMissedAndNeverReadAgain() {
    put(HopperMethods.entry(PUSHBUFFER, 1 << 20));
    look(1 << 18);
    assertThat(follower.missed()).contains("it submitted more at once than is looked at");
    submit(SET_OBJECT, 0xcbc0);
    look(1 << 18);
    assertThat(follower.stateWords()).isEmpty();
  }

  @Test
  void ringThatWentRound_isMissed() {
    submit(SET_OBJECT, 0xcbc0);
    look(100);
    for (int i = 0; i < ENTRIES; i++) {
      put(HopperMethods.entry(PUSHBUFFER + 64, 1));
    }
    look(100);
    assertThat(follower.missed()).hasValueSatisfying(why -> assertThat(why).contains("went round"));
  }

  @Test
  void state_isKeptInOrderAndLaunchesAreNot() {
    submit(SET_OBJECT, 0xcbc0, LAUNCH, 3);
    look(100);
    put(HopperMethods.entry(1 << 30, 5)); // in video memory
    look(100);
    assertThat(follower.missed()).isEmpty();
    assertThat(follower.stateWords())
        .containsExactly(SET_OBJECT, 0xcbc0, HopperMethods.header(1, 0x110, 1), 0);
  }

  /** A copy engine knows no method of the compute class. */
  @Test
  void copyChannel_isToldItsClassAlone() {
    submit(HopperMethods.header(4, 0, 1), 0xc8b5, HopperMethods.header(4, 0x400, 1), 7);
    look(100);
    assertThat(follower.stateWords()).containsExactly(HopperMethods.header(4, 0, 1), 0xc8b5);
  }
}
