package io.sluice.channel.nvidia.relay;

import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.nvidia.relay.card.DriverPort;
import io.sluice.channel.nvidia.relay.link.Node;
import io.sluice.testbed.fakes.relay.DriverBlocks;
import io.sluice.testbed.fakes.relay.TraceBytes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The driver of a recording: it takes the calls that were recorded, in their order and as they
 * were, and answers as the GPU did.
 */
final class TraceDriver implements DriverPort {
  private static final long FILE_BYTES = 1 << 20;

  private final Kernel kernel;
  private final List<Node> nodes;
  private final Deque<RelayTrace.Step> expected = new ArrayDeque<>();
  private final Map<Integer, Integer> order = new HashMap<>();
  private final Map<Integer, Node.Kind> kinds = new HashMap<>();
  private final List<String> complaints = new ArrayList<>();
  private int opened;

  TraceDriver(Kernel kernel, List<Node> nodes) {
    this.kernel = kernel;
    this.nodes = nodes;
  }

  /** What is to come next. */
  synchronized void expect(List<RelayTrace.Step> steps) {
    expected.addAll(steps);
  }

  /** What was to come and has not. */
  synchronized List<RelayTrace.Step> missing() {
    return List.copyOf(expected);
  }

  /** What came and was not to come. */
  synchronized List<String> complaints() {
    return List.copyOf(complaints);
  }

  private SyscallException complain(String what) {
    complaints.add(what);
    return new SyscallException("ioctl", "not as recorded", Errno.EIO.number());
  }

  @Override
  public List<Node> nodes() {
    return nodes;
  }

  @Override
  public synchronized Fd open(Node node) {
    RelayTrace.@Nullable Step step = expected.poll();
    if (!(step instanceof RelayTrace.Open recorded) || !recorded.node().equals(node.name())) {
      throw complain("open " + node.name() + " in place of " + step);
    }
    Fd fd = kernel.memfdCreate("driver", FILE_BYTES);
    order.put(fd.number(), ++opened);
    kinds.put(fd.number(), node.kind());
    return fd;
  }

  @Override
  public synchronized int ioctl(
      Fd file, int request, MemorySegment argument, List<MemorySegment> blocks) {
    boolean uvm = kinds.get(file.number()) == Node.Kind.UVM;
    List<byte[]> now = DriverBlocks.of(uvm, request, blocks, this::ordered);
    RelayTrace.@Nullable Step step = expected.poll();
    if (!(step instanceof RelayTrace.Call recorded)
        || recorded.request() != request
        || recorded.file() != ordered(file.number())
        || !describe(now).equals(describe(recorded.before()))) {
      throw complain(
          String.format(
              "call %d %x %s%nin place of %s",
              ordered(file.number()), request, describe(now), describe(step)));
    }
    for (int i = 0; i < now.size(); i++) {
      answer(blocks.get(i), recorded.before().get(i), recorded.after().get(i));
    }
    if (recorded.result() < 0) {
      throw new SyscallException("ioctl", "as recorded", -recorded.result());
    }
    return recorded.result();
  }

  /** Writes what the driver wrote; an address of this process stays. */
  private static void answer(MemorySegment block, byte[] before, byte[] after) {
    for (int at = 0; at < before.length; at++) {
      if (before[at] != after[at]) {
        block.set(ValueLayout.JAVA_BYTE, at, after[at]);
      }
    }
  }

  private static String describe(RelayTrace.@Nullable Step step) {
    return step instanceof RelayTrace.Call call
        ? String.format("call %d %x %s", call.file(), call.request(), describe(call.before()))
        : String.valueOf(step);
  }

  private static String describe(List<byte[]> blocks) {
    return String.join(" ", blocks.stream().map(TraceBytes::write).toList());
  }

  private int ordered(int descriptor) {
    return order.getOrDefault(descriptor, descriptor);
  }
}
