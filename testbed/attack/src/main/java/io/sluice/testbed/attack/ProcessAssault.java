package io.sluice.testbed.attack;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** An attack by {@link Attacker}. */
final class ProcessAssault implements Assault {
  private final Process process;
  private final BufferedReader said;

  /** Begins when the process has said so. */
  ProcessAssault(Process process) throws IOException {
    this.process = process;
    said = process.inputReader(StandardCharsets.UTF_8);
    System.out.println(said.readLine());
  }

  @Override
  public List<ProcessHandle> processes() {
    return List.of(process.toHandle());
  }

  @Override
  public Optional<String> stop() throws IOException, InterruptedException {
    process.outputWriter(StandardCharsets.UTF_8).close();
    String last = "";
    for (String line = said.readLine(); line != null; line = said.readLine()) {
      last = line;
      System.out.println(line);
    }
    return process.waitFor() == 0 && last.contains(" over, ")
        ? Optional.empty()
        : Optional.of("the attacker itself failed: " + last);
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
