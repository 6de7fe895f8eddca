package io.sluice.channel.nvidia.relay;

import io.sluice.abi.relay.RelayReply;
import io.sluice.channel.nvidia.relay.card.RelayCard;
import io.sluice.channel.nvidia.relay.link.Node;
import io.sluice.testbed.fakes.relay.TraceBytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * The recording of a CUDA program on a real GPU: what it asked of the relay, what the relay asked
 * of NVIDIA's driver, and the answers to both.
 *
 * @param name of the program
 * @param card that it used
 * @param nodes that it was shown
 * @param exchanges in their order
 * @param end the driver's part in what the relay did when the program had left
 */
record RelayTrace(
    String name, RelayCard card, List<Node> nodes, List<Exchange> exchanges, List<Step> end) {
  private static final Path RECORDINGS = Path.of("src/test/traces");
  private static final String SUFFIX = ".trace";

  /** A request and its reply, and the driver's part between them. */
  record Exchange(byte[] request, List<Step> steps, byte[] reply, int descriptors) {
    /** The errno of the reply, or 0. */
    int error() {
      return MemorySegment.ofArray(reply)
          .get(ValueLayout.JAVA_INT_UNALIGNED, RelayReply.ERROR.offset());
    }
  }

  /** What the relay had of the driver. */
  sealed interface Step permits Open, Call {}

  /** A node was opened. */
  record Open(String node) implements Step {}

  /**
   * A call was made.
   *
   * @param file on the how manieth opened
   * @param result what it returned, or the errno, negative
   */
  record Call(int file, int request, int result, List<byte[]> before, List<byte[]> after)
      implements Step {}

  /** All recordings. */
  static List<RelayTrace> all() {
    try (Stream<Path> files = Files.list(RECORDINGS)) {
      List<RelayTrace> traces = new ArrayList<>();
      for (Path file : files.filter(each -> each.toString().endsWith(SUFFIX)).sorted().toList()) {
        traces.add(read(file));
      }
      return traces;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static RelayTrace read(Path file) throws IOException {
    Builder builder = new Builder();
    for (String line : Files.readAllLines(file, StandardCharsets.US_ASCII)) {
      builder.add(line.split(" "));
    }
    String name = String.valueOf(file.getFileName());
    return builder.build(name.substring(0, name.length() - SUFFIX.length()));
  }

  private static final class Builder {
    private final List<Node> nodes = new ArrayList<>();
    private final List<Exchange> exchanges = new ArrayList<>();
    private RelayCard card = new RelayCard("card", 0, 0, 0, new UUID(0, 0));
    private List<Step> steps = new ArrayList<>();
    private byte[] request = new byte[0];

    void add(String[] words) {
      switch (words[0]) {
        case "card" ->
            card =
                new RelayCard(
                    "card", number(words[1]), number(words[2]), number(words[3]), new UUID(0, 0));
        case "node" ->
            nodes.add(
                new Node(
                    words[1],
                    Node.Kind.valueOf(words[2]),
                    number(words[3]),
                    number(words[4]),
                    number(words[5])));
        case ">" -> request = TraceBytes.read(words[1]);
        case "open" -> steps.add(new Open(words[1]));
        case "call" -> steps.add(call(words));
        case "<" -> {
          byte[] reply = TraceBytes.read(words[2]);
          exchanges.add(new Exchange(request, steps, reply, number(words[1])));
          steps = new ArrayList<>();
        }
        default -> throw new IllegalArgumentException("no line of a recording: " + words[0]);
      }
    }

    private static Call call(String[] words) {
      List<byte[]> before = new ArrayList<>();
      List<byte[]> after = new ArrayList<>();
      for (int i = 4; i < words.length; i++) {
        String[] both = words[i].split(">");
        before.add(TraceBytes.read(both[0]));
        after.add(TraceBytes.read(both[both.length - 1]));
      }
      int request = Integer.parseUnsignedInt(words[2], 16);
      return new Call(number(words[1]), request, number(words[3]), before, after);
    }

    private static int number(String word) {
      return Integer.parseInt(word);
    }

    RelayTrace build(String name) {
      return new RelayTrace(name, card, List.copyOf(nodes), List.copyOf(exchanges), steps);
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
