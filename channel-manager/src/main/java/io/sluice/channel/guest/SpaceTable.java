package io.sluice.channel.guest;

import io.sluice.abi.Errno;
import io.sluice.abi.GpuVa;
import io.sluice.abi.SluiceException;
import io.sluice.channel.AddressSpace;
import io.sluice.channel.CardSlots;
import io.sluice.channel.GpuInfo;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.Refusal;
import io.sluice.channel.state.GuestLimits;
import io.sluice.channel.table.Closing;
import io.sluice.channel.table.IdTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The table of a guest's address spaces, their ids and mappings. Guarded by the guest's lock. */
final class SpaceTable {
  private final String guest;
  private final GpuInfo info;
  private final CardSlots slots;
  private final GuestGpu backend;
  private final Endings endings;
  private final BufferTable buffers;
  private final TableBytes heap;
  private final IdTable<GuestSpace> vids;

  // Every one that lives, in the order of its making, those included that have lost their id.
  private final Map<Long, GuestSpace> spaces = new LinkedHashMap<>();
  private long lastSerial;
  private int mappings;
  private long changes;

  SpaceTable(
      String guest,
      GpuInfo info,
      CardSlots slots,
      GuestGpu backend,
      Endings endings,
      BufferTable buffers,
      TableBytes heap) {
    this.guest = guest;
    this.slots = slots;
    this.info = info;
    this.backend = backend;
    this.endings = endings;
    this.buffers = buffers;
    this.heap = heap;
    vids = new IdTable<>("address spaces", info.maxAddressSpaces());
  }

  boolean isEmpty() {
    return spaces.isEmpty();
  }

  int size() {
    return spaces.size();
  }

  /** Of all address spaces together. */
  int mappings() {
    return mappings;
  }

  /** Another number after each that came or went. */
  long changes() {
    return changes;
  }

  /** Oldest first; a copy. */
  List<GuestSpace> all() {
    return List.copyOf(spaces.values());
  }

  /** The address space of an id; ENOENT. */
  GuestSpace get(int vid) {
    GuestSpace space = vids.get(vid);
    if (space == null) {
      throw Refusal.noAddressSpace(vid);
    }
    return space;
  }

  /** A new, empty one; ENOMEM. */
  GuestSpace create() {
    int vid = vids.nextId();
    return add(vid);
  }

  /**
   * @param vid the guest's id, or 0 for an address space that only channels will keep
   */
  GuestSpace restore(int vid) {
    Refusal.unless(
        vid == 0 || vid < info.maxAddressSpaces() && vids.get(vid) == null, "an id of a space");
    // No more of them than have ids: those without one are kept by channels, which have ids.
    Refusal.unless(spaces.size() < info.maxAddressSpaces() + info.maxChannels(), "too many spaces");
    return add(vid);
  }

  private GuestSpace add(int vid) {
    slots.takeAddressSpace(guest);
    AddressSpace made;
    try {
      made = backend.createAddressSpace();
    } catch (SluiceException e) {
      slots.giveAddressSpace(guest);
      throw e;
    }
    GuestSpace space = new GuestSpace(++lastSerial, made);
    space.vid = vid;
    if (vid != 0) {
      vids.put(vid, space);
    }
    spaces.put(space.serial, space);
    changes++;
    return space;
  }

  /** Gives the id back; channels keep the address space. ENOENT. */
  void free(int vid) {
    GuestSpace space = get(vid);
    vids.remove(vid);
    space.vid = 0;
    releaseIfUnused(space);
  }

  /** Gives every id back, and what a snapshot that does not fit left without one. */
  void freeAll() {
    for (GuestSpace space : all()) {
      if (space.vid != 0) {
        free(space.vid);
      }
    }
    all().forEach(this::releaseIfUnused);
  }

  /** Maps a whole buffer at the first free range; where that is. */
  GpuVa map(int vid, int handle, GpuVa start, GpuVa end, boolean back) {
    GuestSpace space = get(vid);
    GuestBuffer memory = buffers.get(handle);
    long limit = info.addressSpaceBytes();
    if (start.value() < 0 || end.value() <= start.value() || end.value() > limit) {
      throw Refusal.invalid("no range of addresses, start=" + start + " end=" + end);
    }
    if (!memory.isComplete()) {
      throw Refusal.invalid("pages of the buffer are missing, handle=" + handle);
    }
    if (mappings == GuestLimits.MAX_MAPPINGS) {
      throw Refusal.full("mappings", GuestLimits.MAX_MAPPINGS);
    }
    GpuVa address =
        heap.forMade(TableBytes.MAPPING, () -> space.backend.map(memory.backend, start, end, back));
    note(space, memory, address);
    return address;
  }

  void restoreMapping(GuestSpace space, GuestBuffer memory, GpuVa address) {
    long end = address.value() + memory.sizeBytes();
    Refusal.unless(end > 0 && end <= info.addressSpaceBytes(), "an address");
    Refusal.unless(memory.isComplete(), "a mapping of a buffer with pages missing");
    Refusal.unless(mappings < GuestLimits.MAX_MAPPINGS, "too many mappings");
    GpuVa at =
        heap.forMade(
            TableBytes.MAPPING,
            () -> space.backend.map(memory.backend, address, new GpuVa(end), false));
    note(space, memory, at);
    Refusal.unless(at.equals(address), "a mapping that comes out elsewhere");
  }

  private void note(GuestSpace space, GuestBuffer memory, GpuVa address) {
    space.add(address, memory);
    memory.mappings++;
    mappings++;
  }

  /** Unmaps what contains the address; ENOENT. */
  void unmap(int vid, GpuVa address) {
    GuestSpace space = get(vid);
    GuestSpace.Entry entry = space.containing(address);
    if (entry == null) {
      throw Refusal.with(Errno.ENOENT, "nothing is mapped there, vid=" + vid + " at=" + address);
    }
    space.backend.unmap(entry.address());
    space.entries.remove(entry.address().value());
    forget(entry);
    heap.free(TableBytes.MAPPING);
  }

  private void forget(GuestSpace.Entry entry) {
    entry.memory().mappings--;
    mappings--;
    buffers.releaseIfUnused(entry.memory());
  }

  void releaseIfUnused(GuestSpace space) {
    if (space.isUnused()) {
      spaces.remove(space.serial);
      changes++;
      long bytes = space.entries.size() * TableBytes.MAPPING;
      endings.add(
          () -> Closing.close(space.backend::close, "address space"),
          () -> {
            slots.giveAddressSpace(guest);
            heap.free(bytes);
          });
      space.entries.values().forEach(this::forget);
      space.entries.clear();
    }
  }
}
