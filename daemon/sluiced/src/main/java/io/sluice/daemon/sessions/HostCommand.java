package io.sluice.daemon.sessions;

import io.sluice.abi.sys.Kernel;
import io.sluice.daemon.config.SessionHostSettings;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The command that runs a session host: a Java that is small and starts fast, which becomes, once
 * it is confined, the one that serves.
 */
final class HostCommand implements HostStarter {
  private static final Logger LOG = LoggerFactory.getLogger(HostCommand.class);
  private static final String MAIN = "io.sluice.remoting.host/io.sluice.remoting.host.SessionHost";
  private static final String NATIVE =
      "--enable-native-access=io.sluice.abi,io.sluice.remoting.opencl";

  /** Of both; what belongs to whoever may attach to a process, or dump it, is left out. */
  private static final List<String> JAVA =
      List.of(
          "-XX:+UseSerialGC",
          "-XX:-UsePerfData",
          "-XX:+DisableAttachMechanism",
          "-XX:-CreateCoredumpOnCrash",
          "-XX:+ErrorFileToStderr",
          "--illegal-native-access=deny",
          NATIVE);

  private static final List<String> FAST = List.of("-Xmx32m", "-XX:TieredStopAtLevel=1");

  private final Kernel kernel;
  private final SessionHostSettings settings;
  private final Path control;
  private final Path cache;
  private final Optional<Path> implementation;

  /**
   * @param control where it connects to the daemon
   * @param guest whose it is
   */
  HostCommand(Kernel kernel, SessionHostSettings settings, Path control, String guest) {
    this(kernel, settings, control, settings.cacheDir().resolve(guest), Optional.empty());
  }

  private HostCommand(
      Kernel kernel,
      SessionHostSettings settings,
      Path control,
      Path cache,
      Optional<Path> implementation) {
    this.kernel = kernel;
    this.settings = settings;
    this.control = control;
    this.cache = cache;
    this.implementation = implementation;
  }

  /** The same with another OpenCL, which is in a directory. */
  HostCommand with(Path directory) {
    // What one implementation keeps there, another may misread.
    Path other = cache.resolveSibling(cache.getFileName() + "@" + directory.getFileName());
    return new HostCommand(kernel, settings, control, other, Optional.of(directory));
  }

  /**
   * Removes what its processes have kept; none of them runs any more. However much it is, that does
   * not take long: {@link CacheLimit} has what is left to do.
   */
  void removeCache() {
    try {
      int _ = new RemovedFiles(kernel, CacheLimit.removed(settings.cacheDir())).take(cache);
      Files.delete(cache);
    } catch (NoSuchFileException _) {
      // it was never started
    } catch (IOException e) {
      LOG.atWarn().addKeyValue("directory", cache).setCause(e).log("a host's directory stays");
    }
  }

  @Override
  public Process start() throws IOException {
    Files.createDirectories(
        cache, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    ProcessBuilder builder =
        new ProcessBuilder(words())
            .directory(cache.toFile())
            .redirectInput(Redirect.from(new File("/dev/null")))
            .redirectOutput(Redirect.DISCARD);
    // It needs none of the daemon's, which may hold what is nobody's business.
    builder.environment().clear();
    return builder.start();
  }

  /** The command, word by word. */
  List<String> words() {
    List<String> words = new ArrayList<>();
    words.add(settings.java().toString());
    words.addAll(JAVA);
    words.addAll(FAST);
    words.add("--module-path");
    words.add(settings.modulePath().stream().map(Path::toString).collect(Collectors.joining(":")));
    words.add("--module");
    words.add(MAIN);
    words.add("--control=" + control);
    words.add("--cache=" + cache);
    words.add("--memory=" + settings.processBytes());
    words.add("--sandbox=" + (settings.sandboxRequired() ? "required" : "best-effort"));
    implementation.ifPresent(directory -> words.add("--implementation=" + directory));
    settings.devices().forEach(device -> words.add("--device=" + device));
    JAVA.forEach(option -> words.add("--java-option=" + option));
    words.add("--java-option=-Xmx" + (settings.heapBytes() >> 20) + "m");
    words.add("--java-option=-XX:+ExitOnOutOfMemoryError");
    return words;
  }
}
