package io.sluice.testbed.conformance.cuda;

import io.sluice.abi.relay.RelayRequest;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.nvidia.relay.card.DriverPort;
import io.sluice.channel.nvidia.relay.card.RelayCard;
import io.sluice.channel.nvidia.relay.link.Node;
import io.sluice.testbed.checks.StandIn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A recorder of what programs ask of a relay, what that asks of the driver, and what both are
 * answered: a file for each program. It stands at both ends of a relay, at the kernel by which that
 * has its sockets and at the driver, and tells programs apart by the threads that serve them.
 */
final class RelayRecorder {
  private final Path directory;
  private final RelayCard card;
  private final AtomicInteger programs = new AtomicInteger();
  private final ThreadLocal<ProgramRecording> current = new ThreadLocal<>();

  RelayRecorder(Path directory, RelayCard card) {
    this.directory = directory;
    this.card = card;
  }

  /** Records what is done by the calling thread, for one program. */
  void record(List<Node> nodes, Runnable serve) {
    Path file = directory.resolve("program-" + programs.incrementAndGet() + ".trace");
    try (ProgramRecording recording = new ProgramRecording(file)) {
      recording.begin(card, nodes);
      current.set(recording);
      serve.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      current.remove();
    }
  }

  /** A kernel whose messages are recorded. */
  Kernel kernel(Kernel kernel) {
    return StandIn.of(Kernel.class, kernel, this::record);
  }

  private @Nullable Object record(StandIn.Call call) throws Throwable {
    ProgramRecording recording = current.get();
    if (recording != null && call.is("sendmsg")) {
      MemorySegment message = call.argument(1, MemorySegment.class);
      recording.reply(bytes(message), call.argument(2, List.class).size());
    }
    Object result = call.pass();
    if (recording != null && call.is("recvmsg") && result instanceof Long got && got > 0) {
      recording.receive(bytes(call.argument(1, MemorySegment.class).asSlice(0, got)));
    }
    return result;
  }

  static byte[] bytes(MemorySegment segment) {
    return segment.toArray(ValueLayout.JAVA_BYTE);
  }

  /** A driver whose calls are recorded. */
  DriverPort driver(DriverPort port) {
    return new DriverPort() {
      @Override
      public List<Node> nodes() {
        return port.nodes();
      }

      @Override
      public Fd open(Node node) {
        Fd fd = port.open(node);
        ProgramRecording recording = current.get();
        if (recording != null) {
          recording.open(node, fd);
        }
        return fd;
      }

      @Override
      public int ioctl(Fd file, int request, MemorySegment argument, List<MemorySegment> blocks) {
        ProgramRecording recording = current.get();
        return recording == null
            ? port.ioctl(file, request, argument, blocks)
            : recording.call(
                file, request, blocks, () -> port.ioctl(file, request, argument, blocks));
      }
    };
  }

  /** Bytes that a request says it has. */
  static int length(byte[] begun) {
    return begun.length < RelayRequest.SIZE
        ? Integer.MAX_VALUE
        : (int) RelayRequest.BYTES.get(aligned(begun));
  }

  private static MemorySegment aligned(byte[] bytes) {
    return MemorySegment.ofArray(new long[(int) RelayRequest.SIZE / Long.BYTES])
        .copyFrom(MemorySegment.ofArray(bytes).asSlice(0, RelayRequest.SIZE));
  }
}
