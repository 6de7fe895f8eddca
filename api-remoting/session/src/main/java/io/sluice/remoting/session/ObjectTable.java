package io.sluice.remoting.session;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The objects of a session by kind and index. The application chooses the indices. Belongs to the
 * session's thread.
 */
public final class ObjectTable {
  private static final int FIRST_ROOM = 16;

  private final List<ObjectKind> kinds;
  private final @Nullable SessionObject[][] objects;
  private final BitSet[] reserved;
  private final int[] counts;
  private long serials;

  /**
   * @param kinds all kinds of the API, by number from 1
   */
  public ObjectTable(List<ObjectKind> kinds) {
    this.kinds = List.copyOf(kinds);
    objects = new SessionObject[kinds.size() + 1][0];
    reserved = new BitSet[kinds.size() + 1];
    Arrays.setAll(reserved, _ -> new BitSet());
    counts = new int[kinds.size() + 1];
  }

  /**
   * The kind of a number.
   *
   * @throws ProtocolException if there is none
   */
  public ObjectKind kind(int number) {
    if (number < 1 || number > kinds.size()) {
      throw new ProtocolException(
          io.sluice.abi.Errno.EPROTO, "there is no such kind of object, kind=" + number);
    }
    return kinds.get(number - 1);
  }

  /**
   * An index as one that is free.
   *
   * @throws NoSuchObjectException if it is out of range, taken or reserved
   */
  public int requireFree(ObjectKind kind, int index) {
    if (index < 1
        || index > kind.most()
        || find(kind, index) != null
        || reserved[kind.number()].get(index)) {
      throw new NoSuchObjectException(
          kind, kind.name() + " " + index + " is taken or beyond " + kind.most());
    }
    return index;
  }

  /**
   * Keeps an index for an object whose making goes on, so that no other call has it meanwhile.
   *
   * @throws NoSuchObjectException if it is not free
   */
  public void reserve(ObjectKind kind, int index) {
    reserved[kind.number()].set(requireFree(kind, index));
  }

  /** Gives a reserved index free: its object is added next, or does not come. */
  public void unreserve(ObjectKind kind, int index) {
    reserved[kind.number()].clear(index);
  }

  /**
   * An object.
   *
   * @throws NoSuchObjectException if it is not there
   */
  public SessionObject get(ObjectKind kind, int index) {
    SessionObject object = find(kind, index);
    if (object == null) {
      throw new NoSuchObjectException(kind, "there is no " + kind.name() + " " + index);
    }
    return object;
  }

  private @Nullable SessionObject find(ObjectKind kind, int index) {
    SessionObject[] row = objects[kind.number()];
    return index >= 0 && index < row.length ? row[index] : null;
  }

  /** Adds an object under an index that {@link CallReader#readNew} has found free. */
  public SessionObject add(ObjectKind kind, int index, long handle, CallRecord creation) {
    requireFree(kind, index);
    @Nullable SessionObject[] row = objects[kind.number()];
    if (index >= row.length) {
      int room =
          Math.max(FIRST_ROOM, Math.min(kind.most() + 1, Math.max(index + 1, row.length * 2)));
      row = Arrays.copyOf(row, Math.max(room, index + 1));
      objects[kind.number()] = row;
    }
    SessionObject object = new SessionObject(kind, index, nextSerial(), handle, creation);
    row[index] = object;
    counts[kind.number()]++;
    return object;
  }

  /** A number that nothing of this session had: the order in which things happened. */
  public long nextSerial() {
    return ++serials;
  }

  /** Whether an object is there, and not another of its index. */
  public boolean has(SessionObject object) {
    return find(object.kind(), object.index()) == object;
  }

  /** Takes an object out. Its record stays with what was made of it. */
  public SessionObject remove(ObjectKind kind, int index) {
    SessionObject object = get(kind, index);
    objects[kind.number()][index] = null;
    counts[kind.number()]--;
    return object;
  }

  /** How many of a kind there are. */
  public int count(ObjectKind kind) {
    return counts[kind.number()];
  }

  /** All objects of a kind, by index. */
  public List<SessionObject> all(ObjectKind kind) {
    List<SessionObject> all = new ArrayList<>(counts[kind.number()]);
    for (SessionObject object : objects[kind.number()]) {
      if (object != null) {
        all.add(object);
      }
    }
    return all;
  }

  /** All kinds. */
  public List<ObjectKind> kinds() {
    return kinds;
  }
}
