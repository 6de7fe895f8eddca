package io.sluice.daemon.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.management.ErrorCode;
import io.sluice.management.local.SocketFile;
import io.sluice.testbed.fakes.LingeringFd;
import io.sluice.testbed.fakes.TestCustody;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Applications that wait at the socket, with a descriptor whose closing lasts. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SessionSocketTest {
  @TempDir private Path directory;

  private final Kernel kernel = RealKernel.create();

  private SessionSocket open() throws Exception {
    return SessionSocket.open(
        kernel,
        new SocketFile(directory.resolve("s"), "the session socket", ErrorCode.SESSION_SOCKET),
        Optional.empty());
  }

  private void connectAndSend(LingeringFd lingering) {
    try (Fd application = kernel.connect(directory.resolve("s"));
        Arena arena = Arena.ofConfined()) {
      kernel.sendmsg(application, arena.allocate(1), List.of(lingering.fd()));
    }
    lingering.giveUp();
  }

  @Test
  void renew_leavesTheFormerOneToTheCustody() throws Exception {
    try (TestCustody custody = new TestCustody();
        LingeringFd lingering = new LingeringFd(kernel)) {
      SessionSocket socket = open();
      connectAndSend(lingering);

      socket.renew(custody);

      assertThat(custody.waiting()).isEqualTo(1);
      try (Fd application = kernel.connect(directory.resolve("s"))) {
        assertThat(application.isOpen()).isTrue();
      }
      socket.delete();
      socket.close(custody);
      assertThat(custody.waiting()).isEqualTo(2);
    }
  }
}
