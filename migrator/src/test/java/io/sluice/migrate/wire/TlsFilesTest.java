package io.sluice.migrate.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.abi.RefusedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of certificates, looked at before any other host is called. */
final class TlsFilesTest {
  @TempDir private Path dir;

  @SuppressWarnings("NullAway.Init")
  private Certificates certificates;

  @BeforeEach
  void issue() throws Exception {
    certificates = new Certificates(dir);
  }

  @Test
  void check_filesThatBelongTogether_saysUntilWhen() throws Exception {
    Instant end = Instant.now().plus(Duration.ofHours(1)).truncatedTo(ChronoUnit.SECONDS);
    assertThat(certificates.of("a", "a", end).check().until()).isEqualTo(end);
  }

  @Test
  void check_expired_saysSinceWhen() throws Exception {
    Instant end = Instant.now().minus(Duration.ofHours(1)).truncatedTo(ChronoUnit.SECONDS);
    assertThat(certificates.of("a", "a", end).check().until()).isEqualTo(end);
  }

  /** The riddle that this was: "internal error" at the other side, at the first move. */
  @Test
  void check_keyOfAnotherHost_isRefusedWithBothNames() throws Exception {
    TlsFiles a = certificates.of("a", "a");
    TlsFiles b = certificates.of("b", "b");

    assertRefused(
        new TlsFiles(a.certificate(), b.key(), a.authority()),
        "cannot use key " + b.key() + ": it is not the key of certificate " + a.certificate());
  }

  @Test
  void check_fileThatIsMissingOrSomethingElse_isNamed() throws Exception {
    TlsFiles a = certificates.of("a", "a");
    Path none = dir.resolve("none");
    Path text = Files.writeString(dir.resolve("text"), "no certificate");

    assertRefused(
        new TlsFiles(none, a.key(), a.authority()),
        "cannot use certificate " + none + ": there is no such file");
    assertRefused(
        new TlsFiles(a.certificate(), none, a.authority()),
        "cannot use key " + none + ": there is no such file");
    assertRefused(
        new TlsFiles(a.certificate(), text, a.authority()), "has no unencrypted PKCS#8 key");
    assertRefused(
        new TlsFiles(a.certificate(), a.key(), none),
        "cannot use authority " + none + ": there is no such file");
  }

  private static void assertRefused(TlsFiles files, String what) {
    assertThatThrownBy(files::check)
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining(what)
        .hasMessageContaining("SLU-NET-008");
  }
}
