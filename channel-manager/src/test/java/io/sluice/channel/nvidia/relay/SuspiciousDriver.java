package io.sluice.channel.nvidia.relay;

import io.sluice.abi.rm.program.BlockShape;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramControl;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.rm.program.UvmCommand;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.nvidia.relay.card.DriverPort;
import io.sluice.channel.nvidia.relay.link.Node;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A driver that looks at each call as the host's owner would: nothing of another program's, no
 * pointer that is not the relay's own, nothing that is not listed. Programs are told apart by the
 * threads that serve them.
 */
final class SuspiciousDriver implements DriverPort {
  private final FakeDriver driver;
  private final List<String> complaints = new ArrayList<>();
  private final Map<Integer, Thread> files = new HashMap<>();
  private final Map<Integer, Thread> clients = new HashMap<>();
  private final Map<Integer, Node.Kind> kinds = new HashMap<>();
  private long calls;

  SuspiciousDriver(FakeDriver driver) {
    this.driver = driver;
  }

  synchronized List<String> complaints() {
    return List.copyOf(complaints);
  }

  synchronized long calls() {
    return calls;
  }

  @Override
  public List<Node> nodes() {
    return driver.nodes();
  }

  @Override
  public synchronized Fd open(Node node) {
    Fd fd = driver.open(node);
    files.put(fd.number(), Thread.currentThread());
    kinds.put(fd.number(), node.kind());
    return fd;
  }

  @Override
  public synchronized int ioctl(
      Fd file, int request, MemorySegment argument, List<MemorySegment> blocks) {
    calls++;
    own(files.get(file.number()), "the file itself");
    boolean uvm = kinds.get(file.number()) == Node.Kind.UVM;
    if (uvm) {
      UvmCommand command = UvmCommand.of(request).orElseThrow();
      shaped(argument, command.shape());
      if (command == UvmCommand.INITIALIZE && (argument.get(ValueLayout.JAVA_INT, 0) & 2) == 0) {
        complaints.add("UVM for one process");
      }
    } else {
      rm(ProgramEscape.of(request).orElseThrow(), argument, blocks);
    }
    int result = driver.ioctl(file, request, argument, blocks);
    if (!uvm
        && (request & 0xff) == ProgramEscape.ALLOC.nr()
        && FakeDriver.isClient(word(argument, 12))) {
      clients.put(word(argument, 8), Thread.currentThread());
    }
    return result;
  }

  private void rm(ProgramEscape escape, MemorySegment argument, List<MemorySegment> blocks) {
    boolean root = escape == ProgramEscape.ALLOC && FakeDriver.isClient(word(argument, 12));
    if (!root) {
      shaped(argument, escape.shape());
    }
    switch (escape) {
      case ALLOC -> {
        ProgramClass type = ProgramClass.of(word(argument, 12)).orElseThrow();
        pointer(argument, 16, blocks, 1);
        if (blocks.size() > 1 && blocks.get(1).byteSize() > 0) {
          shaped(blocks.get(1), type.shape());
        }
        if (argument.get(ValueLayout.JAVA_LONG, 24) != 0 || word(argument, 36) != 0) {
          complaints.add("rights or flags of " + type);
        }
      }
      case CONTROL -> {
        ProgramControl control = ProgramControl.of(word(argument, 8)).orElseThrow();
        pointer(argument, 16, blocks, 1);
        if (word(argument, 12) != 0) {
          complaints.add("flags of " + control);
        }
        for (int i = 0; i < control.shape().lists().size(); i++) {
          pointer(blocks.get(1), control.shape().lists().get(i).pointer(), blocks, 2 + i);
        }
      }
      default -> {}
    }
  }

  private void shaped(MemorySegment block, BlockShape shape) {
    for (int offset : shape.clients()) {
      int client = word(block, offset);
      if (client != 0 || shape.name().startsWith("NV_ESC")) {
        own(clients.get(client), "a client of " + shape.name());
      }
    }
    for (int offset : shape.descriptors()) {
      int number = word(block, offset);
      if (number != -1) {
        own(files.get(number), "a descriptor of " + shape.name());
      }
    }
  }

  private void own(@Nullable Thread whose, String what) {
    if (whose != Thread.currentThread()) {
      complaints.add(what + " is another's");
    }
  }

  private void pointer(MemorySegment block, int at, List<MemorySegment> blocks, int index) {
    long address = block.get(ValueLayout.JAVA_LONG, at);
    long allowed =
        blocks.size() > index && blocks.get(index).byteSize() > 0 ? blocks.get(index).address() : 0;
    if (address != 0 && address != allowed) {
      complaints.add("a pointer of the program's at " + at);
    }
  }

  private static int word(MemorySegment block, int at) {
    return block.get(ValueLayout.JAVA_INT, at);
  }
}
