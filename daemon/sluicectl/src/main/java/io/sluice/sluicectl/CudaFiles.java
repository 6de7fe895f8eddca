package io.sluice.sluicectl;

import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The places of what starts a CUDA program: the launcher, and the library that it puts before it.
 */
final class CudaFiles {
  static final String LAUNCHER = "sluice-cuda-run";
  static final String LIBRARY = "libsluice-cuda.so";

  private static final String VARIABLE = "SLUICE_CUDA_DIR";
  private static final Path INSTALLED = Path.of("/usr/lib/sluice");
  private static final String FIX =
      "build it with ./sluice build, which needs gcc and make, or name it with --";

  private final List<Path> directories;

  private CudaFiles(List<Path> directories) {
    this.directories = directories;
  }

  /**
   * Where they are looked for: the directory of the environment, the one beside the jars, the one
   * of a package.
   *
   * @param jars this program's jar, or directory of classes; null when that is not known
   */
  static CudaFiles of(Map<String, String> environment, @Nullable Path jars) {
    List<Path> directories = new ArrayList<>();
    String named = environment.getOrDefault(VARIABLE, "");
    if (!named.isEmpty()) {
      directories.add(Path.of(named));
    }
    Path beside = jars == null ? null : jars.getParent();
    if (beside != null) {
      directories.add(beside.resolveSibling("cuda"));
    }
    directories.add(INSTALLED);
    return new CudaFiles(List.copyOf(directories));
  }

  /** Where the classes of this program come from. */
  static @Nullable Path jars() {
    CodeSource source = CudaFiles.class.getProtectionDomain().getCodeSource();
    try {
      return source == null ? null : pathOf(source.getLocation().toURI());
    } catch (URISyntaxException _) {
      return null;
    }
  }

  private static @Nullable Path pathOf(URI place) {
    return "file".equals(place.getScheme()) ? Path.of(place) : null;
  }

  /** The launcher, which is the one that was named, if one was. */
  Path launcher(@Nullable Path named) {
    return find("launcher", LAUNCHER, named, Files::isExecutable);
  }

  /** The library. */
  Path library(@Nullable Path named) {
    return find("library", LIBRARY, named, Files::isReadable);
  }

  private Path find(String what, String file, @Nullable Path named, Predicate<Path> usable) {
    List<Path> places =
        named == null
            ? directories.stream().map(directory -> directory.resolve(file)).toList()
            : List.of(named);
    return places.stream()
        .map(Path::toAbsolutePath)
        .filter(Files::isRegularFile)
        .filter(usable)
        .findFirst()
        .orElseThrow(() -> missing(what, places));
  }

  private static ProblemException missing(String what, List<Path> places) {
    return new ProblemException(
        Problem.of(
            ErrorCode.PROGRAM_FILES,
            "the " + what + " of CUDA programs is not here",
            "looked for " + places.stream().map(Path::toString).collect(Collectors.joining(", ")),
            FIX + what),
        ExitCode.NOT_FOUND);
  }
}
