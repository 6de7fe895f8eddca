package io.sluice.gpu.fifo;

import io.sluice.gpu.engine.Compute;
import io.sluice.gpu.engine.CopyEngine;
import io.sluice.gpu.engine.Engine;
import io.sluice.gpu.engine.EngineHost;
import io.sluice.gpu.engine.GridLauncher;
import io.sluice.gpu.engine.M2mf;
import io.sluice.gpu.mmu.GpuUnit;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The engine objects that the eight subchannels name. A channel has one object of each class, made
 * when it is first bound; subchannels bound to the same class share it.
 */
final class Subchannels {
  static final int COUNT = 8;

  private static final int ENGINE_GRAPHICS = 0;
  private static final int ENGINE_PCOPY0 = 4;
  private static final int ENGINE_PCOPY1 = 5;
  private static final int ENGINE_SOFTWARE = 0x1f;
  private static final int CLASS_2D = 0x902d;
  private static final int CLASS_3D = 0x9097;

  /** The order of the objects in saved state. */
  private static final int[] CLASSES = {
    M2mf.CLASS, Compute.CLASS, CopyEngine.CLASS_PCOPY0, CopyEngine.CLASS_PCOPY1
  };

  /** The binding that SET_OBJECT made. */
  enum Binding {
    /** The subchannel names an engine object. */
    BOUND,
    /** No engine of this GPU has the class. */
    ILLEGAL,
    /** The hardware has the class, the model does not. */
    UNSUPPORTED
  }

  private final EngineHost host;
  private final GridLauncher launcher;
  private final @Nullable Engine[] objects = new @Nullable Engine[CLASSES.length];
  private final @Nullable Engine[] bound = new @Nullable Engine[COUNT];
  private final int[] words = new int[COUNT];

  Subchannels(EngineHost host, GridLauncher launcher) {
    this.host = host;
    this.launcher = launcher;
  }

  /** The engine object a subchannel names; null when none, or software. */
  @Nullable Engine engine(int subchannel) {
    return bound[subchannel];
  }

  /** Executes SET_OBJECT: 15..0 class, 20..16 engine. */
  Binding bind(int subchannel, int word) {
    int objectClass = word & 0xffff;
    int engine = word >>> 16 & 0x1f;
    if (engine == ENGINE_SOFTWARE) {
      bound[subchannel] = null;
      words[subchannel] = word;
      return Binding.BOUND;
    }
    if (engine == ENGINE_GRAPHICS && (objectClass == CLASS_2D || objectClass == CLASS_3D)) {
      return Binding.UNSUPPORTED;
    }
    int index = indexOf(objectClass);
    if (index < 0 || engineOf(objectClass) != engine) {
      return Binding.ILLEGAL;
    }
    bound[subchannel] = object(index);
    words[subchannel] = word;
    return Binding.BOUND;
  }

  /** Whether a class exists on this GPU, for OBJ_ENG_NEW. */
  static boolean isKnownClass(int objectClass) {
    return indexOf(objectClass) >= 0 || objectClass == CLASS_2D || objectClass == CLASS_3D;
  }

  private static int indexOf(int objectClass) {
    for (int i = 0; i < CLASSES.length; i++) {
      if (CLASSES[i] == objectClass) {
        return i;
      }
    }
    return -1;
  }

  private static int engineOf(int objectClass) {
    return switch (objectClass) {
      case CopyEngine.CLASS_PCOPY0 -> ENGINE_PCOPY0;
      case CopyEngine.CLASS_PCOPY1 -> ENGINE_PCOPY1;
      default -> ENGINE_GRAPHICS;
    };
  }

  private Engine object(int index) {
    Engine object = objects[index];
    if (object == null) {
      object =
          switch (CLASSES[index]) {
            case M2mf.CLASS -> new M2mf(host);
            case Compute.CLASS -> new Compute(host, launcher);
            case CopyEngine.CLASS_PCOPY0 -> new CopyEngine(host, GpuUnit.PCOPY0);
            default -> new CopyEngine(host, GpuUnit.PCOPY1);
          };
      objects[index] = object;
    }
    return object;
  }

  /** Position of an engine object in saved state, or -1 for none. */
  int numberOf(@Nullable Engine engine) {
    for (int i = 0; engine != null && i < objects.length; i++) {
      if (objects[i] == engine) {
        return i;
      }
    }
    return -1;
  }

  /** The engine object at a position of saved state, or null. */
  @Nullable Engine numbered(int number) {
    return number < 0 || number >= objects.length ? null : objects[number];
  }

  void save(ByteBuffer to) {
    for (int word : words) {
      to.putInt(word);
    }
    for (int i = 0; i < objects.length; i++) {
      Engine object = objects[i];
      to.putInt(object == null ? 0 : CLASSES[i]);
      if (object != null) {
        object.save(to);
      }
    }
  }

  void restore(ByteBuffer from) {
    for (int i = 0; i < COUNT; i++) {
      int word = from.getInt();
      if (word != 0 && bind(i, word) != Binding.BOUND) {
        throw new IllegalArgumentException("no such binding, word=" + word);
      }
    }
    for (int i = 0; i < objects.length; i++) {
      int objectClass = from.getInt();
      if (objectClass == 0) {
        continue;
      }
      if (objectClass != CLASSES[i]) {
        throw new IllegalArgumentException("no such object, class=" + objectClass);
      }
      object(i).restore(from);
    }
  }
}
