package io.sluice.remoting.host;

import io.sluice.abi.sandbox.FilterStep;
import io.sluice.abi.sandbox.SandboxKernel;
import io.sluice.abi.sys.Fd;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A kernel with some version of Landlock that confines nothing and remembers what was asked. */
final class RecordingSandboxKernel implements SandboxKernel {
  private final int version;
  private final List<String> made = new ArrayList<>();
  private final List<Long> allowed = new ArrayList<>();
  private long files;
  private long ports;
  private long scopes;

  RecordingSandboxKernel(int version) {
    this.version = version;
  }

  List<String> made() {
    return made;
  }

  List<Long> allowed() {
    return allowed;
  }

  long files() {
    return files;
  }

  long ports() {
    return ports;
  }

  long scopes() {
    return scopes;
  }

  @Override
  public void leadGroup() {
    made.add("leadGroup");
  }

  @Override
  public void killGroup(long leader) {
    made.add("killGroup " + leader);
  }

  @Override
  public void limitMemory(long bytes) {
    made.add("limitMemory " + bytes);
  }

  @Override
  public void halveOpenFiles() {
    made.add("halveOpenFiles");
  }

  @Override
  public void becomeOutput(Fd fd) {
    made.add("becomeOutput");
  }

  @Override
  public void forbidNewPrivileges() {
    made.add("forbidNewPrivileges");
  }

  @Override
  public void dropCapabilities() {
    made.add("dropCapabilities");
  }

  @Override
  public int landlockVersion() {
    made.add("landlockVersion");
    return version;
  }

  @Override
  public Fd createRuleset(int known, long handledFiles, long handledPorts, long handledScopes) {
    made.add("createRuleset");
    files = handledFiles;
    ports = handledPorts;
    scopes = handledScopes;
    return new Fd(0, _ -> {});
  }

  @Override
  public void allowBeneath(Fd ruleset, Fd path, long access) {
    allowed.add(access);
  }

  @Override
  public void restrictSelf(Fd ruleset) {
    made.add("restrictSelf");
  }

  @Override
  public void filterCalls(List<FilterStep> filter) {
    made.add("filterCalls");
  }

  @Override
  public void exec(
      Path program, List<String> arguments, Map<String, String> environment, List<Fd> kept) {
    made.add("exec " + program);
  }
}
