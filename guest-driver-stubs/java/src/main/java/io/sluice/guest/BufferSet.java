package io.sluice.guest;

import io.sluice.abi.GpuVa;
import io.sluice.abi.sys.Mapping;
import io.sluice.guest.CallPort.DeviceCall;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Buffers that are made and mapped together, and given back together: in as many waits for the host
 * as one of them, since a wait costs more than what is waited for. Used by one thread.
 */
public final class BufferSet implements AutoCloseable {
  private final AttachedDevice device;
  private final int vid;
  private final List<Entry> entries = new ArrayList<>();

  /** A buffer, as far as it is made. */
  private static final class Entry {
    final BufferRequest request;
    @Nullable Mapping memory;
    long iova;
    boolean made;
    int handle;
    long apertureOffset;
    boolean mapped;
    long address;

    Entry(BufferRequest request) {
      this.request = request;
    }

    void made(int number) {
      handle = number;
      made = true;
    }
  }

  private BufferSet(AttachedDevice device, int vid) {
    this.device = device;
    this.vid = vid;
  }

  /**
   * Makes and maps them, each at the lowest free address.
   *
   * @throws CallFailedException when the host refuses one; then there is none of them
   */
  static BufferSet make(AttachedDevice device, Space space, List<BufferRequest> requests) {
    BufferSet set = new BufferSet(device, space.id());
    try {
      set.make(requests);
      return set;
    } catch (RuntimeException e) {
      try {
        set.close();
      } catch (RuntimeException again) {
        e.addSuppressed(again);
      }
      throw e;
    }
  }

  private void make(List<BufferRequest> requests) {
    for (BufferRequest request : requests) {
      Entry entry = new Entry(request);
      entries.add(entry);
      if (request.kind() == BufferRequest.Kind.PROCESS) {
        entry.iova = device.takeIova(request.sizeBytes());
        entry.memory = device.shareMemory("sluice-buffer", request.sizeBytes(), entry.iova);
      }
    }
    device.callAll(entries.stream().map(BufferSet::create).toList());
    device.withList(list -> {
      List<DeviceCall> calls = new ArrayList<>();
      for (Entry entry : entries) {
        if (entry.memory != null) {
          calls.add(
              DeviceCalls.memPages(entry.handle, list.add(entry.iova, entry.request.sizeBytes())));
        }
        calls.add(map(entry));
      }
      device.callAll(calls);
    });
  }

  private static DeviceCall create(Entry entry) {
    return switch (entry.request.kind()) {
      case VIDEO ->
          DeviceCalls.memAlloc(
              entry.request.sizeBytes(),
              (handle, apertureOffset, _) -> {
                entry.apertureOffset = apertureOffset;
                entry.made(handle);
              });
      case PROCESS -> DeviceCalls.memRegister(entry.request.sizeBytes(), entry::made);
    };
  }

  private DeviceCall map(Entry entry) {
    return DeviceCalls.vspaceMap(
        vid,
        entry.handle,
        Space.START,
        Space.END,
        address -> {
          entry.address = address;
          entry.mapped = true;
        });
  }

  /** Where the GPU sees a buffer, by its place in the list. */
  public GpuVa address(int index) {
    return new GpuVa(entries.get(index).address);
  }

  /** A buffer's bytes, as this process sees them. */
  public MemorySegment bytes(int index) {
    Entry entry = entries.get(index);
    return entry.memory != null
        ? entry.memory.segment()
        : device.aperture(entry.apertureOffset, entry.request.sizeBytes());
  }

  /** Unmaps the buffers, frees them and takes the memory back. */
  @Override
  public void close() {
    close(List.of());
  }

  /** The same, after calls that are made together with it. */
  void close(List<DeviceCall> before) {
    List<DeviceCall> calls = new ArrayList<>(before);
    for (Entry entry : entries) {
      if (entry.mapped) {
        calls.add(DeviceCalls.vspaceUnmap(vid, entry.address));
      }
      if (entry.made) {
        calls.add(DeviceCalls.memFree(entry.handle));
      }
    }
    try {
      device.callAll(calls);
    } finally {
      entries.forEach(this::takeBack);
      entries.clear();
    }
  }

  private void takeBack(Entry entry) {
    if (entry.memory != null) {
      try {
        device.unmapDma(entry.iova, entry.request.sizeBytes());
      } finally {
        device.unshare(entry.memory);
      }
    }
  }
}
