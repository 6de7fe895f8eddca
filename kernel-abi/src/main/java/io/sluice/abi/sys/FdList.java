package io.sluice.abi.sys;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The descriptors that came with one message: a reusable holder, so that a message without any
 * allocates nothing. Whoever takes a descriptor owns it; {@link #closeAll} closes what nobody took.
 */
public final class FdList {
  private final UnaryOperator<Fd> custody;
  private final List<Fd> fds = new ArrayList<>(4);

  /** Descriptors that are closed by who closes them. */
  public FdList() {
    this(UnaryOperator.identity());
  }

  /**
   * @param custody what a descriptor that comes is wrapped into; says how it is closed
   */
  public FdList(UnaryOperator<Fd> custody) {
    this.custody = custody;
  }

  /** Number of descriptors not taken yet. */
  public int size() {
    return fds.size();
  }

  /** Adds a descriptor at the end; called by the kernel seam. */
  public void add(Fd fd) {
    fds.add(custody.apply(fd));
  }

  /** The descriptor at an index, still owned by this list. */
  public Fd get(int index) {
    return fds.get(index);
  }

  /**
   * Whether one of them is a socket. Who holds one may hold the other end of his own: that does not
   * end while he waits for it to end.
   */
  public boolean hasSocket(Kernel kernel) {
    for (Fd fd : fds) {
      if (kernel.isSocket(fd)) {
        return true;
      }
    }
    return false;
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
