package io.sluice.channel.nvidia.relay;

import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.rm.program.ProgramClass;
import io.sluice.channel.nvidia.relay.link.MemoryShare;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The objects of a program: which clients are its own, what hangs below what, and what each has of
 * the guest's memory.
 */
final class ProgramObjects {
  /**
   * Most of them; a PyTorch program has some two hundred at its start, and one for each cudaMalloc.
   */
  static final int MAX_OBJECTS = 1 << 16;

  /** Most channels; a CUDA context has twenty. */
  static final int MAX_CHANNELS = 512;

  /** Most channel groups; a CUDA context has four. */
  static final int MAX_GROUPS = 128;

  /** Handles of what the relay makes for a program: none that libcuda chooses. */
  static final int FIRST_HANDLE = 0x5e10_0000;

  private final MemoryShare video;
  private final MemoryShare system;
  private final ProgramHeap heap;
  private final ProgramGroups groups;
  private final Map<RmObject.Name, RmObject> objects = new LinkedHashMap<>();
  private final Map<Integer, ProgramFile> controls = new HashMap<>();

  /** Objects without a name that UVM still has: they count. */
  private final Set<RmObject> nameless = new LinkedHashSet<>();

  private final ChannelMemory channelMemory = new ChannelMemory();
  private final Map<RmObject.Name, RmObject> channelObjects = new LinkedHashMap<>();
  private volatile int channels; // for others to read
  private int nextHandle = FIRST_HANDLE;
  private long nextOrder;

  ProgramObjects(MemoryShare video, MemoryShare system, ProgramHeap heap, ProgramGroups groups) {
    this.video = video;
    this.system = system;
    this.heap = heap;
    this.groups = groups;
  }

  /** The next place among what the program makes. */
  long nextOrder() {
    return nextOrder++;
  }

  /** All objects, in the order in which they were made. */
  List<RmObject> all() {
    return List.copyOf(objects.values());
  }

  /** Whether there are objects that UVM has, and that have no name any more. */
  boolean hasNameless() {
    return !nameless.isEmpty();
  }

  /** Whether a client is the program's own. */
  boolean owns(int client) {
    return objects.containsKey(new RmObject.Name(client, client));
  }

  /** The program's clients. */
  List<Integer> clients() {
    return objects.keySet().stream()
        .filter(name -> name.client() == name.handle())
        .map(RmObject.Name::client)
        .toList();
  }

  Optional<RmObject> find(int client, int handle) {
    return Optional.ofNullable(objects.get(new RmObject.Name(client, handle)));
  }

  /** A name that no object has, for one that the relay makes. */
  RmObject.Name freeName(int client) {
    RmObject.Name name;
    do {
      name = new RmObject.Name(client, nextHandle++);
    } while (objects.containsKey(name));
    return name;
  }

  /** All objects of a class. */
  Stream<RmObject> all(ProgramClass type) {
    return objects.values().stream().filter(each -> each.is(type));
  }

  /** The first object of a class. */
  Optional<RmObject> first(ProgramClass type) {
    return all(type).findFirst();
  }

  /** The first object of a class that a client has. */
  Optional<RmObject> first(int client, ProgramClass type) {
    return all(type).filter(each -> each.name().client() == client).findFirst();
  }

  /**
   * Whether there is room for one more, which the call that asks may add.
   *
   * @throws RefusedException SLU-RLY-002
   */
  void requireRoom(Optional<ProgramClass> type) {
    if (objects.size() >= MAX_OBJECTS) {
      throw tooMany("objects", MAX_OBJECTS);
    }
    if (type.filter(ProgramClass.HOPPER_CHANNEL_GPFIFO_A::equals).isPresent()
        && channels >= MAX_CHANNELS) {
      throw tooMany("channels", MAX_CHANNELS);
    }
    if (type.filter(ProgramClass.KEPLER_CHANNEL_GROUP_A::equals).isPresent()
        && groups.count() >= MAX_GROUPS) {
      throw tooMany("channel groups", MAX_GROUPS);
    }
    heap.require(RmObject.heapOf(type));
  }

  private static RefusedException tooMany(String what, int most) {
    return new RefusedException(
        RelayCode.TOO_MANY, Errno.ENOMEM, "too many " + what + ", most=" + most, "");
  }

  /**
   * Notes a client that RM has made.
   *
   * @param control the file through which it was made
   */
  void addClient(int client, ProgramFile control) {
    RmObject.Name name = new RmObject.Name(client, client);
    RmObject object = new RmObject(name, name, Optional.of(ProgramClass.NV01_ROOT), nextOrder());
    heap.use(object.heapBytes());
    objects.put(name, object);
    controls.put(client, control);
  }

  /** The file through which a client was made. */
  Optional<ProgramFile> controlOf(int client) {
    return Optional.ofNullable(controls.get(client));
  }

  /** Notes an object that RM has made. */
  RmObject add(int client, int parent, int handle, Optional<ProgramClass> type) {
    RmObject.Name name = new RmObject.Name(client, handle);
    // RM gives a handle to one object only: what had it before went with something else.
    Optional.ofNullable(objects.get(name)).ifPresent(this::remove);
    RmObject.Name above = new RmObject.Name(client, parent);
    if (!objects.containsKey(above)) {
      above = new RmObject.Name(client, client);
    }
    RmObject object = new RmObject(name, above, type, nextOrder());
    heap.use(object.heapBytes());
    objects.put(name, object);
    Optional.ofNullable(objects.get(above)).ifPresent(each -> each.children().add(name));
    if (object.is(ProgramClass.HOPPER_CHANNEL_GPFIFO_A)) {
      channels = channels + 1;
      channelObjects.put(name, object);
    }
    return object;
  }

  /**
   * Whether an object, with all below it, has memory that a channel names which is not below it: RM
   * would free it under the channel.
   */
  boolean isNeeded(RmObject object) {
    return channelMemory.keeps(name -> isIn(name, object.name()));
  }

  private boolean isIn(RmObject.Name name, RmObject.Name above) {
    RmObject at = objects.get(name);
    while (at != null && !at.name().equals(above)) {
      at = at.name().equals(at.parent()) ? null : objects.get(at.parent());
    }
    return at != null;
  }

  /** The memory that channels name. */
  ChannelMemory channelMemory() {
    return channelMemory;
  }

  /** Forgets an object and what is below it, and gives back what they had. */
  void remove(RmObject object) {
    Optional.ofNullable(objects.get(object.parent()))
        .ifPresent(parent -> parent.children().remove(object.name()));
    List<RmObject.Name> left = new ArrayList<>(List.of(object.name()));
    while (!left.isEmpty()) {
      RmObject each = objects.remove(left.removeLast());
      if (each != null) {
        left.addAll(each.children());
        release(each);
      }
    }
  }

  /** UVM has let go of an object. */
  void releaseHold(RmObject object) {
    object.releaseHold();
    if (!object.isHeld() && nameless.remove(object)) {
      giveBack(object);
    }
  }

  private void release(RmObject object) {
    groups.remove(object.name());
    channelObjects.remove(object.name());
    channelMemory.remove(object.name());
    if (object.name().equals(object.parent())) {
      controls.remove(object.name().client());
    }
    if (object.isHeld()) {
      nameless.add(object);
    } else {
      giveBack(object);
    }
  }

  private void giveBack(RmObject object) {
    video.giveBack(object.videoBytes());
    object.setVideoBytes(0);
    system.giveBack(object.systemBytes());
    object.setSystemBytes(0);
    object.closePages();
    heap.free(object.heapBytes());
    if (object.is(ProgramClass.HOPPER_CHANNEL_GPFIFO_A)) {
      channels = channels - 1;
    }
  }

  /** The channels, in the order in which they were made. */
  List<RmObject> channelObjects() {
    return List.copyOf(channelObjects.values());
  }

  int channels() {
    return channels;
  }

  ProgramGroups groups() {
    return groups;
  }

  /** Forgets all. */
  void removeAll() {
    objects.values().forEach(this::release);
    objects.clear();
    nameless.forEach(this::giveBack);
    nameless.clear();
  }
}
