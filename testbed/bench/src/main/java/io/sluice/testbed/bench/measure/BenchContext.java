package io.sluice.testbed.bench.measure;

import io.sluice.abi.sys.Kernel;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The surroundings of a bench.
 *
 * @param kernel system calls
 * @param directory an empty directory for sockets
 * @param peer another vfio-user server, or the directory of another remoting, to compare with
 * @param peerRegion region of the peer that takes a read of four bytes at offset 0
 * @param peerPid process of the peer, to put it on the same core
 * @param devices device files that session hosts may use, with {@code :} between them; empty for
 *     none
 * @param longRun whether to take ten times as many samples
 * @param plots where plots are written; empty for none
 * @param log where progress goes
 */
public record BenchContext(
    Kernel kernel,
    Path directory,
    Optional<Path> peer,
    int peerRegion,
    OptionalLong peerPid,
    String devices,
    boolean longRun,
    Optional<Path> plots,
    PrintStream log) {
  /** A number of samples. */
  public int samples(int usual) {
    return longRun ? 10 * usual : usual;
  }
}
