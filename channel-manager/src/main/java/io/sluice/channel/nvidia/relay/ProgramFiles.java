package io.sluice.channel.nvidia.relay;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.nvidia.relay.card.DriverPort;
import io.sluice.channel.nvidia.relay.link.MemoryShare;
import io.sluice.channel.nvidia.relay.link.Node;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The files of a program, by the numbers that it knows them by. */
final class ProgramFiles {
  /** Most of them; CUDA programs open some fifty. */
  static final int MAX_FILES = 256;

  private final DriverPort port;
  private final Map<Integer, ProgramFile> files = new LinkedHashMap<>();
  private final MemoryShare descriptors;
  private final ProgramHeap heap;
  private int next = 1;
  private volatile int size; // for others to read

  /**
   * @param descriptors of the daemon's, of which each file is one
   */
  ProgramFiles(DriverPort port, MemoryShare descriptors, ProgramHeap heap) {
    this.port = port;
    this.descriptors = descriptors;
    this.heap = heap;
  }

  /**
   * Opens a node.
   *
   * @throws SyscallException ENOENT for one that is not shown
   * @throws RefusedException SLU-RLY-002
   */
  ProgramFile open(String name) {
    Node node =
        port.nodes().stream()
            .filter(each -> each.name().equals(name))
            .findFirst()
            .orElseThrow(() -> new SyscallException("open", "node=" + name, Errno.ENOENT.number()));
    return open(node);
  }

  /** Opens the node of the guest's card. */
  ProgramFile openCard() {
    return open(
        port.nodes().stream()
            .filter(node -> node.kind() == Node.Kind.CARD)
            .findFirst()
            .orElseThrow());
  }

  private ProgramFile open(Node node) {
    if (files.size() >= MAX_FILES) {
      throw new RefusedException(
          RelayCode.TOO_MANY, Errno.EMFILE, "too many files, most=" + MAX_FILES, "");
    }
    heap.require(ProgramHeap.FILE);
    if (!descriptors.take(1)) {
      throw new RefusedException(
          RelayCode.TOO_MANY, Errno.EMFILE, "too many descriptors of the guest", "");
    }
    Fd fd;
    try {
      fd = port.open(node);
    } catch (SyscallException e) {
      descriptors.giveBack(1);
      throw e;
    }
    heap.use(ProgramHeap.FILE);
    ProgramFile file = new ProgramFile(next++, node, fd, heap);
    files.put(file.number(), file);
    size = files.size();
    return file;
  }

  Optional<ProgramFile> find(int number) {
    return Optional.ofNullable(files.get(number));
  }

  /** All of them. */
  List<ProgramFile> all() {
    return List.copyOf(files.values());
  }

  /** A client has gone, and with it that files wake the program for it. */
  void forgetEvents(int client) {
    files.values().forEach(file -> file.forgetEvent(client));
  }

  /** Closes a file; false when there is none of that number. */
  boolean close(int number) {
    ProgramFile file = files.remove(number);
    if (file == null) {
      return false;
    }
    size = files.size();
    file.fd().close();
    file.forgetEvents();
    descriptors.giveBack(1);
    heap.free(ProgramHeap.FILE);
    return true;
  }

  int size() {
    return size;
  }

  /** Closes all: UVM's first, which holds what RM has. */
  void closeAll() {
    List<ProgramFile> all =
        files.values().stream().sorted(Comparator.comparing(ProgramFile::kind).reversed()).toList();
    files.clear();
    size = 0;
    all.forEach(file -> file.fd().close());
    descriptors.giveBack(all.size());
  }
}
