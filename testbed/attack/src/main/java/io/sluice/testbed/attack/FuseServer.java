package io.sluice.testbed.attack;

import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The server of a file system of one file, which talks to the kernel by the protocol of
 * linux/fuse.h. It answers what is needed to open the file, and nothing after that: whoever asks
 * for its state, reads, writes or closes it waits, until this process ends and the kernel takes
 * that for an answer. The process is not the one that has the file open: that one's end would wait
 * for itself.
 */
final class FuseServer {
  /** What it says when the kernel may ask it. */
  static final String READY = "ready";

  /** The connection, which whoever mounted the file system hands over. */
  private static final int CONNECTION = 3;

  private static final int LOOKUP = 1;
  private static final int GETATTR = 3;
  private static final int OPEN = 14;
  private static final int INIT = 26;

  private static final int BUFFER = 1 << 17;
  private static final int IN_HEADER = 40;
  private static final int OUT_HEADER = 16;
  private static final int INIT_BYTES = 64;
  private static final int ENTRY_BYTES = 128;
  private static final int ATTR_BYTES = 104;
  private static final int OPEN_BYTES = 16;
  private static final int ENTRY_ATTRIBUTES = 40;
  private static final int ATTR_ATTRIBUTES = 16;
  private static final long ROOT = 1;
  private static final long FILE = 2;
  private static final long FILE_BYTES = 1 << 20;
  private static final int DIRECTORY_MODE = 0x41ff;
  private static final int FILE_MODE = 0x81b6;
  private static final long YEAR_S = 31_536_000;

  private final Kernel kernel;
  private final Fd connection;
  private final MemorySegment in;
  private final MemorySegment out;

  private FuseServer(Kernel kernel, Fd connection, Arena arena) {
    this.kernel = kernel;
    this.connection = connection;
    in = arena.allocate(BUFFER, 8);
    out = arena.allocate(OUT_HEADER + ENTRY_BYTES, 8);
  }

  /** It serves until its standard input ends. */
  public static void main(String[] arguments) {
    Kernel kernel = RealKernel.create();
    Thread _ = Thread.ofPlatform().daemon().name("end").start(FuseServer::awaitEnd);
    System.out.println(READY);
    try (Arena arena = Arena.ofConfined();
        Fd connection = kernel.adopt(CONNECTION)) {
      FuseServer server = new FuseServer(kernel, connection, arena);
      while (true) {
        server.serve();
      }
    } catch (SyscallException e) {
      System.out.println("unmounted: " + e.getMessage());
    }
  }

  private static void awaitEnd() {
    try {
      byte[] _ = System.in.readAllBytes();
    } catch (IOException _) {
      // ended too
    }
    Runtime.getRuntime().halt(0);
  }

  private void serve() {
    long _ = kernel.read(connection, in);
    long node = in.get(ValueLayout.JAVA_LONG, 16);
    out.fill((byte) 0);
    switch (in.get(ValueLayout.JAVA_INT, 4)) {
      case INIT -> {
        word(0, 7); // major version
        word(4, 31); // minor version
        word(8, in.get(ValueLayout.JAVA_INT, IN_HEADER + 8)); // read ahead
        word(20, 4096); // most that is written at once
        word(24, 1); // granularity of times, in nanoseconds
        answer(INIT_BYTES);
      }
      case LOOKUP -> {
        number(0, FILE);
        number(16, YEAR_S); // that the name is valid; the attributes are not
        attributes(ENTRY_ATTRIBUTES, FILE);
        answer(ENTRY_BYTES);
      }
      case GETATTR -> {
        if (node == ROOT) {
          attributes(ATTR_ATTRIBUTES, ROOT);
          answer(ATTR_BYTES);
        }
      }
      case OPEN -> answer(OPEN_BYTES);
      default -> {}
    }
  }

  private void attributes(long at, long node) {
    number(at, node);
    number(at + 8, FILE_BYTES);
    word(at + 60, node == ROOT ? DIRECTORY_MODE : FILE_MODE);
    word(at + 64, 1); // links
    word(at + 80, 4096); // bytes of a block
  }

  private void number(long at, long value) {
    out.set(ValueLayout.JAVA_LONG, OUT_HEADER + at, value);
  }

  private void word(long at, int value) {
    out.set(ValueLayout.JAVA_INT, OUT_HEADER + at, value);
  }

  private void answer(int bytes) {
    out.set(ValueLayout.JAVA_INT, 0, OUT_HEADER + bytes);
    out.set(ValueLayout.JAVA_LONG, 8, in.get(ValueLayout.JAVA_LONG, 8));
    long _ = kernel.write(connection, out.asSlice(0, OUT_HEADER + bytes));
  }
}
