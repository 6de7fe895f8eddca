package io.sluice.testbed.machine.guest;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.Errno;
import io.sluice.abi.SyscallException;
import io.sluice.abi.rm.ioctl.Nvos00Free;
import io.sluice.abi.rm.ioctl.Nvos02AllocMemory;
import io.sluice.abi.rm.ioctl.Nvos64Alloc;
import io.sluice.abi.rm.program.BlockShape;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramEscape;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.nvidia.relay.card.DriverPort;
import io.sluice.channel.nvidia.relay.card.ProgramCopier;
import io.sluice.channel.nvidia.relay.link.Node;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A driver in memory that does whatever it is asked. It adds 1 to the first byte of all memory that
 * it is given, as a GPU could, and tells of an event as soon as somebody waits for it.
 */
final class WillingDriver implements DriverPort, ProgramCopier {
  private static final String UVM = "nvidia-uvm";
  private static final int OK = 0;
  private static final int FIRST_CLIENT = 0xc1d0_0001;

  private record Name(int client, int handle) {}

  private final Kernel kernel;

  @GuardedBy("this")
  private final Map<Integer, String> open = new HashMap<>(); // by descriptors

  @GuardedBy("this")
  private final Set<Name> objects = new HashSet<>();

  WillingDriver(Kernel kernel) {
    this.kernel = kernel;
  }

  /** How many objects there are. */
  synchronized int objects() {
    return objects.size();
  }

  @Override
  public List<Node> nodes() {
    return List.of(
        new Node("nvidiactl", Node.Kind.CONTROL, 195, 255, 0x21b6),
        new Node("nvidia0", Node.Kind.CARD, 195, 0, 0x21b6),
        new Node(UVM, Node.Kind.UVM, 511, 0, 0x21b6));
  }

  @Override
  public synchronized Fd open(Node node) {
    Fd file = kernel.eventfd(0, Kernel.NONBLOCK);
    open.put(file.number(), node.name());
    return file;
  }

  @Override
  public synchronized int ioctl(
      Fd file, int request, MemorySegment argument, List<MemorySegment> blocks) {
    String node = open.get(file.number());
    if (node == null) {
      throw new SyscallException("ioctl", "no file of the driver", Errno.ENOTTY.number());
    }
    if (!node.equals(UVM)) {
      execute(ProgramEscape.of(request).orElseThrow(), file, argument);
    }
    return 0;
  }

  @GuardedBy("this")
  private void execute(ProgramEscape escape, Fd file, MemorySegment argument) {
    switch (escape) {
      case ALLOC -> alloc(argument);
      case ALLOC_MEMORY -> allocMemory(argument);
      case FREE -> free(argument);
      case ALLOC_OS_EVENT -> kernel.signal(file);
      case FREE_OS_EVENT -> {
        long _ = kernel.drain(file);
      }
      default -> {}
    }
    if (escape.shape().status() != BlockShape.NONE) {
      argument.set(ValueLayout.JAVA_INT, escape.shape().status(), OK);
    }
  }

  @GuardedBy("this")
  private void alloc(MemorySegment argument) {
    int type = Nvos64Alloc.H_CLASS.bits(argument);
    int client = Nvos64Alloc.H_ROOT.bits(argument);
    if (type == ProgramClass.NV01_ROOT.number() || type == ProgramClass.NV01_ROOT_CLIENT.number()) {
      client = freeClient();
      Nvos64Alloc.H_OBJECT.setBits(argument, client);
    }
    objects.add(new Name(client, Nvos64Alloc.H_OBJECT.bits(argument)));
  }

  @GuardedBy("this")
  private int freeClient() {
    int client = FIRST_CLIENT;
    while (objects.contains(new Name(client, client))) {
      client++;
    }
    return client;
  }

  @GuardedBy("this")
  private void allocMemory(MemorySegment argument) {
    MemorySegment first =
        MemorySegment.ofAddress(Nvos02AllocMemory.MEMORY.get(argument)).reinterpret(1);
    byte now = first.get(ValueLayout.JAVA_BYTE, 0);
    first.set(ValueLayout.JAVA_BYTE, 0, (byte) (now + 1));
    objects.add(
        new Name(
            Nvos02AllocMemory.H_ROOT.bits(argument), Nvos02AllocMemory.H_OBJECT.bits(argument)));
  }

  @GuardedBy("this")
  private void free(MemorySegment argument) {
    int client = Nvos00Free.H_ROOT.bits(argument);
    int handle = Nvos00Free.H_OBJECT.bits(argument);
    objects.removeIf(
        each -> each.client() == client && (client == handle || each.handle() == handle));
  }

  @Override
  public void copy(int client, int from, int to, long bytes) {
    throw new UnsupportedOperationException("no memory moves here");
  }

  @Override
  public void clear(int client, int object, long bytes) {
    throw new UnsupportedOperationException("no memory moves here");
  }

  @Override
  public KeptContents keep(int client, int object, long bytes) {
    throw new UnsupportedOperationException("no program is suspended here");
  }

  @Override
  public int idleToken() {
    throw new UnsupportedOperationException("no program is suspended here");
  }

  @Override
  public void ring(int token) {
    throw new UnsupportedOperationException("no program is suspended here");
  }
}
