package io.sluice.daemon.sessions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.google.common.io.MoreFiles;
import io.sluice.abi.sys.Kernel;
import io.sluice.abi.sys.RealKernel;
import io.sluice.testbed.checks.StandIn;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is removed of what session hosts keep. */
final class CacheLimitTest {
  private static final int KIB = 1024;
  private static final Kernel KERNEL = RealKernel.create();

  @TempDir private Path dir;

  @SuppressWarnings("NullAway.Init")
  private Path caches;

  @BeforeEach
  void make() throws IOException {
    caches = Files.createDirectories(dir.resolve("caches"));
  }

  private Path file(String path, int bytes, long changedMs) throws IOException {
    Path file = caches.resolve(path);
    Path _ = Files.createDirectories(file.getParent());
    Path _ = Files.write(file, new byte[bytes]);
    return Files.setLastModifiedTime(file, FileTime.fromMillis(changedMs));
  }

  private void enforce(long bytes) {
    new CacheLimit(KERNEL, caches, bytes).enforce();
  }

  @Test
  void enforce_directoryThatIsNotThere_doesNothing() {
    new CacheLimit(KERNEL, dir.resolve("none"), 1).enforce();

    assertThat(dir.resolve("none")).doesNotExist();
  }

  @Test
  void enforce_belowTheLimit_removesNothing() throws IOException {
    Path old = file("web/a/x.so", 40 * KIB, 1);

    enforce(128 * KIB);

    assertThat(old).exists();
  }

  @Test
  void enforce_beyondTheLimit_removesTheOldestOfThatHostAlone() throws IOException {
    Path oldest = file("web/a/old.so", 64 * KIB, 1);
    Path newer = file("web/b/new.so", 32 * KIB, System.currentTimeMillis());
    Path other = file("other/c/old.so", 64 * KIB, 1);

    enforce(100 * KIB);

    assertThat(oldest).doesNotExist();
    assertThat(newer).exists();
    assertThat(other).exists();
  }

  @Test
  void enforce_filesWithoutBytes_countToo() throws IOException {
    for (int i = 0; i < 100; i++) {
      Path _ = file("web/" + i, 0, i + 1);
    }

    enforce(64 * KIB);

    try (Stream<Path> left = Files.list(caches.resolve("web"))) {
      assertThat(left.count()).isBetween(4L, 16L);
    }
    assertThat(caches.resolve("web/99")).exists();
  }

  @Test
  void enforce_linkToElsewhere_isNotFollowed() throws IOException {
    Path outside =
        Files.write(Files.createDirectory(dir.resolve("outside")).resolve("f"), new byte[64 * KIB]);
    Path _ = Files.setLastModifiedTime(outside, FileTime.fromMillis(1));
    Path _ = Files.createDirectory(caches.resolve("web"));
    Path _ = Files.createSymbolicLink(caches.resolve("web/link"), outside.getParent());
    Path _ = Files.createSymbolicLink(caches.resolve("host"), outside.getParent());
    Path _ = file("web/big", 64 * KIB, 1);

    enforce(4 * KIB);

    assertThat(outside).exists();
    assertThat(caches.resolve("web/big")).doesNotExist();
    assertThat(caches.resolve("web")).as("the host's own directory").exists();
  }

  /** A host that is quick, at the moment at which a directory is opened. */
  private Kernel before(Path opened, Callable<?> does) {
    return StandIn.of(
        Kernel.class,
        KERNEL,
        call -> {
          if (call.is("open") && call.argument(0, Path.class).equals(opened)) {
            Object _ = does.call();
          }
          return call.pass();
        });
  }

  private Path becomesALink(Path directory, Path to) throws IOException {
    Path _ = Files.move(directory, dir.resolve("moved"));
    return Files.createSymbolicLink(directory, to);
  }

  @Test
  void enforce_directoryThatBecomesALinkMeanwhile_nothingIsRemovedWhereItLeads()
      throws IOException {
    Path directory = Files.createDirectory(dir.resolve("outside"));
    Path outside = Files.write(directory.resolve("f"), new byte[KIB]);
    Path _ = file("web/a/b/f", 64 * KIB, 1);
    Path inside = caches.resolve("web/a/b");
    Kernel kernel = before(caches.resolve("web"), () -> becomesALink(inside, directory));

    new CacheLimit(kernel, caches, 4 * KIB).enforce();

    assertThat(dir.resolve("moved/f")).as("the host was quick").exists();
    assertThat(outside).exists();
  }

  @Test
  void take_directoryThatBecomesALinkMeanwhile_nothingIsAllowedWhereItLeads() throws IOException {
    Path outside = Files.createDirectory(dir.resolve("outside"));
    Set<PosixFilePermission> denied = PosixFilePermissions.fromString("r-x------");
    Path _ = Files.setPosixFilePermissions(outside, denied);
    Path inside = Files.createDirectories(caches.resolve("web/d"));
    Kernel kernel = before(inside, () -> becomesALink(inside, outside));

    RemovedFiles removed = new RemovedFiles(kernel, CacheLimit.removed(caches));
    int taken = removed.take(caches.resolve("web"));

    assertThat(taken).isEqualTo(1);
    assertThat(inside).as("the host was quick").isSymbolicLink();
    assertThat(Files.getPosixFilePermissions(outside)).isEqualTo(denied);
  }

  /** What is below would not be seen, and its path is none that the kernel takes. */
  @Test
  void enforce_filesTooDeepToBeSeen_areRemoved() throws IOException {
    int levels = 60;
    String level = "/" + "d".repeat(50);
    Path inner = caches.resolve("inner");
    Path deep = Files.createDirectories(Path.of(inner + level.repeat(levels)));
    Path _ = Files.write(deep.resolve("big"), new byte[64 * KIB]);
    Path outer = Files.createDirectories(Path.of(caches + "/web" + level.repeat(levels)));
    Path _ = Files.move(inner, outer.resolve("inner"));
    Path other = file("other/x", KIB, 1);

    enforce(128 * KIB);

    try (Stream<Path> left = Files.list(caches.resolve("web"))) {
      assertThat(left).isEmpty();
    }
    try (Stream<Path> left = Files.list(caches.resolve(".removed"))) {
      assertThat(left).isEmpty();
    }
    assertThat(other).exists();
  }

  @Test
  void enforce_directoryThatIsNotToBeRead_isRemoved() throws IOException {
    Path hidden = file("web/a/b/big", 64 * KIB, 1).getParent();
    Path _ = Files.setPosixFilePermissions(hidden, Set.of());
    assumeThat(Files.isReadable(hidden)).as("to root all is").isFalse();
    Path other = file("zeb/x", 64 * KIB, 1);

    enforce(32 * KIB);

    assertThat(caches.resolve("web/a")).doesNotExist();
    assertThat(other).as("of the next host").doesNotExist();
  }

  /** Together they are more than a number holds. */
  @Test
  void enforce_sizesThatOverflow_areTooMuch() throws IOException {
    Path shm = Path.of("/dev/shm");
    assumeThat(Files.isWritable(shm)).isTrue();
    Path all = Files.createTempDirectory(shm, "sluice-cache-limit");
    try {
      Path web = Files.createDirectory(all.resolve("web"));
      for (int i = 0; i < 4; i++) {
        try (RandomAccessFile sparse = new RandomAccessFile(web.resolve("f" + i).toFile(), "rw")) {
          sparse.setLength(1L << 62);
        }
      }
      new CacheLimit(KERNEL, all, 32 * KIB).enforce();
      try (Stream<Path> left = Files.list(web)) {
        assertThat(left).isEmpty();
      }
    } finally {
      MoreFiles.deleteRecursively(all);
    }
  }
}
