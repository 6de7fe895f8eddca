package io.sluice.gpu;

import io.sluice.abi.pscnv.ExtChanQuery;
import io.sluice.abi.pscnv.PscnvGem;
import io.sluice.abi.pscnv.PscnvMapHandle;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A channel as a program drives it: stores words, a ring entry, GP_PUT. */
final class GuestChannel {
  static final int PUSHBUFFER_BYTES = 1 << 16;

  final Client client;
  final int vid;
  final int cid;
  final int order;
  final MemorySegment userd;
  final Client.Memory ring;
  final Client.Memory pushbuffer;
  int put;
  long position;

  GuestChannel(Client client, int vid, int order) {
    this(client, vid, client.chanNew(vid), order);
    client.fifoInitIb(cid, ring.va(), order);
  }

  /** A channel that is not started. */
  GuestChannel(Client client, int vid, int cid, int order) {
    this.client = client;
    this.vid = vid;
    this.cid = cid;
    this.order = order;
    userd = client.mmap(PscnvMapHandle.ofChannel(cid), 4096);
    ring = client.memory(vid, PscnvGem.SYSRAM_SNOOP, Math.max(4096, 8L << order));
    pushbuffer = client.memory(vid, PscnvGem.SYSRAM_SNOOP, PUSHBUFFER_BYTES);
  }

  /** Writes words behind the last ones; the GPU address of the first. */
  long write(int... words) {
    if (position + words.length * 4L > PUSHBUFFER_BYTES) {
      position = 0;
    }
    long at = position;
    MemorySegment.copy(words, 0, pushbuffer.bytes(), ValueLayout.JAVA_INT, position, words.length);
    position += words.length * 4L;
    return pushbuffer.va() + at;
  }

  /** Puts a ring entry without announcing it. */
  void entry(long entry) {
    ring.bytes().set(ValueLayout.JAVA_LONG, put * 8L, entry);
    put = put + 1 & (1 << order) - 1;
  }

  void entry(long va, int words) {
    entry(va | (long) words << 42);
  }

  /** Announces what was put. */
  void kick() {
    userd.set(ValueLayout.JAVA_INT, 0x8c, put);
  }

  /** Submits words as one entry. */
  void submit(int... words) {
    entry(write(words), words.length);
    kick();
  }

  int gpGet() {
    return userd.get(ValueLayout.JAVA_INT, 0x88);
  }

  int reference() {
    return userd.get(ValueLayout.JAVA_INT, 0x48);
  }

  long get() {
    return word64(0x44, 0x60);
  }

  long topLevelGet() {
    return word64(0x58, 0x5c);
  }

  MemorySegment query() {
    return client.query(cid);
  }

  int state() {
    return ExtChanQuery.STATE.bits(query());
  }

  int reason() {
    return ExtChanQuery.REASON.bits(query());
  }

  int info() {
    return ExtChanQuery.INFO.bits(query());
  }

  long faultAddress() {
    return ExtChanQuery.FAULT_ADDRESS.get(query());
  }

  private long word64(long low, long high) {
    return Integer.toUnsignedLong(userd.get(ValueLayout.JAVA_INT, low))
        | Integer.toUnsignedLong(userd.get(ValueLayout.JAVA_INT, high)) << 32;
  }
}
