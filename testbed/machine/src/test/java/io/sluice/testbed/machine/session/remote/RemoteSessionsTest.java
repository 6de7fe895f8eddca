package io.sluice.testbed.machine.session.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.management.SessionMove;
import io.sluice.management.SessionStatus;
import io.sluice.testbed.machine.support.Daemons;
import io.sluice.testbed.opencl.AllowedDifferences;
import io.sluice.testbed.opencl.Commands.Result;
import io.sluice.testbed.opencl.OpenClParts;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.management.OperationsException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions that live at another daemon than their applications, with TLS between the two. */
final class RemoteSessionsTest extends RemoteRig {
  private static final int MOVES = 4;

  /** Programs that use much of OpenCL between them, and are at work for a while. */
  private static final List<String> FEW =
      List.of("buffers", "images", "long_lived", "maps", "threads", "user_events");

  @Test
  void session_thatMovesToAnotherHostAndBack_hasEachFrameRightAndLeavesNothing() throws Exception {
    start();
    works(GUEST);
    Film film = new Film(GUEST);
    assertThat(sessions.move(GUEST, film.session, there(), true).obstacles()).isEmpty();
    assertThat(film.status().host()).isEqualTo(DEFAULT);
    nothingIsLeftThere();
    Daemons.Holdings before = Daemons.Holdings.of(far.pid());

    for (int i = 0; i < MOVES; i++) {
      String to = i % 2 == 0 ? there() : DEFAULT;
      SessionMove move = film.move(to);
      System.out.printf(
          "moved to %s: rounds %d, sent %d bytes, stopped %d us%n",
          to, move.rounds(), move.sentBytes(), move.stoppedNs() / 1000);
      assertThat(film.status().host()).isEqualTo(to);
      film.goesOn();
      if (i % 2 == 0) {
        assertThat(far.connection().sessions().list(""))
            .singleElement()
            .satisfies(visitor -> {
              assertThat(visitor.guest()).isEqualTo(HOME + ":" + GUEST);
              assertThat(visitor.memoryBytes()).isPositive();
            });
        await().atMost(PATIENCE).until(() -> film.status().memoryBytes() > 0);
      }
    }

    film.endsRight();
    nothingIsLeft();
    Daemons.awaitHoldings(far, before);
  }

  @Test
  void fewPrograms_whoseSessionsComeAndGo_printWhatTheyPrintNatively() throws Exception {
    comeAndGo(FEW);
  }

  @Test
  @Tag("long")
  void programs_whoseSessionsComeAndGo_printWhatTheyPrintNatively() throws Exception {
    comeAndGo(OpenClParts.programs());
  }

  private void comeAndGo(List<String> programs) throws Exception {
    start();
    AllowedDifferences differences = AllowedDifferences.read();
    Film keeper = new Film(GUEST); // so that the hosts of both sides stay
    keeper.move(there());
    int moves = 0;
    for (String name : programs) {
      CompletableFuture<Result> running = run(GUEST, name);
      while (!running.isDone()) {
        moves += moveAll(keeper.session);
      }
      Result here = running.get();
      Result natively = parts.natively(work, List.of(parts.program(name).toString()));
      assertThat(differences.printed(name, here.output()))
          .as(() -> name + "\n" + here.errors())
          .isNotEmpty()
          .containsExactlyElementsOf(differences.expected(name, natively.output()));
      assertThat(here.code()).as(name).isEqualTo(natively.code());
    }
    System.out.println("moves: " + moves);
    assertThat(moves).isGreaterThan(programs.size() / 2);
    keeper.endsRight();
    nothingIsLeft();
  }

  /** Moves all sessions but one to where they are not; how many did. */
  private int moveAll(long but) throws OperationsException {
    int moves = 0;
    for (SessionStatus session : sessions.list(GUEST)) {
      if (session.number() != but) {
        String to = session.host().equals(DEFAULT) ? there() : DEFAULT;
        try {
          SessionMove _ = sessions.move(GUEST, session.number(), to, false);
          moves++;
        } catch (OperationsException _) {
          // it has left meanwhile, or has what keeps it
        }
      }
    }
    return moves;
  }

  @ParameterizedTest
  @ValueSource(strings = "finish")
  void move_givenUp_sessionGoesOnWhereItIs(String stage) throws Exception {
    giveUpThereAndBack(stage);
  }

  @ParameterizedTest
  @ValueSource(strings = {"prepare", "copy", "stop"})
  @Tag("long")
  void move_givenUpInAnotherStage_sessionGoesOnWhereItIs(String stage) throws Exception {
    giveUpThereAndBack(stage);
  }

  private void giveUpThereAndBack(String stage) throws Exception {
    start();
    Film film = new Film(GUEST);
    givenUp(film, there(), stage);
    film.goesOn();
    if (film.status().host().equals(DEFAULT)) {
      film.move(there());
    }
    givenUp(film, DEFAULT, stage);
    film.goesOn();
    if (!film.status().host().equals(DEFAULT)) {
      film.move(DEFAULT);
      film.goesOn();
    }
    film.endsRight();
    nothingIsLeft();
  }

  private void givenUp(Film film, String to, String stage) {
    CompletableFuture<Boolean> move = moveUntil(film, to, stage);
    try {
      sessions.stay(film.guest, film.session);
    } catch (OperationsException over) {
      assertThat(over).hasMessageMatching("(?s).*SLU-SES-01[16].*");
    }
    boolean _ = move.join();
  }
}
