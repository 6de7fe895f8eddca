package io.sluice.sluicectl;

import io.sluice.management.local.LocalConnection;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import picocli.CommandLine;

/** The content of a bundle for somebody who helps: what this program prints, a file for each. */
final class DiagBundle {
  /** Files and the commands whose output they have. */
  private static final Map<String, String> FILES =
      Map.ofEntries(
          Map.entry("version.json", "version"),
          Map.entry("daemon.json", "daemon status"),
          Map.entry("check.json", "daemon check"),
          Map.entry("configuration.json", "daemon config"),
          Map.entry("gpus.json", "gpu list"),
          Map.entry("guests.json", "guest list"),
          Map.entry("quotas.json", "quota show"),
          Map.entry("channels.json", "channel list"),
          Map.entry("interrupts.json", "irq show"),
          Map.entry("migrations.json", "migration status"),
          Map.entry("sessions.json", "session list"),
          Map.entry("programs.json", "program list"));

  private static final List<String> JOURNAL =
      List.of("journalctl", "--unit=sluiced", "--no-pager", "--lines=5000");
  private static final int MOST_OF_LOG = 16 << 20;
  private static final long LOG_PATIENCE_S = 30;

  private final GlobalOptions global;

  DiagBundle(GlobalOptions global) {
    this.global = global;
  }

  void write(OutputStream out) throws IOException {
    try (ZipOutputStream zip = new ZipOutputStream(out)) {
      for (String file : FILES.keySet().stream().sorted().toList()) {
        command(zip, file, FILES.getOrDefault(file, ""));
      }
      for (String guest : guests()) {
        command(zip, "guests/" + guest + ".json", "guest show " + guest);
        command(zip, "reports/" + guest + ".json", "migration report " + guest);
      }
      entry(zip, "host.txt", host());
      entry(zip, "log.txt", log());
    }
  }

  /** What a command prints, or why it does not. */
  private void command(ZipOutputStream zip, String file, String command) throws IOException {
    List<String> words = new ArrayList<>(List.of(command.split(" ")));
    words.addAll(List.of("--format", "json", "--socket", global.socket().toString()));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = SluiceCtl.commandLine(Map.of(), words);
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    int _ = line.execute(words.toArray(new String[0]));
    if (!out.toString().isEmpty()) {
      entry(zip, file, out.toString());
    }
    if (!err.toString().isEmpty()) {
      entry(zip, file + ".error.txt", err.toString());
    }
  }

  private List<String> guests() {
    try (LocalConnection connection = global.connect()) {
      return List.copyOf(connection.daemon().getGuests().keySet());
    } catch (IOException | RuntimeException _) {
      return List.of(); // the other files say why
    }
  }

  private static String host() {
    StringBuilder text = new StringBuilder();
    for (String name :
        List.of("os.name", "os.version", "os.arch", "java.vm.name", "java.vm.version")) {
      text.append(name).append(' ').append(System.getProperty(name, "")).append('\n');
    }
    return text.append("processors ")
        .append(Runtime.getRuntime().availableProcessors())
        .append('\n')
        .toString();
  }

  /** Of a daemon that systemd runs; whoever runs it otherwise knows where its log is. */
  private static String log() {
    Process process = null;
    try {
      process =
          new ProcessBuilder(JOURNAL)
              .redirectInput(Path.of("/dev/null").toFile())
              .redirectErrorStream(true)
              .start();
      byte[] text = process.getInputStream().readNBytes(MOST_OF_LOG);
      boolean _ = process.waitFor(LOG_PATIENCE_S, TimeUnit.SECONDS);
      return new String(text, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "no log: " + e.getMessage() + "\n";
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return "interrupted\n";
    } finally {
      if (process != null) {
        process.destroyForcibly();
      }
    }
  }

  private static void entry(ZipOutputStream zip, String name, String text) throws IOException {
    zip.putNextEntry(new ZipEntry(name));
    zip.write(text.getBytes(StandardCharsets.UTF_8));
    zip.closeEntry();
  }
}
