package io.sluice.daemon.sessions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.daemon.sessions.HostRig.FakeProcess;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The door of session hosts, when accepting fails and hosts take their time to start. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class HostDoorTest {
  private static final long OTHER_PID = 1;

  @TempDir private Path dir;

  @SuppressWarnings("NullAway.Init")
  private HostRig rig;

  @BeforeEach
  void open() throws Exception {
    rig = new HostRig(dir);
  }

  @AfterEach
  void close() throws Exception {
    rig.close();
  }

  private boolean isEnded(Fd client) {
    try (Arena arena = Arena.ofConfined()) {
      return rig.kernel.recvmsg(client, arena.allocate(1), new FdList()) <= 0;
    }
  }

  private HostDoor.Started start(HostStarter starter) throws IOException {
    return rig.door.start(starter, UnaryOperator.identity());
  }

  private void assertComesIn() throws Exception {
    HostDoor.Started started = start(rig::process);
    try (Fd _ = rig.connect();
        Fd connection = started.connection().get()) {
      assertThat(connection.isOpen()).isTrue();
    }
  }

  @Test
  void accept_anErrorOnce_theNextHostComesIn() throws Exception {
    rig.fail("accept", "", new OutOfMemoryError("injected"));
    assertComesIn();
  }

  @Test
  void accept_noDescriptorsOnce_theNextHostComesIn() throws Exception {
    rig.fail("accept", "", new SyscallException("accept4", "", Errno.EMFILE.number()));
    assertComesIn();
  }

  @Test
  void accept_credentialsFailOnce_closesTheConnection() throws Exception {
    rig.fail("peerCredentials", "", new OutOfMemoryError("injected"));
    try (Fd client = rig.connect()) {
      assertThat(isEnded(client)).isTrue();
    }
    assertComesIn();
  }

  @Test
  void start_whileAnotherIsBeingStarted_doesNotWaitForIt() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    CompletableFuture<HostDoor.Started> slow =
        CompletableFuture.supplyAsync(() -> {
          try {
            return start(() -> {
              begun.countDown();
              try {
                release.await();
              } catch (InterruptedException e) {
                throw new IOException(e);
              }
              return new FakeProcess(OTHER_PID);
            });
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
    begun.await();

    assertComesIn();

    release.countDown();
    assertThat(slow.get().process().pid()).isEqualTo(OTHER_PID);
  }

  @Test
  void start_hostThatConnectsBeforeItsNumberIsKnown_comesIn() throws Exception {
    HostDoor.Started started = start(rig::start);
    try (Fd connection = started.connection().get()) {
      assertThat(connection.isOpen()).isTrue();
    }
  }

  @Test
  void start_strangerMeanwhile_isTurnedAway() throws Exception {
    Fd[] stranger = new Fd[1];
    HostDoor.Started _ =
        start(() -> {
          stranger[0] = rig.connect();
          return new FakeProcess(OTHER_PID);
        });
    try (Fd client = stranger[0]) {
      assertThat(isEnded(client)).isTrue();
    }
  }

  @Test
  void start_thatFails_leavesTheDoorAsItWas() throws Exception {
    assertThatThrownBy(() ->
            start(() -> {
              throw new IOException("no such program");
            }))
        .isInstanceOf(IOException.class);
    try (Fd client = rig.connect()) {
      assertThat(isEnded(client)).isTrue();
    }
    assertComesIn();
  }
}
