package io.sluice.daemon.relay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.RefusedException;
import io.sluice.abi.relay.RelayRequest;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.FdCustody;
import io.sluice.abi.sys.FdList;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.channel.GuestGpu.TimeUsage;
import io.sluice.channel.MovableMemory.Moved;
import io.sluice.channel.nvidia.relay.ProgramRelay;
import io.sluice.channel.nvidia.relay.ProgramState;
import io.sluice.channel.nvidia.relay.ProgramStatus;
import io.sluice.channel.nvidia.relay.link.Denial;
import io.sluice.channel.nvidia.relay.link.MachineLink;
import io.sluice.channel.nvidia.relay.link.MachinePort;
import io.sluice.channel.nvidia.relay.link.ProgramTurn;
import io.sluice.channel.nvidia.relay.link.RelayProtocolException;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A relay that does nothing for its programs but to wait until they leave; those of machines have
 * as much memory as they say.
 */
final class FakeRelay implements ProgramRelay {
  private final Kernel kernel;
  private final AtomicReference<@Nullable Error> failure = new AtomicReference<>();
  private final List<Exception> failures = new CopyOnWriteArrayList<>();
  private final AtomicInteger weight = new AtomicInteger();
  private final AtomicInteger refreshes = new AtomicInteger();
  private final AtomicReference<@Nullable RefusedException> refused = new AtomicReference<>();
  private final AtomicLong patience = new AtomicLong();

  private final String gpu;

  @GuardedBy("this")
  private final Map<Long, Fd> programs = new TreeMap<>();

  /** Of those that are not as they came. */
  @GuardedBy("this")
  private final Map<Long, ProgramState> states = new TreeMap<>();

  /** Those that have gone to another GPU. */
  @GuardedBy("this")
  private final Map<Long, String> places = new TreeMap<>();

  private final Optional<FakeRelay> own; // of one on another GPU

  @GuardedBy("this")
  private long last;

  @GuardedBy("this")
  private boolean closed;

  FakeRelay(Kernel kernel) {
    this(kernel, "h100", Optional.empty());
  }

  private FakeRelay(Kernel kernel, String gpu, Optional<FakeRelay> own) {
    this.kernel = kernel;
    this.gpu = gpu;
    this.own = own;
  }

  /** One on another GPU, for the same programs. */
  FakeRelay beside(String other) {
    return new FakeRelay(kernel, other, Optional.of(this));
  }

  /** Makes serving the next program fail. */
  void fail() {
    failure.set(new AssertionError("injected"));
  }

  synchronized boolean isClosed() {
    return closed;
  }

  @Override
  public void serve(Fd connection, FdCustody foreign) {
    Error planned = failure.getAndSet(null);
    if (planned != null) {
      throw planned;
    }
    try (connection;
        Arena arena = Arena.ofConfined()) {
      long number = enter(connection);
      FdList came = new FdList(foreign);
      while (kernel.recvmsg(connection, arena.allocate(64), came) > 0) {
        came.closeAll(); // nor does it matter what it says
      }
      leave(number);
    }
  }

  @Override
  public void serve(MachinePort port, PeerCredentials machine) {
    ProgramTurn turn = new ProgramTurn();
    try (port;
        Arena arena = Arena.ofConfined();
        MachineLink link = new MachineLink(kernel, System::nanoTime, port, turn, arena)) {
      while (link.receive()) {
        turn.take();
        link.blank(RelayRequest.LENGTH.get(link.header()), () -> {}).close();
        turn.giveBack();
        link.reply(0, 0, 0);
      }
    } catch (RelayProtocolException | Denial e) {
      failures.add(e);
    }
  }

  /** What has ended programs of machines. */
  List<Exception> failures() {
    return failures;
  }

  private synchronized long enter(Fd connection) {
    if (closed) {
      kernel.shutdown(connection);
    }
    programs.put(++last, connection);
    return last;
  }

  private synchronized void leave(long number) {
    programs.remove(number);
  }

  @Override
  public void setWeight(int newWeight) {
    weight.set(newWeight);
  }

  /** The weight it was given last. */
  int weight() {
    return weight.get();
  }

  @Override
  public Moved evict(long bytes, long enough) {
    return Moved.NONE;
  }

  @Override
  public Moved restore(long room, long enough) {
    return Moved.NONE;
  }

  @Override
  public long evictedBytes() {
    return 0;
  }

  @Override
  public TimeUsage timeUsage() {
    return TimeUsage.NONE;
  }

  @Override
  public void refresh() {
    refreshes.incrementAndGet();
  }

  /** How often it was told to set time slices anew. */
  int refreshes() {
    return refreshes.get();
  }

  @Override
  public synchronized List<ProgramStatus> programs() {
    if (own.isPresent()) {
      return own.get().programs();
    }
    Map<Long, ProgramState> now = states;
    Map<Long, String> where = places;
    return programs.entrySet().stream()
        .map(each ->
            new ProgramStatus(
                each.getKey(),
                where.getOrDefault(each.getKey(), gpu),
                kernel.peerCredentials(each.getValue()),
                480,
                2,
                9,
                20,
                1000,
                80,
                60,
                now.getOrDefault(each.getKey(), ProgramState.RUNNING)))
        .toList();
  }

  @Override
  public synchronized boolean end(long number) {
    Fd connection = programs.get(number);
    if (connection == null) {
      return false;
    }
    kernel.shutdown(connection);
    return true;
  }

  /** Refuses to suspend programs and to resume them from now on. */
  void refuse(RefusedException refusal) {
    refused.set(refusal);
  }

  @Override
  public boolean suspend(long number, long patienceNs) {
    patience.set(patienceNs);
    return change(number, ProgramState.SUSPENDED);
  }

  /** How long the last program's work was to be waited for. */
  long patienceNs() {
    return patience.get();
  }

  @Override
  public boolean resume(long number) {
    return change(number, ProgramState.RUNNING);
  }

  @Override
  public boolean resumeHere(long number) {
    RefusedException refusal = refused.get();
    if (refusal != null) {
      throw refusal;
    }
    FakeRelay knows = own.orElse(this);
    return knows.resume(number) && knows.isAt(number, gpu);
  }

  private synchronized boolean isAt(long number, String there) {
    places.put(number, there);
    return true;
  }

  private synchronized boolean change(long number, ProgramState state) {
    RefusedException refusal = refused.get();
    if (refusal != null) {
      throw refusal;
    }
    if (!programs.containsKey(number)) {
      return false;
    }
    states.put(number, state);
    return true;
  }

  @Override
  public synchronized void close() {
    closed = true;
    programs.values().forEach(kernel::shutdown);
  }
}
