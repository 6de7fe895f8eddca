package io.sluice.testbed.conformance.cuda;

import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.nvidia.relay.card.RelayCard;
import io.sluice.channel.nvidia.relay.link.Node;
import io.sluice.testbed.fakes.relay.DriverBlocks;
import io.sluice.testbed.fakes.relay.TraceBytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;

/** The recording of one program: a line for each request, call of the driver, and reply. */
final class ProgramRecording implements AutoCloseable {
  private final PrintStream to;
  private final Map<Integer, Integer> files = new HashMap<>(); // ours, in the order of opening
  private final Map<Integer, Node.Kind> kinds = new HashMap<>();
  private final ByteArrayOutputStream request = new ByteArrayOutputStream();
  private int opened;

  ProgramRecording(Path file) throws IOException {
    to = new PrintStream(Files.newOutputStream(file), false, StandardCharsets.US_ASCII);
  }

  void begin(RelayCard card, List<Node> nodes) {
    to.printf("card %d %d %d%n", card.gpuId(), card.minor(), card.deviceInstance());
    for (Node node : nodes) {
      to.printf(
          "node %s %s %d %d %d%n",
          node.name(), node.kind(), node.major(), node.minor(), node.mode());
    }
  }

  void receive(byte[] part) {
    request.writeBytes(part);
    byte[] had = request.toByteArray();
    if (had.length >= RelayRecorder.length(had)) {
      to.println("> " + TraceBytes.write(had));
      request.reset();
    }
  }

  void reply(byte[] message, int descriptors) {
    to.println("< " + descriptors + " " + TraceBytes.write(message));
  }

  void open(Node node, Fd fd) {
    files.put(fd.number(), ++opened);
    kinds.put(fd.number(), node.kind());
    to.println("open " + node.name());
  }

  int call(Fd file, int number, List<MemorySegment> blocks, IntSupplier call) {
    boolean uvm = kinds.get(file.number()) == Node.Kind.UVM;
    List<byte[]> before = copies(uvm, number, blocks);
    int result = 0;
    try {
      result = call.getAsInt();
      return result;
    } catch (SyscallException e) {
      result = -e.errno();
      throw e;
    } finally {
      List<byte[]> after = copies(uvm, number, blocks);
      StringBuilder line = new StringBuilder("call ");
      line.append(ordered(file.number())).append(String.format(" %x %d", number, result));
      for (int i = 0; i < before.size(); i++) {
        line.append(' ').append(TraceBytes.write(before.get(i)));
        if (!Arrays.equals(before.get(i), after.get(i))) {
          line.append('>').append(TraceBytes.write(after.get(i)));
        }
      }
      to.println(line);
    }
  }

  private List<byte[]> copies(boolean uvm, int number, List<MemorySegment> blocks) {
    return DriverBlocks.of(uvm, number, blocks, this::ordered);
  }

  private int ordered(int descriptor) {
    return files.getOrDefault(descriptor, descriptor);
  }

  @Override
  public void close() {
    to.close();
  }
}
