package io.sluice.channel.nvidia.channel;

import io.sluice.abi.rm.HopperMethods;
import io.sluice.abi.rm.RmClass;
import io.sluice.abi.rm.RmEngine;
import io.sluice.channel.nvidia.rm.CopyEngines;
import io.sluice.channel.nvidia.rm.HardwareChannel;
import io.sluice.channel.nvidia.rm.RmRefusal;
import io.sluice.channel.nvidia.submit.HopperCommands;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The engine classes that a guest has declared of a channel, and what follows from them: on which
 * engine it runs, and how its subchannels are set up. Copy engine for a channel that declared
 * nothing but copying, otherwise graphics, which computes and copies. Guarded by the open's lock.
 */
final class DeclaredClasses {
  private static final int SUBCHANNEL_COMPUTE = 1;
  private static final int COPY = RmClass.HOPPER_DMA_COPY_A.number();
  private static final int COMPUTE = RmClass.HOPPER_COMPUTE_A.number();

  private final int channelId;
  private final Set<Integer> declared = new HashSet<>();
  private int[] segment = {};

  DeclaredClasses(int channelId) {
    this.channelId = channelId;
  }

  /**
   * Declares one more.
   *
   * @param on the channel of RM; null while there is none
   * @throws io.sluice.abi.RefusedException ENODEV, no such class; EBUSY, it runs on an engine that
   *     cannot do it
   */
  void declare(int objectClass, @Nullable HardwareChannel on) {
    if (objectClass != COPY && objectClass != COMPUTE) {
      throw RmRefusal.noClass("no such engine class, class=0x" + Integer.toHexString(objectClass));
    }
    if (objectClass == COMPUTE && on != null && RmEngine.isCopy(on.engineType())) {
      throw RmRefusal.busy("the channel runs on a copy engine already, cid=" + channelId);
    }
    declared.add(objectClass);
  }

  /** The guest's own words for {@link #setup}. */
  void setSegment(int[] words) {
    segment = words.clone();
  }

  /** The engine of a channel that is made now. */
  int engine(CopyEngines copyEngines) {
    return declared.equals(Set.of(COPY)) ? copyEngines.next() : RmEngine.GRAPHICS;
  }

  /** What sets the subchannels up; without a word from the guest each class is at its customary. */
  int[] setup() {
    if (segment.length > 0) {
      return segment;
    }
    HopperCommands commands = new HopperCommands();
    if (declared.contains(COPY)) {
      commands.bindCopy();
    }
    if (!declared.equals(Set.of(COPY))) {
      commands.method(SUBCHANNEL_COMPUTE, HopperMethods.SET_OBJECT, COMPUTE);
    }
    return commands.toArray();
  }
}
