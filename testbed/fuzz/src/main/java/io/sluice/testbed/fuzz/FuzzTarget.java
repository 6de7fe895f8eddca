package io.sluice.testbed.fuzz;

import java.util.List;
import java.util.stream.Stream;

/** The fuzz targets: methods of test classes, each beside the code it is about. */
public enum FuzzTarget {
  // spotless:off
  MESSAGES("messages", "vdevice", "vdevice.protocol.RequestDecoderFuzzTest", "body"),
  VERSION("version", "vdevice", "vdevice.protocol.VersionDataFuzzTest", "json"),
  STREAM("stream", "vdevice", "vdevice.MessageStreamFuzzTest", "stream"),
  CONVERSATION("conversation", "vdevice", "vdevice.RandomConversationTest", "conversation"),
  DMA("dma", "vdevice", "vdevice.DmaSequenceFuzzTest", "sequence"),
  SLOTS("slots", "vdevice", "vdevice.CallSlotsFuzzTest", "rewritten"),
  PUSHBUFFER("pushbuffer", "gpu-model", "gpu.HostileStreamTest", "stream"),
  PROGRAM("program", "gpu-model", "gpu.sm.ProgramFuzzTest", "program"),
  CUBIN("cubin", "testbed/workloads", "testbed.workloads.cubin.CubinFuzzTest", "file"),
  RECORDS("records", "channel-manager", "channel.record.RecordFuzzTest", "payload"),
  RELAY("relay", "channel-manager", "channel.nvidia.relay.RelayFuzzTest", "calls"),
  WIRE("wire", "migrator", "migrate.wire.WireCodecFuzzTest", "connection"),
  FRAMES("frames", "migrator", "migrate.engine.FrameFuzzTest", "frame"),
  STATE("state", "migrator", "migrate.engine.FrameFuzzTest", "state"),
  PAGES("pages", "migrator", "migrate.memory.PageFrameFuzzTest", "pages"),
  MACHINE("machine", "migrator", "migrate.session.SessionMessagesFuzzTest", "message"),
  CHECKPOINT("checkpoint", "migrator", "migrate.checkpoint.CheckpointFuzzTest", "file"),
  QMP("qmp", "migrator", "migrate.qmp.QmpFuzzTest", "replies"),
  RING("ring", "api-remoting/session", "remoting.session.SubmissionRingFuzzTest", "ring"),
  SESSION_STATE("session-state", "api-remoting/session", "remoting.state.StateCodecFuzzTest", "frame"),
  TOML("toml", "daemon/sluiced", "daemon.config.TomlFuzzTest", "file"),
  SETTING("setting", "daemon/sluiced", "daemon.config.TomlFuzzTest", "setting"),
  COMMAND_LINE("command-line", "daemon/sluicectl", "sluicectl.CommandLineFuzzTest", "line");
  // spotless:on

  private final String label;
  private final String module;
  private final String className;
  private final String method;

  FuzzTarget(String label, String module, String className, String method) {
    this.label = label;
    this.module = module;
    this.className = "io.sluice." + className;
    this.method = method;
  }

  /** What it is called on the command line. */
  public String label() {
    return label;
  }

  /** The directory of its module. */
  public String module() {
    return module;
  }

  /** Its class. */
  public String className() {
    return className;
  }

  /** Its method. */
  public String method() {
    return method;
  }

  /** Those of some labels, or all. */
  static List<FuzzTarget> of(List<String> labels) {
    List<FuzzTarget> all = List.of(values());
    if (labels.isEmpty()) {
      return all;
    }
    return labels.stream().flatMap(FuzzTarget::of).toList();
  }

  private static Stream<FuzzTarget> of(String label) {
    return Stream.of(
        Stream.of(values())
            .filter(target -> target.label.equals(label))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("there is no target " + label)));
  }
}
