package io.sluice.vdevice;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.vdevice.protocol.DeviceCode;
import io.sluice.vdevice.session.ApiSessions;
import io.sluice.vdevice.session.SessionMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A host of sessions that keeps what it is given, so that a test can look at it. */
final class FakeSessions implements ApiSessions {
  final List<Session> opened = new ArrayList<>();
  boolean refuses;
  private final Kernel kernel;

  FakeSessions(Kernel kernel) {
    this.kernel = kernel;
  }

  @Override
  public long mostMemoryBytes() {
    return 1 << 20;
  }

  /** One session; its descriptors are its own copies, as another process would have them. */
  final class Session implements ApiSessions.Opened {
    final Fd doorbell;
    final Fd notify;
    final Consumer<Errno> ended;
    final List<SessionMemory> segments = new ArrayList<>();
    boolean closed;
    volatile boolean busy;

    /** It is still there when it was closed. */
    volatile boolean stays;

    Session(SessionMemory memory, Fd doorbell, Fd notify, Consumer<Errno> ended) {
      this.doorbell = kernel.dup(doorbell);
      this.notify = kernel.dup(notify);
      this.ended = ended;
      segments.add(copy(memory));
    }

    @Override
    public void add(int index, SessionMemory memory) {
      if (refuses) {
        throw refused();
      }
      segments.add(copy(memory));
    }

    @Override
    public CompletableFuture<ApiSessions.Standing> leave(Fd stream) {
      return CompletableFuture.failedFuture(refused());
    }

    @Override
    public CompletableFuture<Void> tryOut(Fd stream) {
      return CompletableFuture.failedFuture(refused());
    }

    @Override
    public CompletableFuture<?> endTrial() {
      return CompletableFuture.failedFuture(refused());
    }

    @Override
    public CompletableFuture<?> approach() {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void halt() {}

    @Override
    public void stay() {}

    @Override
    public boolean goOn() {
      return !closed;
    }

    @Override
    public boolean isGone() {
      return closed && !stays;
    }

    @Override
    public boolean end() {
      return !busy;
    }

    @Override
    public void close() {
      closed = true;
      doorbell.close();
      notify.close();
      segments.forEach(SessionMemory::close);
    }
  }

  private SessionMemory copy(SessionMemory memory) {
    return new SessionMemory(
        memory.files().stream()
            .map(kernel::dup)
            .collect(com.google.common.collect.ImmutableList.toImmutableList()),
        memory.pieces());
  }

  private static RefusedException refused() {
    return new RefusedException(DeviceCode.CALL, Errno.EAGAIN, "not now", "");
  }

  @Override
  public Opened arrive(
      int api, SessionMemory memory, Fd doorbell, Fd notify, Fd stream, Consumer<Errno> ended) {
    return open(api, memory, doorbell, notify, ended);
  }

  @Override
  public Opened open(int api, SessionMemory memory, Fd doorbell, Fd notify, Consumer<Errno> ended) {
    if (refuses) {
      throw refused();
    }
    Session session = new Session(memory, doorbell, notify, ended);
    opened.add(session);
    return session;
  }
}
