package io.sluice.channel.nvidia.relay;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.SyscallException;
import io.sluice.abi.relay.RelayRequest;
import io.sluice.abi.rm.RmStatus;
import io.sluice.abi.sys.PeerCredentials;
import io.sluice.channel.MovableMemory.Moved;
import io.sluice.channel.nvidia.relay.card.GuestCard;
import io.sluice.channel.nvidia.relay.card.KeptWords;
import io.sluice.channel.nvidia.relay.link.Denial;
import io.sluice.channel.nvidia.relay.link.MapTarget;
import io.sluice.channel.nvidia.relay.link.Node;
import io.sluice.channel.nvidia.relay.link.ProgramLink;
import io.sluice.channel.nvidia.relay.link.RelayGreeting;
import io.sluice.channel.nvidia.relay.link.RelayProtocolException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A program of a guest: serves its requests, one after the other, on one thread. Whatever it does,
 * it ends nobody but itself.
 */
final class CudaProgram {
  private static final int MAX_NODE_NAME = 64;

  private final long number;
  private final PeerCredentials peer;
  private final ProgramLink link;
  private final ProgramDriver driver;
  private final RmCalls rm;
  private final UvmCalls uvm;
  private final Consumer<String> refusals;
  private final PagesCalls pages;
  private final PoolCalls pools;
  private final VideoMoves moves;
  private final ProgramChannels channels;
  private final Suspension suspension;
  private final LongSupplier clock;
  private final ProgramLife life;
  private boolean watched; // of the thread that serves it
  private final AtomicLong calls = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();

  /**
   * @param link of the thread that serves it, which closes it
   * @param refusals told what the relay does not let through
   */
  CudaProgram(
      long number,
      PeerCredentials peer,
      ProgramLink link,
      ProgramDriver driver,
      LongSupplier clock,
      Consumer<String> refusals) {
    this.number = number;
    this.peer = peer;
    this.link = link;
    this.driver = driver;
    this.clock = clock;
    this.refusals = refusals;
    life = new ProgramLife(number, driver.turn(), link::isGone, clock);
    pools = new PoolCalls(driver);
    pages = new PagesCalls(driver, pools, link);
    rm = new RmCalls(driver, pages, pools);
    uvm = new UvmCalls(driver, pages);
    moves = new VideoMoves(driver, pools, uvm, refusals);
    channels = new ProgramChannels(driver, uvm, clock);
    suspension = new Suspension(driver, pages, pools, uvm, channels, clock, life::isLeaving);
  }

  ProgramStatus status() {
    return new ProgramStatus(
        number,
        driver.on().now().card().name(),
        peer,
        calls.get(),
        refused.get(),
        driver.files().size(),
        driver.objects().channels(),
        driver.video().bytes(),
        driver.pinned().bytes() + driver.system().bytes(),
        driver.system().bytes(),
        life.state());
  }

  /** Video memory that it has; no waits. */
  long videoBytes() {
    return driver.video().bytes();
  }

  /** System memory that it has in place of video memory; no waits. */
  long systemBytes() {
    return driver.system().bytes();
  }

  /**
   * Moves its data to system memory, as {@link VideoMoves#evict}.
   *
   * @param patienceNs how long its call is waited for that is under way
   */
  Moved evict(long bytes, long enough, long patienceNs) {
    return moved(patienceNs, () -> moves.evict(bytes, enough));
  }

  /** Moves it back, as {@link VideoMoves#restore}; the same. */
  Moved restore(long room, long enough, long patienceNs) {
    return moved(patienceNs, () -> moves.restore(room, enough));
  }

  private Moved moved(long patienceNs, Supplier<Moved> move) {
    if (!driver.turn().tryTake(patienceNs)) {
      return Moved.NONE;
    }
    try {
      return life.isRunning() ? move.get() : Moved.NONE;
    } catch (RuntimeException e) {
      refusals.accept("it ends, for its memory could not be moved as a whole: " + e);
      sendAway();
      return Moved.NONE;
    } finally {
      driver.turn().giveBack();
    }
  }

  private void enter(ProgramState next, String reason) {
    life.enter(next, clock.getAsLong(), reason);
  }

  /**
   * As {@link ProgramRelay#suspend}.
   *
   * @param patienceNs how long its work is waited for
   * @throws RefusedException SLU-RLY-006
   */
  void suspend(long patienceNs) {
    driver.turn().take();
    try {
      life.require(ProgramState.RUNNING, RelayCode.NOT_SUSPENDED);
      enter(ProgramState.HOLDING, "it is to come to rest");
      boolean complete = false;
      try {
        long until = clock.getAsLong() + patienceNs;
        life.awaitCall(until);
        suspension.suspend(until);
        complete = true;
      } finally {
        if (complete) {
          enter(ProgramState.SUSPENDED, "it has nothing on the card");
        } else if (!life.hasEnded()) {
          enter(ProgramState.RUNNING, "it did not come to rest");
        }
      }
    } catch (Denial | SyscallException e) {
      throw refused(RelayCode.NOT_SUSPENDED, e);
    } catch (IllegalStateException e) {
      sendAway();
      throw refused(RelayCode.NOT_SUSPENDED, e);
    } catch (InternalError e) {
      throw faults(RelayCode.NOT_SUSPENDED, e);
    } finally {
      driver.turn().giveBack();
    }
  }

  /**
   * As {@link ProgramRelay#resume}.
   *
   * @param on the card to go on upon
   * @return has the card look at all of its channels again
   * @throws RefusedException SLU-RLY-007
   */
  Runnable resume(GuestCard on) {
    driver.turn().take();
    try {
      life.require(ProgramState.SUSPENDED, RelayCode.NOT_RESUMED);
      enter(ProgramState.RESUMING, "it is to go on");
      boolean complete = false;
      GuestCard former = driver.on().now();
      move(on);
      long bytes = suspension.videoBytes();
      boolean taken = driver.turn().aside(() -> driver.video().take(bytes));
      try {
        if (!taken || life.hasEnded()) {
          throw new Denial(
              RmStatus.NO_MEMORY,
              taken ? "it has left" : "it had more video memory than the guest may have");
        }
        Resumption resumption =
            new Resumption(driver, pages, pools, rm, uvm, suspension, link, clock);
        resumption.resume();
        complete = true;
        return () -> ring(resumption);
      } finally {
        if (!complete && taken) {
          driver.video().giveBack(bytes);
        }
        if (complete && !life.hasEnded()) {
          enter(ProgramState.RUNNING, "all that it had is made anew");
        } else if (!life.hasEnded()) {
          move(former);
          enter(ProgramState.SUSPENDED, "it could not be made anew");
        }
      }
    } catch (Denial | SyscallException e) {
      throw refused(RelayCode.NOT_RESUMED, e);
    } catch (IllegalStateException e) {
      sendAway();
      throw refused(RelayCode.NOT_RESUMED, e);
    } catch (InternalError e) {
      throw faults(RelayCode.NOT_RESUMED, e);
    } finally {
      driver.turn().giveBack();
    }
  }

  /** It is to go on there; nothing of it is on a card. */
  private void move(GuestCard to) {
    driver.on().move(to);
    driver.video().moveTo(to.video());
    driver.objects().groups().move(to.slices(), to.graphics());
  }

  private void ring(Resumption resumption) {
    driver.turn().take();
    try {
      if (life.isRunning()) {
        resumption.ringAll();
      }
    } finally {
      driver.turn().giveBack();
    }
  }

  /** A page of a machine's memory cannot be had: nobody knows what its channels have seen. */
  private RefusedException faults(RelayCode code, InternalError fault) {
    sendAway();
    return refused(code, new IllegalStateException("its memory faults: " + fault));
  }

  private static RefusedException refused(RelayCode code, Exception cause) {
    return new RefusedException(
        code, Errno.EBUSY, String.valueOf(cause.getMessage()), "the program is as it was");
  }

  /** Sets its channels' time slices anew, if they are worth something else by now. */
  void refreshSlices() {
    driver.objects().groups().refresh();
  }

  /** Has it leave. */
  void sendAway() {
    life.leave();
    link.sendAway();
  }

  /** Serves it until it leaves; then nothing of it is left. */
  void serve() throws RelayProtocolException {
    try (link) {
      serveAll();
    } catch (InternalError e) {
      // A page of a machine's memory that cannot be had: the copy faults.
      throw new RelayProtocolException("its memory faults: " + e);
    }
  }

  /** What it has on the card goes first, whatever its link has still to close. */
  private void serveAll() throws RelayProtocolException {
    try {
      boolean greeted = false;
      while (link.receive(this::follow)) {
        greeted = serve(greeted);
      }
    } finally {
      life.leave();
      end();
    }
  }

  /** Reads what it submits while it sets its channels up. */
  private boolean follow() {
    if (!channels.isFollowing()) {
      return false;
    }
    if (driver.turn().tryTake(0)) {
      try {
        if (life.isRunning()) {
          channels.look();
        }
      } finally {
        driver.turn().giveBack();
      }
    }
    return true;
  }

  private void endCall() {
    driver.heap().settle();
    life.endCall();
  }

  private boolean serve(boolean greeted) throws RelayProtocolException {
    int op = RelayRequest.OP.bits(link.header());
    if (greeted == (op == RelayRequest.HELLO)) {
      throw new RelayProtocolException("op=" + op + (greeted ? " again" : " before HELLO"));
    }
    try {
      switch (op) {
        case RelayRequest.HELLO -> hello();
        case RelayRequest.OPEN -> open();
        case RelayRequest.CLOSE -> close();
        case RelayRequest.IOCTL -> ioctl();
        case RelayRequest.MAP -> map();
        case RelayRequest.WATCH -> watch();
        default -> {
          if (!link.serve(op)) {
            throw new RelayProtocolException("op=" + op);
          }
        }
      }
    } catch (SyscallException e) {
      link.fail(e.errno());
    } catch (RefusedException e) {
      note(String.valueOf(e.getMessage()));
      link.fail(e.errno().number());
    }
    return true;
  }

  private void note(String what) {
    refused.incrementAndGet();
    refusals.accept(what);
  }

  private void hello() throws RelayProtocolException {
    int version = RelayRequest.ARGUMENT.bits(link.header());
    if (version != RelayRequest.VERSION) {
      throw new RelayProtocolException("version=" + version + " known=" + RelayRequest.VERSION);
    }
    long bytes = RelayGreeting.write(link.room(), driver.port().nodes());
    link.reply(0, RelayRequest.VERSION, bytes);
  }

  private void watch() throws RelayProtocolException {
    if (!watched && !driver.descriptors().take(1)) {
      throw new RefusedException(
          RelayCode.TOO_MANY, Errno.EMFILE, "too many descriptors of the guest", "");
    }
    watched = true;
    link.replyWatch();
  }

  private void open() throws RelayProtocolException {
    MemorySegment body = link.body();
    long bytes = body.byteSize();
    if (bytes == 0 || bytes > MAX_NODE_NAME || body.get(ValueLayout.JAVA_BYTE, bytes - 1) != 0) {
      throw new RelayProtocolException("a node's name of " + bytes + " bytes");
    }
    ProgramFile file;
    life.beginCall();
    try {
      file = driver.files().open(body.getString(0, StandardCharsets.US_ASCII));
    } finally {
      endCall();
    }
    link.reply(file.number(), 0, 0);
  }

  private void close() {
    ProgramFile file = file();
    life.beginCall();
    try {
      freeClients(client -> driver.objects().controlOf(client).filter(file::equals).isPresent());
      uvm.closed(file);
      pages.closed(file);
      boolean _ = driver.files().close(file.number());
    } finally {
      endCall();
    }
    link.reply(0, 0, 0);
  }

  /**
   * Frees clients, before the files through which they were made are closed: a descriptor that the
   * program has got would keep them, and what they have, as long as it likes.
   */
  private void freeClients(IntPredicate which) {
    for (int client : driver.objects().clients()) {
      Optional<RmObject> object = driver.objects().find(client, client);
      Optional<ProgramFile> control = driver.objects().controlOf(client);
      if (which.test(client) && object.isPresent() && control.isPresent()) {
        int _ = pages.free(control.get(), object.get());
        driver.objects().remove(object.get());
        driver.files().forgetEvents(client);
      }
    }
  }

  private ProgramFile file() {
    int number = RelayRequest.FILE.bits(link.header());
    return driver
        .files()
        .find(number)
        .orElseThrow(() -> new SyscallException("ioctl", "file=" + number, Errno.EBADF.number()));
  }

  private void ioctl() throws RelayProtocolException {
    calls.incrementAndGet();
    ProgramFile file = file();
    DriverCall call =
        new DriverCall(
            file,
            RelayRequest.ARGUMENT.bits(link.header()),
            DriverCall.blocks(link.body(), link.blocks()),
            new KeptWords());
    boolean woke = file.wakes();
    boolean makes = file.kind() != Node.Kind.UVM && call.isMaking();
    int value = 0;
    life.beginCall();
    try {
      if (makes) {
        channels.begin(call.madeMemory());
      }
      value = file.kind() == Node.Kind.UVM ? uvm.execute(call) : rm.execute(call);
    } catch (Denial e) {
      note(String.valueOf(e.getMessage()));
    } finally {
      try {
        channels.lookAgain();
      } finally {
        endCall();
        call.kept().restore();
      }
    }
    long body = link.body().byteSize();
    if (!woke && file.wakes()) {
      link.replyWaking(value, body, file.fd());
    } else {
      link.reply(0, value, body);
    }
  }

  private void map() throws RelayProtocolException {
    ProgramFile file = file();
    if (link.body().byteSize() != Long.BYTES) {
      throw new RelayProtocolException("a map without its offset");
    }
    long address = RelayRequest.ADDRESS.get(link.header());
    long length = RelayRequest.LENGTH.get(link.header());
    // Of UVM the address alone says what is mapped; the offset is the address again.
    long offset = file.kind() == Node.Kind.UVM ? 0 : link.body().get(ValueLayout.JAVA_LONG, 0);
    try {
      MapTarget target = target(file, address, length);
      if (!target.backing().isOpen()) {
        throw new Denial(RmStatus.INVALID_STATE, "a map of memory that was freed");
      }
      if (!target.has(offset, length)) {
        throw new Denial(RmStatus.INVALID_LIMIT, "a map of more than was prepared");
      }
      link.replyMap(target, offset);
    } catch (Denial e) {
      note(String.valueOf(e.getMessage()));
      link.fail(Errno.EINVAL.number());
    }
  }

  private MapTarget target(ProgramFile file, long address, long length) throws Denial {
    if (file.kind() == Node.Kind.UVM) {
      life.beginCall();
      try {
        return uvm.target(file, address, length);
      } finally {
        endCall();
      }
    }
    return file.target()
        .orElseThrow(() -> new Denial(RmStatus.INVALID_STATE, "a map that nothing prepared"));
  }

  private void end() {
    driver.turn().take();
    boolean onCard = life.isRunning();
    try {
      enter(ProgramState.ENDED, "it has left");
      channels.fail();
      if (onCard) {
        freeClients(_ -> true);
      }
    } catch (SyscallException | IllegalStateException e) {
      refusals.accept("its clients are freed with its files: " + e);
    } finally {
      try {
        suspension.drop();
        driver.forgetAll();
      } finally {
        if (watched) {
          driver.descriptors().giveBack(1);
        }
        driver.heap().freeAll();
        driver.turn().giveBack();
      }
    }
  }
}
