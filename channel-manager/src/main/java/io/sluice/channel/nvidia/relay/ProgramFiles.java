package io.sluice.channel.nvidia.relay;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The files of a program, by the numbers that it knows them by. */
final class ProgramFiles {
  /** Most of them; CUDA programs open some fifty. */
  static final int MAX_FILES = 1024;

  private final DriverPort port;
  private final Map<Integer, ProgramFile> files = new LinkedHashMap<>();
  private int next = 1;
  private volatile int size; // for others to read

  ProgramFiles(DriverPort port) {
    this.port = port;
  }

  /**
   * Opens a node.
   *
   * @throws RefusedException ENOENT for one that is not shown, SLU-RLY-002
   */
  ProgramFile open(String name) {
    Node node =
        port.nodes().stream()
            .filter(each -> each.name().equals(name))
            .findFirst()
            .orElseThrow(() ->
                new RefusedException(
                    RelayCode.NO_NODE, Errno.ENOENT, "the guest has no such node", ""));
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
    ProgramFile file = new ProgramFile(next++, node, port.open(node));
    files.put(file.number(), file);
    size = files.size();
    return file;
  }

  Optional<ProgramFile> find(int number) {
    return Optional.ofNullable(files.get(number));
  }

  /** Closes a file; false when there is none of that number. */
  boolean close(int number) {
    ProgramFile file = files.remove(number);
    if (file == null) {
      return false;
    }
    size = files.size();
    file.fd().close();
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
  }
}
