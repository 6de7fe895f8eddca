package io.sluice.daemon.config;

import com.google.common.collect.ImmutableList;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The loader, which merges the sources, the later over the earlier: defaults, the file, {@code
 * conf.d/*.toml} beside it in the order of their names, the environment, flags.
 */
public final class ConfigLoader {
  private final Map<String, String> environment;
  private final Map<String, String> flags;

  /**
   * @param environment the process' environment
   * @param flags dotted keys and values of {@code --set}
   */
  public ConfigLoader(Map<String, String> environment, Map<String, String> flags) {
    this.environment = environment;
    this.flags = flags;
  }

  /** Without a file. */
  public DaemonConfig load() throws ConfigException {
    return merge(null, false);
  }

  /** With a file, which must exist. */
  public DaemonConfig load(Path file) throws ConfigException {
    return merge(file.toAbsolutePath().normalize(), true);
  }

  /** With a file that need not exist; {@code conf.d} beside it is read all the same. */
  public DaemonConfig loadIfThere(Path file) throws ConfigException {
    return merge(file.toAbsolutePath().normalize(), false);
  }

  private DaemonConfig merge(@Nullable Path file, boolean required) throws ConfigException {
    Draft draft = new Draft();
    boolean there = file != null && (required || Files.exists(file));
    if (file != null) {
      if (there) {
        new TomlSource(file, draft).read();
      }
      for (Path part : parts(file, draft)) {
        new TomlSource(part, draft).read();
      }
    }
    TextSources.environment(environment, draft);
    TextSources.flags(flags, draft);
    DaemonConfig config = new Resolver(draft).resolve(there ? file : null);
    if (!draft.errors().isEmpty()) {
      throw new ConfigException(draft.errors());
    }
    return config;
  }

  private static List<Path> parts(Path file, Draft draft) {
    Path directory = file.resolveSibling("conf.d");
    if (!Files.isDirectory(directory)) {
      return ImmutableList.of();
    }
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, "*.toml")) {
      entries.forEach(found::add);
    } catch (IOException e) {
      draft.error(
          ConfigCode.UNREADABLE, new Origin(directory.toString()), "cannot be read: " + e, "");
    }
    Collections.sort(found);
    return found;
  }
}
