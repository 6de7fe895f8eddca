package io.sluice.guest;

import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Mapping;
import java.util.List;
import java.util.Optional;

/** The way by which a process reaches a device: over a socket, or through its kernel's VFIO. */
interface DeviceLink extends AutoCloseable {
  /** A register of BAR 0, four bytes. */
  int read(int offset);

  /** Writes a register of BAR 0, four bytes. */
  void write(int offset, int value);

  /** Writes a register with 0, 1, ... one after the other. */
  default void writeEach(int offset, int count) {
    for (int value = 0; value < count; value++) {
      write(offset, value);
    }
  }

  /** The memory of a region, which the caller unmaps. */
  Mapping map(int region);

  /** Has the device read and write memory of this process, all of a file that is mapped there. */
  void share(Fd fd, Mapping mapping, long iova);

  /** Takes shared memory back. */
  void unshare(long iova, long sizeBytes);

  /** The eventfds of the MSI-X vectors, from vector 0 on. */
  void vectors(List<Fd> eventfds);

  /**
   * A descriptor that hangs up when the device's host ends, still the link's; none if nobody can
   * end.
   */
  default Optional<Fd> host() {
    return Optional.empty();
  }

  /** Resets the device. */
  void reset();

  @Override
  void close();
}
