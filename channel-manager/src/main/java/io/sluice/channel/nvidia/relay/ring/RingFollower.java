package io.sluice.channel.nvidia.relay.ring;

import io.sluice.abi.Layouts;
import io.sluice.abi.rm.HopperMethods;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The follower of a channel: reads what its program submits, while it sets its channels up, and
 * keeps what sets state. A program has no need to stop for it.
 */
public final class RingFollower {
  /** Longest piece of pushbuffer that is looked at; libcuda's are a few hundred words. */
  private static final int MOST_WORDS = 1 << 16;

  /** The memory that a program's channels read. */
  public interface ReadableMemory {
    /** What is at an address of the GPU, if it is pages of the host's. */
    Optional<MemorySegment> at(long address, long bytes);
  }

  /** The words that may be read at a look: a program can say that it has submitted any number. */
  public static final class WordBudget {
    private long left;

    /** A look begins. */
    public void begin(long words) {
      left = words;
    }

    private boolean take(long words) {
      left -= words;
      return left >= 0;
    }
  }

  private final StateMethods state = new StateMethods();
  private int next;
  private long last; // entry before that
  private Optional<String> missed = Optional.empty();

  /**
   * Reads what was submitted since the last look.
   *
   * @param scratch for a piece of pushbuffer; grown when it is too short
   * @param budget of all channels of the program
   * @return scratch for the next look
   */
  public int[] look(ProgramRing ring, ReadableMemory memory, int[] scratch, WordBudget budget) {
    int put = ring.put();
    int[] words = scratch;
    if (missed.isPresent()) {
      return words; // nothing makes that good
    }
    if (put < 0 || put >= ring.entries()) {
      missed = Optional.of("GP_PUT is beyond its ring");
      return words;
    }
    if (hasLapped(ring)) {
      missed = Optional.of("its ring went round unseen while it was set up");
      return words;
    }
    while (next != put) {
      last = ring.slot(next);
      if (!budget.take(1 + HopperMethods.words(last))) {
        missed = Optional.of("it submitted more at once than is looked at");
        return words;
      }
      words = read(memory, last, words);
      next = next + 1 & ring.entries() - 1;
    }
    return words;
  }

  /** Goes on behind what was submitted since: nothing of it sets state. */
  public void skip(ProgramRing ring) {
    next = ring.put() & ring.entries() - 1;
    last = ring.slot(next - 1 & ring.entries() - 1);
  }

  /** The entries that were read are there no more. */
  public void goOn() {
    last = 0;
  }

  /** Whether the program has written over the entry that was read last: it has gone round. */
  private boolean hasLapped(ProgramRing ring) {
    int at = next - 1 & ring.entries() - 1;
    return last != 0 && ring.slot(at) != last;
  }

  private int[] read(ReadableMemory memory, long entry, int[] scratch) {
    int count = HopperMethods.words(entry);
    if (count == 0) {
      return scratch;
    }
    if (count > MOST_WORDS) {
      missed = Optional.of("a piece of pushbuffer was too long");
      return scratch;
    }
    int[] words = scratch.length < count ? new int[count] : scratch;
    Optional<MemorySegment> piece = memory.at(HopperMethods.address(entry), count * 4L);
    if (piece.isPresent()) { // else of a graph, in video memory: it launches
      MemorySegment.copy(piece.get(), Layouts.U32, 0, words, 0, count);
      state.add(words, count);
    }
    return words;
  }

  /** Keeps nothing: there is no heap for that. */
  public void giveUp() {
    state.giveUp();
    missed = Optional.of("there is no more heap for what sets it up");
  }

  /** The heap that it takes up beyond that of one that has seen nothing. */
  public long moreHeapBytes() {
    return state.moreHeapBytes();
  }

  /** Why it is not known what the channel has to be told, if it is not. */
  public Optional<String> missed() {
    return state.isOverflown() ? Optional.of("it was set up again and again") : missed;
  }

  /** What the channel has to be told when it is made anew. */
  public int[] stateWords() {
    return state.words();
  }
}
