package io.sluice.channel.guest;

import io.sluice.channel.GuestGpu;
import io.sluice.channel.Refusal;
import io.sluice.channel.record.MemoryRecord;
import io.sluice.channel.record.StateRecord;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A guest that becomes another one in steps: its buffers in video memory are made as they are told,
 * so that their bytes can be put there, and all else at the end. Whatever does not fit is refused,
 * and {@link #discard} leaves the guest empty.
 */
public final class GuestRestore {
  private final GuestLock lock;
  private final GuestGpu backend;
  private final GuestState state;
  private final GuestListener listener;

  /** By the serial number of the other guest. Guarded by lock. */
  private final Map<Long, GuestBuffer> early = new HashMap<>();

  GuestRestore(GuestLock lock, GuestGpu backend, GuestState state, GuestListener listener) {
    this.lock = lock;
    this.backend = backend;
    this.state = state;
    this.listener = listener;
    lock.runSettled(state::requireEmpty);
  }

  /** Makes a buffer of video memory, without a handle; its bytes are zeros. */
  public void add(MemoryRecord record) {
    try (MemorySharing.Reservation room = lock.sharing().makeRoom()) {
      lock.run(() -> addEarly(record));
      room.restored();
    }
  }

  private void addEarly(MemoryRecord record) {
    Refusal.unless(!early.containsKey(record.serial()), "one serial number twice");
    Refusal.unless(!record.registered(), "guest memory before its time");
    early.put(
        record.serial(),
        state.buffers.restore(SnapshotReader.request(record), false, record.evicted(), 0));
  }

  /** The other guest has freed a buffer. */
  public void remove(long serial) {
    lock.run(() -> {
      GuestBuffer memory = early.remove(serial);
      Refusal.unless(memory != null, "a buffer that is not there");
      if (memory != null) {
        state.buffers.releaseIfUnused(memory);
      }
    });
  }

  /**
   * Has the GPU copy a part of a window into a buffer that was added.
   *
   * @param serial of the buffer with the other guest
   */
  public void write(MemoryWindow window, long at, long serial, long offset, long bytes) {
    lock.run(() -> {
      GuestBuffer memory = early.get(serial);
      if (memory == null) {
        throw Refusal.unfit("bytes of a buffer that is not there");
      }
      backend.copy(window.memory(), at, memory.backend, offset, bytes);
    });
  }

  /** As {@link GuestMove#restore}; buffers that are here already are taken, others are made. */
  public void finish(List<StateRecord> records) {
    try (MemorySharing.Reservation room = lock.sharing().makeRoom()) {
      lock.runSettled(() -> state.restore(records, early));
      room.restored();
    }
    lock.call(state.channels::ids).forEach(listener::onChannelCreated);
  }

  /** Gives up: the guest is empty again. */
  public void discard() {
    lock.runIfOpen(() -> {
      early.clear();
      state.releaseAll();
    });
  }
}
