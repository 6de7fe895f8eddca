package io.sluice.migrate.checkpoint;

import com.google.common.collect.ImmutableList;
import io.sluice.abi.Iova;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import io.sluice.migrate.session.SessionMessages;
import io.sluice.migrate.session.SessionMessages.Word;
import io.sluice.migrate.session.SessionWords;
import io.sluice.vdevice.dma.GuestRange;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Both ends of sessions' streams as session hosts and daemons play them, for tests of files. */
final class SessionsInFile {
  static final int PREPARED = 14;
  static final int COMPLETE = 15;

  private SessionsInFile() {}

  static Word session(int handle) {
    return word(SessionMessages.SESSION, handle, 1, 2);
  }

  static Word memory(int handle, int index) {
    return word(SessionMessages.SEGMENT, handle, index, 1);
  }

  private static Word word(int kind, int handle, int number, int ranges) {
    ImmutableList.Builder<GuestRange> list = ImmutableList.builder();
    for (int i = 0; i < ranges; i++) {
      list.add(new GuestRange(new Iova(0x10000L * (i + 1)), 0x3000));
    }
    return new Word(kind, handle, number, list.build());
  }

  /** A frame of the stream. */
  static byte[] frame(int type, byte... fields) {
    ByteBuffer frame = ByteBuffer.allocate(8 + fields.length).order(ByteOrder.LITTLE_ENDIAN);
    frame.putInt(8 + fields.length).putShort((short) type).putShort((short) 0).put(fields);
    return frame.array();
  }

  static byte[] join(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  static void send(Kernel kernel, Fd stream, byte[] bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(bytes.length);
      out.copyFrom(MemorySegment.ofArray(bytes));
      kernel.sendmsg(stream, out, List.of());
    }
  }

  /** So many bytes, or as many as there are before the end. */
  static byte[] receive(Kernel kernel, Fd stream, int bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment into = arena.allocate(bytes);
      int got = 0;
      long count = 1;
      while (got < bytes && count > 0) {
        count = kernel.recvmsg(stream, into.asSlice(got), new FdList());
        got += (int) Math.max(count, 0);
      }
      return into.asSlice(0, got).toArray(ValueLayout.JAVA_BYTE);
    }
  }

  /** The session host of a destination, which takes what comes and answers as it is told. */
  static final class Destination implements AutoCloseable {
    final List<Word> words = new ArrayList<>();
    private final Map<Integer, byte[]> received = new ConcurrentHashMap<>(); // by handle
    private final Map<Integer, byte[]> answers = new HashMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private final Kernel kernel;
    private final Fd listener;
    private final Thread thread;

    Destination(Kernel kernel, String uri) {
      this.kernel = kernel;
      listener = kernel.listen(Path.of(uri.substring("unix:".length())), 8);
      thread = Thread.ofPlatform().start(this::accept);
    }

    /** What a session's last question is answered by; nothing for the end of the stream. */
    void answer(int handle, byte... with) {
      answers.put(handle, with);
    }

    /** What had come of a session when it asked last. */
    byte[] received(int handle) {
      return received.getOrDefault(handle, new byte[0]);
    }

    private void accept() {
      try {
        while (true) {
          Fd stream = kernel.accept(listener);
          Word word = SessionWords.hear(kernel, stream).orElseThrow();
          words.add(word);
          SessionWords.answer(kernel, stream, 0);
          if (word.kind() == SessionMessages.SESSION) {
            threads.add(Thread.ofPlatform().start(() -> take(word.handle(), stream)));
          } else {
            stream.close();
          }
        }
      } catch (SyscallException _) {
        // it was closed
      }
    }

    private void take(int handle, Fd stream) {
      try (stream) {
        SessionFrames frames = new SessionFrames();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] some = receive(kernel, stream, 1);
            some.length > 0;
            some = receive(kernel, stream, 1)) {
          all.writeBytes(some);
          if (frames.take(ByteBuffer.wrap(some))) {
            received.put(handle, all.toByteArray());
            byte[] last = answers.getOrDefault(handle, SessionFrames.ready().array());
            byte[] answer = frames.isComplete() ? last : SessionFrames.ready().array();
            if (answer.length == 0) {
              return;
            }
            send(kernel, stream, answer);
          }
        }
      } catch (SyscallException | RefusedException _) {
        // the other side ended it
      }
    }

    @Override
    public void close() throws InterruptedException {
      kernel.shutdown(listener);
      thread.join();
      for (Thread each : threads) {
        each.join();
      }
      listener.close();
    }
  }
}
