package io.sluice.testbed.opencl;

import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * A link between two session hosts that lies: it passes on what a session's source says, but for
 * frames that it changes or repeats, and where it ends. What it does follows from a seed and the
 * number of the connection. Nothing is left out, since both sides would wait for it.
 */
final class FuzzedLink implements AutoCloseable {
  private static final int HEADER_BYTES = 8;
  private static final int BUFFER_BYTES = 1 << 20;
  private static final int BACKLOG = 64;

  /** Frames of a session that has a few objects: one of so many is changed. */
  private static final int FRAMES = 48;

  private static final long[] NUMBERS = {
    0,
    1,
    2,
    -1,
    7,
    63,
    64,
    4095,
    4096,
    65_535,
    Integer.MAX_VALUE,
    Integer.MIN_VALUE,
    1L << 32,
    1L << 40,
    Long.MAX_VALUE,
    Long.MIN_VALUE
  };

  private final Kernel kernel;
  private final Path destination;
  private final long seed;
  private final Fd listener;
  private final Thread acceptor;
  private final ConcurrentLinkedQueue<Connection> connections = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<String> lies = new ConcurrentLinkedQueue<>();
  private volatile boolean honest;

  /**
   * @param path where the source connects
   * @param destination what it means
   */
  FuzzedLink(Kernel kernel, Path path, Path destination, long seed) {
    this.kernel = kernel;
    this.destination = destination;
    this.seed = seed;
    listener = kernel.listen(path, BACKLOG);
    acceptor = StandAloneHost.daemon("fuzz", this::accept);
    acceptor.start();
  }

  /** What was changed so far. */
  List<String> lies() {
    return List.copyOf(lies);
  }

  /** Passes everything on from now on. */
  void beHonest() {
    honest = true;
  }

  private void accept() {
    try {
      for (int number = 1; ; number++) {
        pass(kernel.accept(listener), number);
      }
    } catch (SyscallException _) {
      // close ends it
    }
  }

  /** A source whose destination has died is told so by the end of its connection. */
  private void pass(Fd source, int number) {
    Fd there;
    try {
      there = kernel.connect(destination);
    } catch (SyscallException _) {
      source.close();
      return;
    }
    Connection connection = new Connection(source, there, new Liar(number));
    connections.add(connection);
    connection.threads.forEach(Thread::start);
  }

  @Override
  public void close() throws InterruptedException {
    kernel.shutdown(listener);
    acceptor.join();
    listener.close();
    for (Connection connection : connections) {
      connection.end();
      for (Thread thread : connection.threads) {
        thread.join();
      }
    }
  }

  /** Two sockets, and a thread for each direction; the last one closes them. */
  private final class Connection {
    private final Fd source;
    private final Fd there;
    private final List<Thread> threads;
    private int users = 2; // by this

    Connection(Fd source, Fd there, Liar liar) {
      this.source = source;
      this.there = there;
      threads =
          List.of(
              StandAloneHost.daemon("answers", () -> run(() -> pass(there, source, null))),
              StandAloneHost.daemon("lies", () -> run(() -> pass(source, there, liar))));
    }

    private void run(Runnable direction) {
      try {
        direction.run();
      } catch (SyscallException | IllegalStateException _) {
        // one of the hosts has ended it
      } finally {
        end();
        leave();
      }
    }

    private synchronized void leave() {
      users--;
      if (users == 0) {
        source.close();
        there.close();
      }
    }

    synchronized void end() {
      if (users > 0) {
        end(source);
        end(there);
      }
    }

    private void end(Fd socket) {
      try {
        kernel.shutdown(socket);
      } catch (SyscallException _) {
        // its other end is gone
      }
    }
  }

  private void pass(Fd from, Fd to, @Nullable Liar liar) {
    FdList fds = new FdList();
    byte[] kept = new byte[0];
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment in = arena.allocate(BUFFER_BYTES);
      long count = kernel.recvmsg(from, in, fds);
      while (count > 0) {
        List<Fd> passed = new ArrayList<>();
        while (fds.size() > 0) {
          passed.add(fds.take());
        }
        byte[] bytes = in.asSlice(0, count).toArray(ValueLayout.JAVA_BYTE);
        if (liar != null) {
          byte[] all = Arrays.copyOf(kept, kept.length + bytes.length);
          System.arraycopy(bytes, 0, all, kept.length, bytes.length);
          int whole = liar.wholeFrames(all);
          kept = Arrays.copyOfRange(all, whole, all.length);
          bytes = liar.tell(Arrays.copyOf(all, whole));
        }
        try {
          send(to, bytes, passed);
        } finally {
          passed.forEach(Fd::close);
        }
        count = liar != null && liar.hasCut ? 0 : kernel.recvmsg(from, in, fds);
      }
    } finally {
      fds.closeAll();
    }
  }

  private void send(Fd to, byte[] bytes, List<Fd> fds) {
    List<Fd> with = fds;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(Math.max(1, bytes.length));
      MemorySegment.copy(bytes, 0, out, ValueLayout.JAVA_BYTE, 0, bytes.length);
      for (long at = 0; at < bytes.length; at += BUFFER_BYTES) {
        kernel.sendmsg(to, out.asSlice(at, Math.min(BUFFER_BYTES, bytes.length - at)), with);
        with = List.of();
      }
    }
  }

  /** One direction of one connection. */
  private final class Liar {
    private final SplittableRandom random;
    private final int number;
    private final boolean often;
    private final int target;
    private boolean hasCut;
    private int frame;

    Liar(int number) {
      this.number = number;
      random = new SplittableRandom(seed + number);
      often = random.nextInt(4) == 0;
      target = random.nextInt(FRAMES);
    }

    int wholeFrames(byte[] bytes) {
      ByteBuffer frames = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
      int at = 0;
      while (bytes.length - at >= HEADER_BYTES && frames.getInt(at) <= bytes.length - at) {
        at += frames.getInt(at);
      }
      return at;
    }

    byte[] tell(byte[] bytes) {
      ByteBuffer frames = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
      List<byte[]> told = new ArrayList<>();
      for (int at = 0; at < bytes.length && !hasCut; ) {
        byte[] next = Arrays.copyOfRange(bytes, at, at + frames.getInt(at));
        at += next.length;
        boolean lie = !honest && (often ? random.nextInt(FRAMES / 4) == 0 : frame == target);
        if (lie) {
          lie(next, told);
        } else {
          told.add(next);
        }
        frame++;
      }
      byte[] all = new byte[told.stream().mapToInt(each -> each.length).sum()];
      int at = 0;
      for (byte[] each : told) {
        System.arraycopy(each, 0, all, at, each.length);
        at += each.length;
      }
      return all;
    }

    private void lie(byte[] next, List<byte[]> told) {
      ByteBuffer fields = ByteBuffer.wrap(next).order(ByteOrder.LITTLE_ENDIAN);
      int type = fields.getShort(4);
      int room = next.length - HEADER_BYTES;
      int how = room < Long.BYTES ? 5 + random.nextInt(2) : random.nextInt(7);
      switch (how) {
        case 0 -> next[HEADER_BYTES + random.nextInt(room)] ^= (byte) (1 << random.nextInt(8));
        case 1, 2 ->
            fields.putInt(
                HEADER_BYTES + (random.nextInt(room - 3) & ~3),
                (int) NUMBERS[random.nextInt(NUMBERS.length)]);
        case 3 ->
            fields.putLong(
                HEADER_BYTES + (random.nextInt(room - 7) & ~3),
                NUMBERS[random.nextInt(NUMBERS.length)]);
        case 4 -> fields.putShort(4, (short) (1 + random.nextInt(18)));
        default -> {}
      }
      hasCut = how == 6;
      told.add(hasCut ? Arrays.copyOf(next, random.nextInt(next.length)) : next);
      if (how == 5) {
        told.add(next.clone());
      }
      lies.add("connection " + number + ", frame " + frame + ", type " + type + ", lie " + how);
    }
  }
}
