package io.sluice.channel.nvidia.relay;

import io.sluice.abi.rm.alloc.ChannelAlloc;
import io.sluice.channel.nvidia.relay.ring.NearbyMemory;
import io.sluice.channel.nvidia.relay.ring.ProgramRing;
import io.sluice.channel.nvidia.relay.ring.RingFollower;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * The channels of a program, as its own pages show them. They are followed while the program sets
 * them up: for a while after each call that makes something, unless that turns out to be memory of
 * the program's own, which libcuda tells RM next. Under the program's turn.
 */
final class ProgramChannels {
  /** How long after such a call methods may still come that belong to it. */
  private static final long WINDOW_NS = 100_000_000;

  /** Most pieces of memory of which that is not known; one is, when the next is asked for. */
  private static final int MOST_UNDECIDED = 64;

  /** Most entries of a ring; libcuda's have 1024. */
  private static final int MOST_ENTRIES = 1 << 12;

  /** Most words of pushbuffer at a look, of all channels together; an entry counts as one. */
  private static final int MOST_WORDS = 1 << 18;

  /** Between two looks: calls come in rows when a program starts. */
  private static final long PAUSE_NS = 250_000;

  private static final long USERD_BYTES = 512;
  private static final long NOTIFIER_BYTES = 48;
  private static final int FIRST_SCRATCH = 1024;

  private final ProgramDriver driver;
  private final UvmCalls uvm;
  private final LongSupplier clock;
  private final Map<RmObject.Name, RingFollower> followers = new HashMap<>();
  private final Map<RmObject.Name, Long> undecided = new HashMap<>(); // memory, and until when
  private final RingFollower.WordBudget budget = new RingFollower.WordBudget();
  private int[] scratch = new int[FIRST_SCRATCH];
  private long decided; // until when, for what sets channels up
  private volatile long until; // the latest of all; asked without the turn
  private volatile boolean following;
  private long looked; // by the clock

  /**
   * @param clock nanoseconds
   */
  ProgramChannels(ProgramDriver driver, UvmCalls uvm, LongSupplier clock) {
    this.driver = driver;
    this.uvm = uvm;
    this.clock = clock;
  }

  /**
   * Before a call that makes something: what comes from now on may set state.
   *
   * @param memory that is made, if it is such
   */
  void begin(Optional<RmObject.Name> memory) {
    settle();
    long end = clock.getAsLong() + WINDOW_NS;
    if (!following) {
      following = true;
      decided = end - WINDOW_NS;
    }
    if (memory.isPresent() && undecided.size() < MOST_UNDECIDED) {
      undecided.put(memory.get(), end);
    } else {
      decided = end;
    }
    decide();
  }

  /** Forgets memory that has turned out to be the program's own, and such as was long ago. */
  private void decide() {
    long now = clock.getAsLong();
    undecided
        .entrySet()
        .removeIf(each ->
            each.getValue() - now <= 0
                || driver
                    .objects()
                    .find(each.getKey().client(), each.getKey().handle())
                    .filter(RmObject::isData)
                    .isPresent());
    long latest = decided;
    for (long end : undecided.values()) {
      latest = end - latest > 0 ? end : latest;
    }
    until = latest;
  }

  /** Reads what may set state, and leaves out what does not; all that comes is read after that. */
  void settle() {
    if (isFollowing()) {
      look();
    } else {
      all().forEach(channel -> ring(channel).ifPresent(ring -> follower(channel).skip(ring)));
    }
  }

  /** Reads what was submitted while entries that were read before were cleared. */
  void goOn() {
    followers.values().forEach(RingFollower::goOn);
    look();
  }

  /** Whether there may be something to see. */
  boolean isFollowing() {
    return following && clock.getAsLong() - until < 0;
  }

  /** The same after a call, unless that was just done. */
  void lookAgain() {
    boolean wasFollowing = isFollowing(); // what came until now may belong to it
    if (!undecided.isEmpty()) {
      decide();
    }
    if (wasFollowing && clock.getAsLong() - looked > PAUSE_NS) {
      look();
    }
  }

  /** Reads what was submitted since the last look. */
  void look() {
    looked = clock.getAsLong();
    budget.begin(MOST_WORDS);
    List<RmObject> all = all();
    if (followers.size() > all.size()) {
      forgetBut(all.stream().map(RmObject::name).collect(Collectors.toSet()));
    }
    for (RmObject channel : all) {
      Optional<ProgramRing> ring = ring(channel);
      if (ring.isPresent()) {
        NearbyMemory memory = new NearbyMemory(uvm::rangeOf);
        look(follower(channel), ring.get(), memory);
      }
    }
  }

  private void look(RingFollower follower, ProgramRing ring, NearbyMemory memory) {
    long before = follower.moreHeapBytes();
    scratch = follower.look(ring, memory, scratch, budget);
    long more = follower.moreHeapBytes() - before;
    if (more > 0 && !driver.heap().tryUse(more)) {
      follower.giveUp();
      driver.heap().free(before);
    }
  }

  private void forgetBut(Set<RmObject.Name> there) {
    followers
        .entrySet()
        .removeIf(each -> {
          boolean gone = !there.contains(each.getKey());
          if (gone) {
            driver.heap().free(each.getValue().moreHeapBytes());
          }
          return gone;
        });
  }

  private RingFollower follower(RmObject channel) {
    return followers.computeIfAbsent(channel.name(), _ -> new RingFollower());
  }

  /** Has the program see that they are gone, where it waits without a call. */
  void fail() {
    try {
      all().forEach(channel -> ring(channel).ifPresent(ProgramRing::fail));
    } catch (InternalError _) {
      // A page of a machine's memory that cannot be had: nobody waits there.
    }
  }

  /** All of them. */
  List<RmObject> all() {
    return driver.objects().channelObjects();
  }

  /** Why it is not known what a channel has to be told, if it is not. */
  Optional<String> missed(RmObject channel) {
    return follower(channel).missed();
  }

  /** What a channel has to be told when it is made anew. */
  int[] stateWords(RmObject channel) {
    return follower(channel).stateWords();
  }

  /** The address of a channel's ring. */
  static long ringAddress(RmObject channel) {
    return channel.made().orElseThrow().longWord(1, (int) ChannelAlloc.GP_FIFO_OFFSET.offset());
  }

  /** The bytes of its ring. */
  static long ringBytes(RmObject channel) {
    return 8L * entries(channel);
  }

  private static int entries(RmObject channel) {
    return channel.made().orElseThrow().word(1, (int) ChannelAlloc.GP_FIFO_ENTRIES.offset());
  }

  /** A channel's ring, if all of it is in the host's pages. */
  Optional<ProgramRing> ring(RmObject channel) {
    int entries = entries(channel);
    if (entries < 2
        || entries > MOST_ENTRIES
        || Integer.bitCount(entries) != 1
        || ringAddress(channel) % Long.BYTES != 0) {
      return Optional.empty();
    }
    RecordedCall made = channel.made().orElseThrow();
    int userd = made.word(1, (int) ChannelAlloc.H_USERD_MEMORY.at(0).offset());
    long offset = made.longWord(1, (int) ChannelAlloc.USERD_OFFSET.at(0).offset());
    int notifier = made.word(1, (int) ChannelAlloc.H_OBJECT_ERROR.offset());
    Optional<MemorySegment> slots = uvm.at(ringAddress(channel), ringBytes(channel));
    Optional<MemorySegment> words = pages(channel, userd, offset, USERD_BYTES);
    Optional<MemorySegment> records = pages(channel, notifier, 0, NOTIFIER_BYTES);
    return slots.isPresent() && words.isPresent() && records.isPresent()
        ? Optional.of(new ProgramRing(slots.get(), words.get(), records.get()))
        : Optional.empty();
  }

  private Optional<MemorySegment> pages(RmObject channel, int handle, long offset, long bytes) {
    return driver
        .objects()
        .find(channel.name().client(), handle)
        .flatMap(RmObject::pages)
        .map(each -> each.segment())
        .filter(each -> offset >= 0 && offset % 8 == 0 && bytes <= each.byteSize() - offset)
        .map(each -> each.asSlice(offset, bytes));
  }
}
