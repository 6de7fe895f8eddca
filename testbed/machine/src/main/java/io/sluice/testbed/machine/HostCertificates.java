package io.sluice.testbed.machine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** An authority and certificates of hosts, made with openssl as docs/migration.md says. */
public final class HostCertificates {
  private static final int SECONDS = 30;

  private final Path directory;

  /**
   * @param directory for the files
   */
  public HostCertificates(Path directory) throws IOException, InterruptedException {
    this.directory = directory;
    shell(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
            + " -subj '/CN=sluice migration' -keyout authority.key -out authority.crt");
  }

  /**
   * Makes a host's certificate and key, and puts them and the authority's certificate somewhere.
   *
   * @param address by which others call it
   */
  public void issue(String host, String address, Path into)
      throws IOException, InterruptedException {
    issueFor(host, "DNS:" + host + ",IP:" + address, into);
  }

  /** As {@link #issue(String, String, Path)}, for a host that is only called by its name. */
  public void issue(String host, Path into) throws IOException, InterruptedException {
    issueFor(host, "DNS:" + host, into);
  }

  private void issueFor(String host, String names, Path into)
      throws IOException, InterruptedException {
    Files.writeString(directory.resolve(host + ".ext"), "subjectAltName=" + names + "\n");
    shell(
        ("openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=HOST"
                + " -keyout HOST.key -out HOST.csr"
                + " && openssl x509 -req -in HOST.csr -CA authority.crt -CAkey authority.key"
                + " -CAcreateserial -days 2 -extfile HOST.ext -out HOST.crt")
            .replace("HOST", host));
    Files.copy(directory.resolve(host + ".crt"), into.resolve("host.crt"));
    Files.copy(directory.resolve(host + ".key"), into.resolve("host.key"));
    Files.copy(directory.resolve("authority.crt"), into.resolve("authority.crt"));
  }

  private void shell(String command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder("sh", "-c", command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new IOException("openssl: " + said);
    }
  }

  /** The section of a configuration. */
  public static String configuration(Path files, String listen) {
    return "[migration]\n"
        + (listen.isEmpty() ? "" : "listen = \"" + listen + "\"\n")
        + "certificate = \""
        + files.resolve("host.crt")
        + "\"\nkey = \""
        + files.resolve("host.key")
        + "\"\nauthority = \""
        + files.resolve("authority.crt")
        + "\"\n";
  }
}
