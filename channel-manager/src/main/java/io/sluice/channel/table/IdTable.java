package io.sluice.channel.table;

import io.sluice.channel.Refusal;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The guest's names for one kind of object: ids from 1 to a named limit, the lowest free one first,
 * as DRM hands out handles. Any int may be looked up; what is no id finds nothing.
 */
public final class IdTable<T> {
  private final String what;
  private final int limit;
  private final List<@Nullable T> entries = new ArrayList<>();
  private final BitSet used = new BitSet();
  private int size;

  /**
   * @param what plural name, for messages
   * @param limit ids are 1 to this minus 1
   */
  public IdTable(String what, int limit) {
    this.what = what;
    this.limit = limit;
    entries.add(null);
    used.set(0);
  }

  /** The id that {@link #add} would give; ENOMEM when the table is full. */
  public int nextId() {
    int id = used.nextClearBit(0);
    if (id >= limit) {
      throw Refusal.full(what, limit - 1);
    }
    return id;
  }

  /** Names an object. */
  int add(T entry) {
    int id = nextId();
    put(id, entry);
    return id;
  }

  /** Names an object by an id that is free. */
  public void put(int id, T entry) {
    if (id < 1 || id >= limit || used.get(id)) {
      throw new IllegalArgumentException("no free id of " + what + ", id=" + id);
    }
    while (entries.size() <= id) {
      entries.add(null);
    }
    entries.set(id, entry);
    used.set(id);
    size++;
  }

  /** The object of an id; null when there is none. */
  public @Nullable T get(int id) {
    return id >= 1 && id < entries.size() ? entries.get(id) : null;
  }

  /** Forgets an id; what it named, or null. */
  public @Nullable T remove(int id) {
    T entry = get(id);
    if (entry != null) {
      entries.set(id, null);
      used.clear(id);
      size--;
    }
    return entry;
  }

  /** Number of ids in use. */
  public int size() {
    return size;
  }

  /** All objects, by ascending id; a copy. */
  public List<T> values() {
    List<T> all = new ArrayList<>(size());
    for (T entry : entries) {
      if (entry != null) {
        all.add(entry);
      }
    }
    return all;
  }
}
