package io.sluice.testbed.conformance;

import io.sluice.abi.sys.Fd;
import io.sluice.channel.nvidia.relay.DriverPort;
import io.sluice.channel.nvidia.relay.Node;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A driver whose calls are written down, a line each: the node, the request word, and each block
 * before and after the call, without the zeros at its end. Runs of zeros are most of a block.
 */
final class RecordingPort implements DriverPort {
  private final DriverPort port;
  private final PrintStream to;
  private final Map<Integer, String> open = new ConcurrentHashMap<>();

  RecordingPort(DriverPort port, PrintStream to) {
    this.port = port;
    this.to = to;
  }

  /** One that writes to a file. */
  static RecordingPort to(Path file, DriverPort port) {
    try {
      return new RecordingPort(
          port, new PrintStream(Files.newOutputStream(file), true, StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public List<Node> nodes() {
    return port.nodes();
  }

  @Override
  public Fd open(Node node) {
    Fd fd = port.open(node);
    open.put(fd.number(), node.name());
    to.printf("open %s fd=%d%n", node.name(), fd.number());
    return fd;
  }

  @Override
  public int ioctl(Fd file, int request, MemorySegment argument, List<MemorySegment> blocks) {
    List<String> before = blocks.stream().map(RecordingPort::hex).toList();
    long start = System.nanoTime();
    String result = "-1";
    try {
      int value = port.ioctl(file, request, argument, blocks);
      result = Integer.toString(value);
      return value;
    } finally {
      StringBuilder line = new StringBuilder();
      line.append(
          String.format(
              "ioctl %s fd=%d 0x%x = %s us=%d",
              open.get(file.number()),
              file.number(),
              request,
              result,
              (System.nanoTime() - start) / 1000));
      for (int i = 0; i < blocks.size(); i++) {
        String after = hex(blocks.get(i));
        line.append(" ").append(blocks.get(i).byteSize()).append(":").append(before.get(i));
        if (!after.equals(before.get(i))) {
          line.append(">").append(after);
        }
      }
      to.println(line);
    }
  }

  private static String hex(MemorySegment block) {
    byte[] bytes = block.toArray(ValueLayout.JAVA_BYTE);
    int end = bytes.length;
    while (end > 0 && bytes[end - 1] == 0) {
      end--;
    }
    return HexFormat.of().formatHex(bytes, 0, end);
  }
}
