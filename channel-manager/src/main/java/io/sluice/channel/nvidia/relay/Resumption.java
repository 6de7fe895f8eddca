package io.sluice.channel.nvidia.relay;

import io.sluice.abi.RefusedException;
import io.sluice.abi.rm.RmStatus;
import io.sluice.abi.rm.control.WorkSubmitToken;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.abi.rm.program.ProgramControl;
import io.sluice.abi.rm.program.UvmCommand;
import io.sluice.channel.nvidia.relay.Suspension.HeldChannel;
import io.sluice.channel.nvidia.relay.Suspension.KeptObject;
import io.sluice.channel.nvidia.relay.link.Denial;
import io.sluice.channel.nvidia.relay.link.ProgramLink;
import io.sluice.channel.nvidia.relay.ring.LeadingRing;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The making anew of all that a suspended program had on its card: the calls by which it was made,
 * once more and in order, under the same handles and at the same addresses. Its clients get other
 * handles of RM; the program's names of them stay.
 *
 * <p>A new channel begins with entry 0 and knows nothing: it is led, over a ring of ours in place
 * of the program's, to where the former had come, and told on the way what set that up.
 */
final class Resumption {
  private static final int COMMAND = 8; // of a control's argument
  private static final int EVENT_FILE = 16; // of the block of an event

  /** How long a program may take to map other doorbells, all together. */
  private static final long DOORBELLS_NS = 5_000_000_000L;

  private final ProgramDriver driver;
  private final PagesCalls pages;
  private final PoolCalls pools;
  private final RmCalls rm;
  private final UvmCalls uvm;
  private final Suspension suspension;
  private final ProgramLink link;
  private final LongSupplier clock;
  private final int idle;
  private final Map<ExternalMaps.Place, Stand> stands = new LinkedHashMap<>();
  private final Map<RmObject.Name, Integer> tokens = new HashMap<>();
  private final Set<RmObject.Name> cleared = new HashSet<>(); // channels whose free entries are

  /** A thing that is to be made anew, and its place among those that were made. */
  private record RemakeStep(long order, StepAction action) {}

  private interface StepAction {
    void run() throws Denial;
  }

  /**
   * Pages of ours that stand for a program's.
   *
   * @param name of the object that RM makes of them
   */
  private record Stand(RmObject.Name name, ProgramFile control, int parent, LeadingRing pages) {}

  Resumption(
      ProgramDriver driver,
      PagesCalls pages,
      PoolCalls pools,
      RmCalls rm,
      UvmCalls uvm,
      Suspension suspension,
      ProgramLink link,
      LongSupplier clock) {
    this.driver = driver;
    this.pages = pages;
    this.pools = pools;
    this.rm = rm;
    this.uvm = uvm;
    this.suspension = suspension;
    this.link = link;
    this.clock = clock;
    idle = driver.copier().idleToken();
  }

  /**
   * Resumes it.
   *
   * @throws Denial when it cannot be now: it stays suspended, and nothing is lost
   * @throws RefusedException likewise
   */
  void resume() throws Denial {
    boolean elsewhere = !driver.on().hasFiles();
    if (elsewhere) {
      requireTaker();
    }
    boolean complete = false;
    try {
      if (elsewhere) {
        suspension.held().forEach(each -> each.ring().token(idle));
        driver.on().replaceFiles();
        rm.reopenCards();
      }
      for (UvmSpace space : uvm.spaces()) {
        space.file().reopen(driver.port().open(space.file().node()));
        space.setAnew();
      }
      for (RemakeStep step : steps()) {
        step.action().run();
      }
      for (KeptObject each : suspension.kept()) {
        int client = driver.port().real(each.object().name().client());
        each.contents().copyTo(driver.copier(), client, each.object().name().handle());
      }
      lead();
      unstand();
      if (elsewhere) {
        giveDoorbells();
        driver.on().setFiles();
      }
      complete = true;
    } finally {
      if (!complete) {
        undo();
      }
    }
    driver.objects().groups().wake();
    for (KeptObject each : suspension.kept()) {
      if (each.video()) {
        each.object().setVideoBytes(each.bytes());
      }
    }
    release();
    suspension.drop();
  }

  /** Before anything is changed: who takes no other doorbell stays where it was. */
  private void requireTaker() throws Denial {
    boolean rings = driver.files().all().stream().anyMatch(file -> file.doorbell().isPresent());
    if (rings && !link.takesDoorbells()) {
      throw new Denial(RmStatus.NOT_SUPPORTED, "the program takes no other card's doorbell");
    }
  }

  /** What the program rings from now on; a token of ours is all that it can ring yet. */
  private void giveDoorbells() throws Denial {
    long until = clock.getAsLong() + DOORBELLS_NS;
    for (ProgramFile file : driver.files().all()) {
      if (rm.remapDoorbell(file)) {
        link.moveDoorbell(file.number(), file.fd(), until);
      }
    }
  }

  private void undo() {
    try {
      suspension.freeClients();
      suspension.restoreNotifiers();
    } finally {
      stands.values().forEach(stand -> stand.pages().close());
      for (HeldChannel each : suspension.held()) {
        if (cleared.contains(each.channel().name())) {
          each.ring().get(each.next());
          each.ring().announce(each.next());
        }
        each.ring().token(idle);
      }
    }
  }

  private List<RemakeStep> steps() {
    List<RemakeStep> steps = new ArrayList<>();
    for (RmObject object : driver.objects().all()) {
      steps.add(new RemakeStep(object.order(), () -> make(object)));
      for (RecordedCall call : object.commands()) {
        steps.add(
            new RemakeStep(
                call.order(),
                call.word(0, COMMAND) == ProgramControl.GPFIFO_GET_WORK_SUBMIT_TOKEN.command()
                    ? () -> askToken(object)
                    : () -> repeat(call)));
      }
    }
    for (ProgramFile file : driver.files().all()) {
      for (RecordedCall call : file.events()) {
        steps.add(new RemakeStep(call.order(), () -> repeat(call)));
      }
    }
    uvm.spaces().forEach(space -> addSteps(space, steps));
    steps.sort(Comparator.comparingLong(RemakeStep::order));
    return steps;
  }

  private void addSteps(UvmSpace space, List<RemakeStep> steps) {
    for (RecordedCall call : space.commands()) {
      if (space.isOfChannel(call)) {
        steps.add(new RemakeStep(call.order(), () -> repeatUvm(call)));
      }
    }
    for (UvmRanges.BackedRange range : space.ranges().all()) {
      steps.add(new RemakeStep(range.memory().order(), () -> uvm.createAgain(space, range)));
    }
    for (ExternalMaps.Range range : space.external().ranges()) {
      steps.add(
          new RemakeStep(
              range.order(),
              () ->
                  requireOk(
                      uvm.createAgain(space.file(), range.base(), range.length()),
                      "UVM makes no range")));
    }
    space
        .external()
        .all()
        .forEach(place -> steps.add(new RemakeStep(place.order(), () -> map(place))));
  }

  private static void requireOk(int status, String what) throws Denial {
    if (status != RmStatus.OK.code()) {
      throw new Denial(RmStatus.NO_MEMORY, what + ", " + RmStatus.nameOf(status));
    }
  }

  private void make(RmObject object) throws Denial {
    if (object.is(ProgramClass.HOPPER_CHANNEL_GPFIFO_A)) {
      makeChannel(object);
    } else if (object.isOfSystem()) {
      ProgramFile control = driver.objects().controlOf(object.name().client()).orElseThrow();
      requireOk(
          pools.makeSystem(control, object.name(), object.parent().handle(), object.sizeBytes()),
          "there is no system memory");
    } else if (object.made().isPresent()) {
      remake(object, object.made().get());
    } else if (object.pages().isPresent()) {
      ProgramFile control = driver.objects().controlOf(object.name().client()).orElseThrow();
      requireOk(pages.registerAgain(control, object), "RM takes its pages no more");
    }
  }

  private void remake(RmObject object, RecordedCall made) throws Denial {
    if (object.is(ProgramClass.NV01_EVENT_OS_EVENT) && !hasFile(made)) {
      return; // whom it would wake has closed the file
    }
    try (Arena arena = Arena.ofConfined()) {
      requireOk(rm.repeat(object, made.again(file(made), arena)), "RM makes no " + object);
    }
  }

  private boolean hasFile(RecordedCall event) {
    return driver.files().find(event.word(1, EVENT_FILE)).isPresent();
  }

  private ProgramFile file(RecordedCall call) throws Denial {
    return driver.file(call.file(), "a call to be repeated");
  }

  private void repeat(RecordedCall call) throws Denial {
    if (driver.files().find(call.file()).isEmpty()) {
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      DriverCall again = call.again(file(call), arena);
      requireOk(rm.repeat(again), String.format("RM refuses 0x%x", call.word(0, COMMAND)));
    }
  }

  private void repeatUvm(RecordedCall call) throws Denial {
    try (Arena arena = Arena.ofConfined()) {
      DriverCall again = call.again(file(call), arena);
      int status = uvm.repeat(again);
      boolean known = call.request() == UvmCommand.MM_INITIALIZE.number();
      if (!known) { // which says that there is nothing to do
        requireOk(status, "UVM refuses " + UvmCommand.of(call.request()).orElseThrow());
      }
    }
  }

  /** RM clears USERD: where the program had come is found again by its entries. */
  private void makeChannel(RmObject channel) throws Denial {
    HeldChannel held = held(channel);
    held.ring().clearFree(held.next(), held.ring().put(), held.slots().toArray());
    cleared.add(channel.name());
    remake(channel, channel.made().orElseThrow());
    held.ring().get(held.next());
  }

  private HeldChannel held(RmObject channel) {
    return suspension.held().stream()
        .filter(each -> each.channel().equals(channel))
        .findFirst()
        .orElseThrow();
  }

  /** RM tells it in the notifier, too, where the program must not see it yet. */
  private void askToken(RmObject channel) throws Denial {
    ProgramFile control = driver.objects().controlOf(channel.name().client()).orElseThrow();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment block = arena.allocate(WorkSubmitToken.LAYOUT);
      requireOk(
          driver.control(
              control,
              channel.name(),
              ProgramControl.GPFIFO_GET_WORK_SUBMIT_TOKEN.command(),
              block),
          "RM tells no token");
      int token = WorkSubmitToken.TOKEN.bits(block);
      driver.objects().groups().number(channel.name(), channel.parent(), token);
      held(channel).ring().token(idle);
      tokens.put(channel.name(), token);
    }
  }

  /** Rings of the program are not to be seen before their channels are where they were. */
  private void map(ExternalMaps.Place place) throws Denial {
    int handle = place.object().name().handle();
    if (suspension.held().stream().anyMatch(each -> isIn(each, place))) {
      handle = stand(place).name().handle();
    }
    requireOk(uvm.mapAgain(place, handle), "UVM maps no memory");
  }

  private static boolean isIn(HeldChannel channel, ExternalMaps.Place place) {
    return place.has(
        ProgramChannels.ringAddress(channel.channel()),
        ProgramChannels.ringBytes(channel.channel()));
  }

  private Stand stand(ExternalMaps.Place place) throws Denial {
    RmObject object = place.object();
    ProgramFile control = driver.objects().controlOf(object.name().client()).orElseThrow();
    RmObject.Name name = driver.objects().freeName(object.name().client());
    int parent = object.parent().handle();
    long bytes = object.sizeBytes();
    LeadingRing made = LeadingRing.make(driver.kernel(), place.base() - place.offset(), bytes);
    stands.put(place, new Stand(name, control, parent, made));
    requireOk(pages.register(control, name, parent, made.memory()), "RM takes no pages");
    return stands.get(place);
  }

  private void lead() throws Denial {
    for (HeldChannel each : suspension.held()) {
      Optional<Stand> stand =
          stands.entrySet().stream()
              .filter(entry -> isIn(each, entry.getKey()))
              .map(Map.Entry::getValue)
              .findFirst();
      int token = tokens.getOrDefault(each.channel().name(), idle);
      boolean led =
          each.isNew()
              || stand.isPresent()
                  && stand
                      .get()
                      .pages()
                      .lead(
                          each.ring(),
                          ProgramChannels.ringAddress(each.channel()),
                          each.next(),
                          each.state().toArray(),
                          () -> driver.copier().ring(token),
                          clock);
      if (!led) {
        throw new Denial(RmStatus.TIMEOUT, "a channel does not come to where it was");
      }
    }
  }

  /** The program's rings in place of ours. */
  private void unstand() throws Denial {
    for (Map.Entry<ExternalMaps.Place, Stand> each : stands.entrySet()) {
      Stand stand = each.getValue();
      uvm.replace(each.getKey(), stand.control(), each.getKey().object().name().handle());
      int _ = pools.free(stand.control(), stand.name(), stand.parent());
      stand.pages().close();
    }
    stands.clear();
  }

  /** Has the program's submissions reach the card again. */
  private void release() {
    suspension.restoreNotifiers();
    suspension.held().forEach(each -> each.ring().announce(each.next()));
    suspension.readOn(); // before the program goes round the ring
    for (HeldChannel each : suspension.held()) {
      each.ring().token(tokens.getOrDefault(each.channel().name(), idle));
    }
    ringAll();
  }

  /**
   * Has the card look at all channels: a program that had read the former token before it stored
   * what it submits has rung in vain.
   */
  void ringAll() {
    tokens.values().forEach(driver.copier()::ring);
  }
}
