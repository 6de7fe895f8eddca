package io.sluice.testbed.fakes;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.extension.ExtendWith;

/** Random conversations over a pair of sockets: the fake kernel answers as the real one does. */
@ExtendWith(Seeds.class)
final class SocketDifferentialTest {
  private static final int STEPS = 400;
  private static final int MAX_BYTES = 600;
  private static final int MAX_UNDER_WAY = 100;

  /** One kernel with one pair, to which the same happens as to the other. */
  private static final class Side implements AutoCloseable {
    final Kernel kernel;
    final List<Fd> pair;
    final Fd file;
    final Arena arena = Arena.ofConfined();
    final MemorySegment buffer = arena.allocate(MAX_BYTES);

    Side(Kernel kernel) {
      this.kernel = kernel;
      pair = kernel.socketpair();
      file = kernel.memfdCreate("sent", 4096);
      pair.forEach(kernel::setNonBlocking);
    }

    /** What came of it, in a form that can be compared. */
    String send(int from, byte[] data, int fds) {
      List<Fd> sent = new ArrayList<>();
      for (int i = 0; i < fds; i++) {
        sent.add(file);
      }
      MemorySegment bytes = buffer.asSlice(0, data.length);
      bytes.copyFrom(MemorySegment.ofArray(data));
      return outcome(() -> {
        kernel.sendmsg(pair.get(from), bytes, sent);
        return "sent";
      });
    }

    String receive(int at, int bytes) {
      FdList fds = new FdList();
      MemorySegment into = buffer.asSlice(0, bytes);
      String result =
          outcome(() -> {
            long got = kernel.recvmsg(pair.get(at), into, fds);
            byte[] data = into.asSlice(0, Math.max(0, got)).toArray(ValueLayout.JAVA_BYTE);
            return got + " bytes " + Arrays.hashCode(data) + " fds " + fds.size();
          });
      fds.closeAll();
      return result;
    }

    String poll(int at) {
      short[] revents = new short[1];
      return outcome(() -> {
        kernel.poll(List.of(pair.get(at)), new short[] {Kernel.POLLIN}, revents, 0);
        return Integer.toString(revents[0]);
      });
    }

    String shutdown(int at) {
      return outcome(() -> {
        kernel.shutdown(pair.get(at));
        return "shut";
      });
    }

    private static String outcome(Supplier<String> call) {
      try {
        return call.get();
      } catch (SyscallException failure) {
        return Errno.nameOf(failure.errno());
      }
    }

    @Override
    public void close() {
      pair.forEach(Fd::close);
      file.close();
      arena.close();
    }
  }

  @RepeatedTest(5)
  void conversation_random_isTheSameOnBoth(RandomGenerator random) {
    FakeKernel fakeKernel = new FakeKernel();
    try (Side real = new Side(RealKernel.create());
        Side fake = new Side(fakeKernel)) {
      int sent = 0;
      for (int step = 0; step < STEPS; step++) {
        int end = random.nextInt(2);
        int kind = random.nextInt(100);
        String what = "step " + step + ", end " + end + ", kind " + kind;
        if (kind < 45 && sent < MAX_UNDER_WAY) {
          byte[] data = new byte[random.nextInt(1, MAX_BYTES)];
          random.nextBytes(data);
          int fds = random.nextInt(4) == 0 ? random.nextInt(1, 5) : 0;
          sent++;
          assertThat(fake.send(end, data, fds)).as(what).isEqualTo(real.send(end, data, fds));
        } else if (kind < 90) {
          int bytes = random.nextInt(1, MAX_BYTES);
          assertThat(fake.receive(end, bytes)).as(what).isEqualTo(real.receive(end, bytes));
        } else if (kind < 98) {
          assertThat(fake.poll(end)).as(what).isEqualTo(real.poll(end));
        } else if (step > STEPS / 2) {
          assertThat(fake.shutdown(end)).as(what).isEqualTo(real.shutdown(end));
        }
      }
    }
    assertThat(fakeKernel.openFds()).isEmpty();
  }
}
