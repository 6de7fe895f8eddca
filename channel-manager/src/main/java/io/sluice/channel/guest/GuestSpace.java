package io.sluice.channel.guest;

import io.sluice.abi.GpuVa;
import io.sluice.channel.AddressSpace;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * An address space of a guest. It lives as long as its id or a channel in it does, as pscnv's do.
 * Guarded by the guest's lock.
 */
final class GuestSpace {
  /** A buffer at a GPU address. */
  record Entry(GpuVa address, GuestBuffer memory) {
    long end() {
      return address.value() + memory.sizeBytes();
    }
  }

  /** Names the address space in state records, its id's end included. */
  final long serial;

  final AddressSpace backend;

  /** The guest's id; 0 once it was given back. */
  int vid;

  int channels;

  /** By GPU address; addresses are below 2^63, so signed order is right. */
  final TreeMap<Long, Entry> entries = new TreeMap<>();

  GuestSpace(long serial, AddressSpace backend) {
    this.serial = serial;
    this.backend = backend;
  }

  boolean isUnused() {
    return vid == 0 && channels == 0;
  }

  void add(GpuVa address, GuestBuffer memory) {
    entries.put(address.value(), new Entry(address, memory));
  }

  /** The entry that contains an address; null when none does. */
  @Nullable Entry containing(GpuVa address) {
    Map.Entry<Long, Entry> floor = entries.floorEntry(address.value());
    if (address.value() < 0 || floor == null || address.value() >= floor.getValue().end()) {
      return null;
    }
    return floor.getValue();
  }
}
