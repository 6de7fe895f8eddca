package io.sluice.daemon.config;

import com.google.common.collect.ImmutableList;
import java.nio.file.Path;

/**
 * The settings of session hosts.
 *
 * @param sandboxRequired whether one ends where it cannot confine itself
 * @param cacheDir has a directory for each guest, the only one that its host may write to
 * @param cacheBytes most bytes of files in each of these
 * @param heapBytes most memory of its Java's heap
 * @param sessionLimit most sessions of a guest at one time
 * @param memoryBytes most memory of the objects of a guest's sessions
 * @param processBytes most private memory of a host's process
 * @param devices device files that it may use
 * @param implementations directories of other OpenCLs to which sessions may move
 * @param java the program that runs it
 * @param modulePath where its modules are
 * @param foreign what guests of other hosts may have here
 */
public record SessionHostSettings(
    boolean sandboxRequired,
    Path cacheDir,
    long cacheBytes,
    long heapBytes,
    int sessionLimit,
    long memoryBytes,
    long processBytes,
    ImmutableList<Path> devices,
    ImmutableList<Path> implementations,
    Path java,
    ImmutableList<Path> modulePath,
    ForeignSettings foreign) {
  /**
   * Of a process' memory, what is left for its libraries when nothing is said: compilers, above.
   */
  static final long LIBRARY_BYTES = 4L << 30;
}
