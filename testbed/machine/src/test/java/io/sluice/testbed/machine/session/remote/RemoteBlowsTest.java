package io.sluice.testbed.machine.session.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.management.SessionStatus;
import io.sluice.testbed.machine.support.Processes;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.management.OperationsException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Blows to sessions at another host: links that are cut, daemons and session hosts that end. */
final class RemoteBlowsTest extends RemoteRig {
  /** What befalls a session at another host. */
  enum Blow {
    CUT,
    DAEMON_KILLED,
    DAEMON_STOPPED,
    HOST_KILLED,
    HOST_STOPPED
  }

  @ParameterizedTest
  @EnumSource(names = {"CUT", "HOST_KILLED"})
  void blow_endsTheSessionsThatAreThereAlone(Blow blow) throws Exception {
    blowThere(blow);
  }

  @ParameterizedTest
  @EnumSource(names = {"DAEMON_KILLED", "DAEMON_STOPPED", "HOST_STOPPED"})
  @Tag("long")
  void anotherBlow_endsTheSessionsThatAreThereAlone(Blow blow) throws Exception {
    blowThere(blow);
  }

  private void blowThere(Blow blow) throws Exception {
    start();
    Film here = new Film(OTHER);
    Film there = new Film(GUEST);
    there.move(there());
    there.goesOn();
    ProcessHandle host = children(far).getFirst();

    strike(blow, host);

    there.endsWithout();
    works(GUEST);
    here.endsRight();
    mend(blow, host);
    nothingIsLeftAfter(blow, host);
  }

  @ParameterizedTest
  @CsvSource("CUT, finish")
  void blow_whileTheSessionGoesThere_itStaysUnlessItWasThere(Blow blow, String stage)
      throws Exception {
    blowInAStage(blow, stage);
  }

  @ParameterizedTest
  @CsvSource({
    "CUT, copy",
    "DAEMON_KILLED, copy",
    "DAEMON_KILLED, finish",
    "HOST_KILLED, copy",
    "HOST_KILLED, finish",
    "DAEMON_STOPPED, copy",
    "DAEMON_STOPPED, finish",
    "HOST_STOPPED, copy",
    "HOST_STOPPED, finish"
  })
  @Tag("long")
  void anotherBlow_whileTheSessionGoesThere_itStaysUnlessItWasThere(Blow blow, String stage)
      throws Exception {
    blowInAStage(blow, stage);
  }

  private void blowInAStage(Blow blow, String stage) throws Exception {
    start();
    Film film = new Film(GUEST);
    CompletableFuture<Boolean> move = moveUntil(film, there(), stage);
    ProcessHandle host = children(far).getFirst();
    boolean wasThere;

    strike(blow, host);
    try {
      if (move.join()) {
        film.endsWithout();
        wasThere = true;
      } else {
        wasThere = stages.contains("hand_over");
      }
      if (!wasThere) {
        film.goesOn();
      }
    } finally {
      mend(blow, host);
    }

    if (wasThere) {
      film.endsSomehow();
    } else {
      if (blow != Blow.DAEMON_KILLED) {
        await() // the other host may have something of it yet
            .atMost(PATIENCE)
            .ignoreExceptionsInstanceOf(OperationsException.class)
            .until(() -> film.move(there()) != null);
        film.goesOn();
      }
      film.endsRight();
    }
    works(GUEST);
    nothingIsLeftAfter(blow, host);
  }

  private void strike(Blow blow, ProcessHandle host) throws Exception {
    switch (blow) {
      case CUT -> way.cut();
      case DAEMON_KILLED -> {
        boolean _ = started.remove(far);
        far.kill();
      }
      case DAEMON_STOPPED -> Processes.stop(far.pid());
      case HOST_KILLED -> host.destroyForcibly();
      case HOST_STOPPED -> Processes.stop(host.pid());
    }
  }

  /**
   * A daemon that was stopped goes on; a host that was is ended when it was asked for long enough.
   */
  private void mend(Blow blow, ProcessHandle host) throws Exception {
    if (blow == Blow.DAEMON_STOPPED) {
      Processes.signal(far.pid(), "CONT");
    } else if (blow == Blow.HOST_STOPPED) {
      await()
          .atMost(PATIENCE)
          .until(() -> {
            List<SessionStatus> _ = far.connection().sessions().list("");
            return !host.isAlive();
          });
    }
  }

  private void nothingIsLeftAfter(Blow blow, ProcessHandle host) {
    if (blow == Blow.DAEMON_KILLED) {
      await().atMost(PATIENCE).until(() -> !host.isAlive());
      await().atMost(PATIENCE).until(() -> children(home).size() == 2);
    } else {
      nothingIsLeft();
    }
  }

  @Test
  void homeDaemon_killed_leavesNothingThere() throws Exception {
    start();
    Film film = new Film(GUEST);
    film.move(there());

    boolean _ = started.remove(home);
    home.kill();

    assertThat(film.running.get().code()).isNotZero();
    nothingIsLeftThere();
  }
}
