package io.sluice.channel.nvidia.relay;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.abi.SyscallException;
import io.sluice.abi.rm.RmEngine;
import io.sluice.abi.rm.RmStatus;
import io.sluice.abi.rm.control.Timeslice;
import io.sluice.abi.rm.ioctl.Nvos54Control;
import io.sluice.abi.rm.program.ProgramControl;
import io.sluice.abi.sys.Fd;
import io.sluice.channel.nvidia.time.GuestSlices;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The channel groups of a program, each with a time slice of what its guest's weight is worth. The
 * program's thread makes and frees them; the slices are set by others, too. A group is forgotten
 * before the file is closed through which its slice is set.
 */
final class ProgramGroups {
  private static final Logger LOG = LoggerFactory.getLogger(ProgramGroups.class);

  /** Of a token: the number on its runlist. */
  private static final int NUMBER = 0xffff;

  private final RmCaller caller;

  @GuardedBy("this")
  private GuestSlices slices;

  @GuardedBy("this")
  private Set<Integer> graphics;

  @GuardedBy("this")
  private final Map<RmObject.Name, Integer> numbers = new HashMap<>();

  @GuardedBy("this")
  private final Map<RmObject.Name, Group> groups = new LinkedHashMap<>();

  private volatile GuestSlices.Stamp dividedBy; // written under the lock
  private volatile int count; // as that

  /** Makes a call of RM's that the relay has written. */
  interface RmCaller {
    /**
     * @param blocks the argument and what it points to
     * @throws SyscallException when the driver refuses it
     */
    void control(Fd file, MemorySegment argument, MemorySegment block);
  }

  private static final class Group {
    final Fd file;
    final int engine;
    long microseconds; // 0: not set

    Group(Fd file, int engine) {
      this.file = file;
      this.engine = engine;
    }
  }

  /**
   * @param graphics RM's numbers of the guest's channels on the graphics engine
   */
  ProgramGroups(RmCaller caller, GuestSlices slices, Set<Integer> graphics) {
    this.caller = caller;
    this.slices = slices;
    this.graphics = graphics;
    dividedBy = slices.stamp();
  }

  /**
   * Notes a group that RM has made.
   *
   * @param file through which its client was made
   * @param engine {@link io.sluice.abi.rm.RmEngine}
   */
  synchronized void add(RmObject.Name name, Fd file, int engine) {
    groups.put(name, new Group(file, engine));
    changed();
    divide();
  }

  /** The engine of a group, {@link io.sluice.abi.rm.RmEngine}; empty when there is none. */
  synchronized OptionalInt engine(RmObject.Name name) {
    Group group = groups.get(name);
    return group == null ? OptionalInt.empty() : OptionalInt.of(group.engine);
  }

  /** Whether it is a group on the graphics engine. */
  synchronized boolean computes(RmObject.Name name) {
    Group group = groups.get(name);
    return group != null && group.engine == RmEngine.GRAPHICS;
  }

  /**
   * Notes the number of a channel.
   *
   * @param group in which it is
   * @param token that rings it
   */
  synchronized void number(RmObject.Name channel, RmObject.Name group, int token) {
    Group in = groups.get(group);
    if (in != null && in.engine == RmEngine.GRAPHICS) {
      forgetNumber(channel);
      numbers.put(channel, token & NUMBER);
      graphics.add(token & NUMBER);
    }
  }

  @GuardedBy("this")
  private void forgetNumber(RmObject.Name channel) {
    Integer number = numbers.remove(channel);
    if (number != null) {
      graphics.remove(number);
    }
  }

  /**
   * Forgets a group or a channel; nothing happens when there is none of that name. Those that are
   * left have more at the next {@link #refresh}: most go one after the other, with their program.
   */
  synchronized void remove(RmObject.Name name) {
    forgetNumber(name);
    if (groups.remove(name) != null) {
      changed();
    }
  }

  /** Its channels are not on the card: they have no time, and no numbers. */
  synchronized void rest() {
    graphics.removeAll(numbers.values());
    numbers.clear();
    groups.values().forEach(group -> group.microseconds = 0);
    slices.put(this, Map.of());
  }

  /** They will be on another card; they must not be on any. */
  synchronized void move(GuestSlices toSlices, Set<Integer> toGraphics) {
    slices = toSlices;
    graphics = toGraphics;
  }

  /** They are again. */
  synchronized void wake() {
    groups.values().forEach(group -> group.microseconds = 0); // whatever was tried meanwhile
    changed();
    divide();
  }

  /** Forgets all. */
  synchronized void removeAll() {
    graphics.removeAll(numbers.values());
    numbers.clear();
    groups.clear();
    changed();
  }

  int count() {
    return count;
  }

  /** The slice that a group has, whatever its program says; empty where guests have no weights. */
  synchronized OptionalLong slice(RmObject.Name name) {
    Group group = groups.get(name);
    return group == null
        ? OptionalLong.empty()
        : slices.microseconds(group.engine, GuestSlices.USUAL_PART);
  }

  /** Sets slices anew if they are worth something else, or divided among more, by now. */
  void refresh() {
    if (count > 0) {
      divideIfChanged();
    }
  }

  private synchronized void divideIfChanged() {
    if (!slices.stamp().equals(dividedBy)) {
      divide();
    }
  }

  @GuardedBy("this")
  private void changed() {
    count = groups.size();
    Map<Integer, Integer> parts = new HashMap<>();
    groups
        .values()
        .forEach(group -> parts.merge(group.engine, GuestSlices.USUAL_PART, Integer::sum));
    slices.put(this, parts);
  }

  private synchronized void divide() {
    dividedBy = slices.stamp();
    groups.forEach((name, group) ->
        slices
            .microseconds(group.engine, GuestSlices.USUAL_PART)
            .ifPresent(microseconds -> {
              if (microseconds != group.microseconds) {
                group.microseconds = microseconds;
                set(name, group);
              }
            }));
  }

  /** Of a group that has ended RM may refuse it. */
  private void set(RmObject.Name name, Group group) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment block = arena.allocate(Timeslice.LAYOUT);
      Timeslice.MICROSECONDS.set(block, group.microseconds);
      MemorySegment argument = arena.allocate(Nvos54Control.LAYOUT);
      Nvos54Control.H_CLIENT.setBits(argument, name.client());
      Nvos54Control.H_OBJECT.setBits(argument, name.handle());
      Nvos54Control.CMD.setBits(argument, ProgramControl.SET_TIMESLICE.command());
      Nvos54Control.PARAMS.set(argument, block.address());
      Nvos54Control.PARAMS_SIZE.setBits(argument, (int) block.byteSize());
      caller.control(group.file, argument, block);
      int status = Nvos54Control.STATUS.bits(argument);
      if (status != RmStatus.OK.code()) {
        LOG.atDebug().addKeyValue("status", RmStatus.nameOf(status)).log("no time slice was set");
      }
    } catch (SyscallException e) {
      LOG.atDebug().setCause(e).log("no time slice was set");
    }
  }
}
