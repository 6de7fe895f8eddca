package io.sluice.daemon.config;

import io.sluice.channel.SlotLimits;
import io.sluice.quota.Quota;
import io.sluice.vdevice.dma.MapLimits;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;

/**
 * A guest to serve.
 *
 * @param name its name
 * @param uuid its identity
 * @param gpu name of its GPU
 * @param socket where its machine or process attaches
 * @param qmp where the monitor of its machine is, if it is a machine
 * @param quota what it may have of its GPU
 * @param slots most channels and address spaces it may have
 * @param maps most memory it may have mapped; {@link #HOST_MEMORY}
 * @param programs which of its programs need no device of it
 */
public record GuestSettings(
    String name,
    UUID uuid,
    String gpu,
    Path socket,
    Path qmp,
    Quota quota,
    SlotLimits slots,
    MapLimits maps,
    ProgramSettings programs) {
  /** Bytes of {@link #maps} that stand for as many as the host has. */
  public static final long HOST_MEMORY = 0;

  /** Limits of a guest that is created at run time. */
  public static final MapLimits DEFAULT_MAPS = new MapLimits(HOST_MEMORY, MapLimits.MAX_MAPS);

  /** What another guest has that may have the same. */
  public GuestSettings of(
      String newName, UUID newUuid, Path newSocket, Path newQmp, Quota newQuota) {
    return new GuestSettings(
        newName, newUuid, gpu, newSocket, newQmp, newQuota, slots, maps, programs);
  }

  /** Whether its applications are given sessions of OpenCL. */
  public boolean openCl() {
    return programs.openCl();
  }

  /** Where applications connect for sessions of APIs. */
  public Path apiSocket() {
    return socket.resolveSibling(socket.getFileName() + ".api");
  }

  /** Where CUDA programs connect. */
  public Path cudaSocket() {
    return socket.resolveSibling(socket.getFileName() + ".cuda");
  }

  /** Whether a text can name a guest. */
  public static boolean isName(String text) {
    return ValueType.GUEST_NAME.parse().apply(text).isPresent();
  }

  /** What a name may be made of. */
  public static String nameRule() {
    return ValueType.GUEST_NAME.expects();
  }

  /** Where a guest's socket is unless said otherwise. */
  public static Path defaultSocket(Path runDir, String name) {
    return runDir.resolve(name + ".sock");
  }

  /**
   * Where the monitor of a guest's machine is unless said otherwise.
   *
   * @param guestGroup whose members make monitors; empty for nobody
   */
  public static Path defaultQmp(Path runDir, String guestGroup, String name) {
    Path directory = guestGroup.isEmpty() ? runDir : monitors(runDir);
    return directory.resolve(name + ".qmp");
  }

  /** Where members of the guests' group make monitors. */
  public static Path monitors(Path runDir) {
    return runDir.resolve("machines");
  }

  /** The identity of a guest that stands in the configuration without one. */
  static UUID derivedUuid(String name) {
    return UUID.nameUUIDFromBytes(("sluice guest " + name).getBytes(StandardCharsets.UTF_8));
  }

  /** A path as the daemon's operations take it. */
  public static Optional<Path> parsePath(String text) {
    return ValueType.PATH.parse().apply(text);
  }
}
