package io.sluice.abi.sys;

import java.util.ArrayList;
import java.util.List;

/**
 * The descriptors that came with one message: a reusable holder, so that a message without any
 * allocates nothing. Whoever takes a descriptor owns it; {@link #closeAll} closes what nobody took.
 */
public final class FdList {
  private final List<Fd> fds = new ArrayList<>(4);

  /** Number of descriptors not taken yet. */
  public int size() {
    return fds.size();
  }

  /** Adds a descriptor at the end; called by the kernel seam. */
  public void add(Fd fd) {
    fds.add(fd);
  }

  /** The descriptor at an index, still owned by this list. */
  public Fd get(int index) {
    return fds.get(index);
  }

  /** Takes the first descriptor: the caller owns it from here on. */
  public Fd take() {
    return fds.remove(0);
  }

  /** Closes and forgets what nobody took. */
  public void closeAll() {
    for (Fd fd : fds) {
      fd.close();
    }
    fds.clear();
  }
}
