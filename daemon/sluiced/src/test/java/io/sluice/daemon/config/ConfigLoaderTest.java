package io.sluice.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.sluice.channel.SlotLimits;
import io.sluice.management.Setting;
import io.sluice.quota.BeyondShare;
import io.sluice.quota.Quota;
import io.sluice.vdevice.LogRate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class ConfigLoaderTest {
  @TempDir private Path dir;
  private Path file;

  @BeforeEach
  void chooseFile() {
    file = dir.resolve("sluice.toml");
  }

  // ---- what is wrong ----

  /** A file, and the error it gives, with {@code FILE} for its name. */
  static List<Wrong> wrongFiles() {
    return List.of(
        wrong("[daemon\n", "FILE:1:8: ", "[SLU-CONFIG-002]"),
        wrong("a = 1\n", "FILE:1:1: unknown section \"a\"; there are daemon", "[SLU-CONFIG-003]"),
        wrong("[deamon]\n", "FILE:1:1: unknown section \"deamon\"; did you mean \"daemon\"?"),
        wrong(
            "[daemon]\nrun-dri = \"/x\"\n",
            "FILE:2:1: unknown key of [daemon] \"run-dri\"; did you mean \"run-dir\"? [SLU"),
        wrong("[daemon]\nrun-dir = 5\n", "FILE:2:1: run-dir takes an absolute path; write it in"),
        wrong(
            "[daemon]\nrun-dir = \"x\"\n",
            "FILE:2:1: \"x\" is no value of run-dir; it takes an absolute path [SLU-CONFIG-004]"),
        wrong("daemon = 5\n", "FILE:1:1: daemon is a section; write [daemon] [SLU-CONFIG-004]"),
        wrong("gpu = 5\n", "FILE:1:1: gpu holds a section for each GPU"),
        wrong("guest = 5\n", "FILE:1:1: each guest is a table of its own; write [[guest]]"),
        wrong(
            "[sessions]\naccept-from = \"kvm-a\"\n",
            "FILE:1:1: [sessions] accept-from without [migration] listen; add listen, or remove"),
        wrong(
            "[sessions]\naccept-from = \"kvm a, b\"\n",
            "FILE:2:1: \"kvm a, b\" is no value of accept-from; it takes names or addresses of"),
        wrong("[sessions]\naccept-from = \"\"\n", "\"\" is no value of accept-from"),
        wrong("[sessions]\naccept-from = \"a,,b\"\n", "\"a,,b\" is no value of accept-from"),
        wrong("[sessions]\nforeign-guest-limit = \"0\"\n", "no value of foreign-guest-limit"),
        wrong("[sessions]\nforeign-guest-limit = \"65\"\n", "no value of foreign-guest-limit"),
        wrong("[sessions]\nforeign-session-limit = \"0\"\n", "value of foreign-session-limit"),
        wrong("[sessions]\nforeign-memory-limit = \"1\"\n", "value of foreign-memory-limit"),
        wrong("[log]\nlevel = \"loud\"\n", "\"loud\" is no value of level; it takes one of error,"),
        wrong(
            "[gpu.embedded]\nvram = \"1.6GB\"\n",
            "FILE:2:1: \"1.6GB\" is no value of vram; it takes a size of 16MiB to 64GiB in"
                + " multiples of 128KiB, such as \"512MiB\" [SLU-CONFIG-004]"),
        wrong("[gpu.embedded]\nvram = \"1MiB\"\n", "\"1MiB\" is no value of vram"),
        wrong("[gpu.embedded]\nvram = \"16385KiB\"\n", "\"16385KiB\" is no value of vram"),
        wrong("[gpu.embedded]\nspin = \"1s\"\n", "\"1s\" is no value of spin"),
        wrong(
            "[gpu.embeded]\n",
            "FILE:1:1: [gpu.embeded] has no device; did you mean [gpu.embedded]?"),
        wrong("[gpu.card]\n", "FILE:1:1: [gpu.card] has no device; write device = "),
        wrong("[gpu.embedded]\ndevice = \"/dev/dri/card0\"\n", "unknown key of [gpu.embedded]"),
        wrong("[[guest]]\ngpu = \"embedded\"\n", "FILE:1:1: [[guest]] without a name; add name"),
        wrong("[[guest]]\nname = \"../x\"\n", "\"../x\" is no value of name; it takes 1 to 63 of"),
        wrong(
            "[[guest]]\nname = \"a\"\n[[guest]]\nname = \"a\"\n",
            "FILE:3:1: a second guest \"a\"; the first is at FILE:1:1; rename one"),
        wrong("[[guest]]\nname = \"a\"\ngpu = \"emb\"\n", "FILE:3:1: unknown GPU \"emb\"; there"),
        wrong(
            "[gpu.embedded]\n[gpu.b]\ndevice = \"/dev/dri/card0\"\n[[guest]]\nname = \"a\"\n",
            "FILE:4:1: [[guest]] does not say which GPU; add gpu, one of embedded, b"),
        wrong("[[guest]]\nname = \"a\"\nuuid = \"1-2-3-4-5\"\n", "is no value of uuid"),
        wrong("[[guest]]\nname = \"a\"\nvram-limit = \"2GiB\"\n", "vram-limit 2GiB is more than"),
        wrong(
            "[[guest]]\nname = \"a\"\nvram-min = \"8MiB\"\nvram-limit = \"4MiB\"\n",
            "FILE:3:1: vram-min 8MiB is more than the vram-limit 4MiB; lower one or raise the"),
        wrong(
            "[[guest]]\nname = \"a\"\nvram-min = \"1GiB\"\n"
                + "[[guest]]\nname = \"b\"\nvram-min = \"513MiB\"\n",
            "FILE:6:1: vram-min 513MiB of guest \"b\" does not fit: the guests before it leave"
                + " 512MiB of the 1536MiB of GPU embedded; lower one of them [SLU-CONFIG-005]"),
        wrong(
            "[[guest]]\nname = \"a\"\ncuda = true\n",
            "FILE:3:1: cuda of guest \"a\", whose GPU embedded is none of NVIDIA's driver; give it"
                + " one with device = \"/dev/nvidia0\", or remove cuda [SLU-CONFIG-005]"),
        wrong(
            "[gpu.card]\ndevice = \"/dev/dri/card0\"\n[[guest]]\nname = \"a\"\ncuda = true\n",
            "FILE:5:1: cuda of guest \"a\", whose GPU card is none of NVIDIA's driver"),
        wrong("[[guest]]\nname = \"a\"\ncuda = \"yes\"\n", "\"yes\" is no value of cuda"),
        wrong("[[guest]]\nname = \"a\"\ncuda-programs = \"0\"\n", "no value of cuda-programs"),
        wrong("[[guest]]\nname = \"a\"\ncuda-programs = \"1025\"\n", "value of cuda-programs"),
        wrong(
            "[[guest]]\nname = \"a\"\ncuda-host-memory = \"63MiB\"\n",
            "\"63MiB\" is no value of cuda-host-memory; it takes a size of 64MiB to 64TiB"),
        wrong(
            "[gpu.h100]\ndevice = \"/dev/nvidia0\"\n[[guest]]\nname = \"a\"\ncuda = true\n"
                + "[[guest]]\nname = \"b\"\nsocket = \"/run/sluice/a.sock.cuda\"\n",
            "socket of guest \"b\" is also that of the CUDA socket of guest \"a\""),
        wrong("[[guest]]\nname = \"a\"\nvram-min = \"1B\"\n", "\"1B\" is no value of vram-min"),
        wrong("[[guest]]\nname = \"a\"\nvram-min = \"-1MiB\"\n", "is no value of vram-min"),
        wrong(
            "[[guest]]\nname = \"a\"\nvram-min = \"99999999999TiB\"\n", "is no value of vram-min"),
        wrong(
            "[[guest]]\nname = \"a\"\nweight = \"0\"\n",
            "\"0\" is no value of weight; it takes a whole number of 1 to 1024 [SLU-CONFIG-004]"),
        wrong("[[guest]]\nname = \"a\"\nweight = \"1025\"\n", "\"1025\" is no value of weight"),
        wrong("[[guest]]\nname = \"a\"\nweight = \"-1\"\n", "\"-1\" is no value of weight"),
        wrong("[[guest]]\nname = \"a\"\nweight = \"9999999999\"\n", "is no value of weight"),
        wrong(
            "[[guest]]\nname = \"a\"\nbeyond-share = \"swap\"\n",
            "\"swap\" is no value of beyond-share; it takes out-of-memory or system-memory"),
        wrong("[[guest]]\nname = \"a\"\nkill-timeout = \"0s\"\n", "is no value of kill-timeout"),
        wrong(
            "[[guest]]\nname = \"a\"\nkill-timeout = \"2h\"\n",
            "\"2h\" is no value of kill-timeout; it takes a duration of 10ms to 1h"),
        wrong(
            "[[guest]]\nname = \"a\"\nchannel-limit = \"0\"\n",
            "FILE:3:1: \"0\" is no value of channel-limit; it takes a whole number of 1 to 126"),
        wrong("[[guest]]\nname = \"a\"\nchannel-limit = \"127\"\n", "no value of channel-limit"),
        wrong("[[guest]]\nname = \"a\"\nchannel-limit = \"+5\"\n", "no value of channel-limit"),
        wrong(
            "[[guest]]\nname = \"a\"\naddress-space-limit = \"128\"\n",
            "it takes a whole number of 1 to 127"),
        wrong(
            "[[guest]]\nname = \"a\"\naddress-space-limit = \"99999999999\"\n",
            "no value of address-space-limit"),
        wrong(
            "[[guest]]\nname = \"a\"\nsocket = \"/run/sluice/control\"\n",
            "FILE:3:1: socket of guest \"a\" is also that of the control-socket of the daemon"),
        wrong(
            "[[guest]]\nname = \"migration\"\n",
            "socket of guest \"migration\" is also that of the migration socket of the daemon"),
        wrong(
            "[[guest]]\nname = \"a\"\nsocket = \"/run/" + "x".repeat(103) + "\"\n",
            "socket of guest \"a\" has a path of 108 bytes"),
        wrong(
            "[[guest]]\nname = \"a\"\nuuid = \"5c1f2a0e-7b1d-4f61-9a3c-2f6d0f0e8a11\"\n"
                + "[[guest]]\nname = \"b\"\nuuid = \"5C1F2A0E-7B1D-4F61-9A3C-2F6D0F0E8A11\"\n",
            "FILE:6:1: guests \"a\" and \"b\" have one uuid"));
  }

  /**
   * @param text of the file
   * @param expected parts of the message
   */
  record Wrong(String text, List<String> expected) {}

  private static Wrong wrong(String text, String... expected) {
    return new Wrong(text, List.of(expected));
  }

  private static String[] of(String... parts) {
    return parts;
  }

  @ParameterizedTest
  @MethodSource("wrongFiles")
  void load_wrongFile_saysWhereAndWhat(Wrong wrong) throws IOException {
    Files.writeString(file, wrong.text());

    String message = String.join("\n", errorsOf(loader()));

    for (String part : wrong.expected()) {
      assertThat(message).contains(part.replace("FILE", file.toString()));
    }
  }

  @Test
  void load_severalErrors_namesAll() throws IOException {
    Files.writeString(
        file, "[daemon]\nrun-dir = \"x\"\nfoo = \"y\"\n[log]\nlevel = \"z\"\n[[guest]]\n");

    assertThat(errorsOf(loader())).hasSize(4);
  }

  @Test
  void load_fileThatIsNotThere_saysSo() {
    assertThat(errorsOf(loader())).containsExactly(file + ": does not exist [SLU-CONFIG-001]");
  }

  @Test
  void load_fileThatIsNotText_saysSo() throws IOException {
    Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe, 0});

    assertThat(errorsOf(loader())).containsExactly(file + ": is not UTF-8 [SLU-CONFIG-001]");
  }

  @Test
  void load_fileThatIsTooLong_saysSo() throws IOException {
    Files.writeString(file, "#".repeat(TomlSource.MAX_FILE_BYTES + 1));

    assertThat(errorsOf(loader()).get(0)).contains("is longer than 1MiB");
  }

  @Test
  void load_moreGuestsThanServed_saysSo() throws IOException {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i <= DaemonConfig.MAX_GUESTS; i++) {
      text.append("[[guest]]\nname = \"g").append(i).append("\"\n");
    }
    Files.writeString(file, text);

    assertThat(errorsOf(loader())).singleElement().asString().contains("129 guests");
  }

  @Test
  void load_wrongEnvironment_namesTheVariable() {
    ConfigLoader loader =
        new ConfigLoader(
            Map.of("SLUICE_LOG_LEVEL", "loud", "SLUICE_DAEMON_RUNDIR", "/x"), Map.of());

    assertThatThrownBy(loader::load)
        .hasMessageContaining("environment SLUICE_LOG_LEVEL: \"loud\" is no value of level")
        .hasMessageContaining(
            "unknown variable \"SLUICE_DAEMON_RUNDIR\"; did you mean \"SLUICE_DAEMON_RUN_DIR\"?");
  }

  @ParameterizedTest
  @MethodSource("wrongFlags")
  void load_wrongFlag_saysSo(String key, String expected) {
    assertThatThrownBy(() -> new ConfigLoader(Map.of(), Map.of(key, "x")).load())
        .hasMessageContaining(expected);
  }

  static List<String[]> wrongFlags() {
    return List.of(
        of("level", "flag --set: unknown section \"level\""),
        of("log.levl", "unknown key of [log] \"levl\"; did you mean \"level\"?"),
        of("guest.name", "unknown section \"guest\""),
        of("log.level", "flag --set: \"x\" is no value of level"));
  }

  // ---- what is right ----

  @Test
  void load_nothing_isTheDefaults() throws ConfigException {
    DaemonConfig config =
        new ConfigLoader(Map.of("HOME", "/", "SLUICE_CACHE", "/x"), Map.of()).load();

    assertThat(config.file()).isNull();
    assertThat(config.runDir()).isEqualTo(Path.of("/run/sluice"));
    assertThat(config.stateDir()).isEqualTo(Path.of("/var/lib/sluice"));
    assertThat(config.controlSocket()).isEqualTo(Path.of("/run/sluice/control"));
    assertThat(config.logLevel()).isEqualTo("info");
    assertThat(config.gpus())
        .containsExactly(
            new GpuSettings.Embedded(
                1536L << 20, Duration.ofNanos(100_000), Duration.ZERO, 3, 64L << 20));
    assertThat(config.guests()).isEmpty();
    assertThat(config.settings()).allMatch(s -> s.source().equals("default"));
  }

  @Test
  void load_wholeFile_givesAllOfIt() throws Exception {
    Files.writeString(
        file,
        """
        [daemon]
        run-dir = "/tmp/r/../run"
        control-group = "adm"
        guest-group = "libvirt-qemu"
        [log]
        level = "DEBUG"
        guest-lines = "7"
        guest-interval = "1.5s"
        [gpu.embedded]
        vram = "0.5 GiB"
        interrupt-spin = "20us"
        excess-limit = "9"
        grid-heap = "16MiB"
        [gpu.card0]
        device = "/dev/dri/card0"
        staging = "96MiB"
        [[guest]]
        name = "web-01"
        gpu = "card0"
        uuid = "5c1f2a0e-7b1d-4f61-9a3c-2f6d0f0e8a11"
        [[guest]]
        name = "db"
        gpu = "embedded"
        socket = "/srv/db.sock"
        vram-min = "1MiB"
        vram-limit = "128MiB"
        weight = "1024"
        beyond-share = "system-memory"
        kill-timeout = "1.5s"
        channel-limit = "8"
        address-space-limit = "127"
        """);

    DaemonConfig config = loader().load(file);

    assertThat(config.runDir()).isEqualTo(Path.of("/tmp/run"));
    assertThat(config.controlGroup()).isEqualTo("adm");
    assertThat(config.guestGroup()).isEqualTo("libvirt-qemu");
    assertThat(config.logLevel()).isEqualTo("debug");
    assertThat(config.guestLog()).isEqualTo(new LogRate(7, Duration.ofMillis(1500)));
    assertThat(config.sessionHosts().processBytes()).isEqualTo((256L << 20) + (8L << 30));
    assertThat(config.gpus())
        .containsExactly(
            new GpuSettings.Embedded(
                512L << 20, Duration.ofNanos(100_000), Duration.ofNanos(20_000), 9, 16L << 20),
            new GpuSettings.Device("card0", Path.of("/dev/dri/card0"), Duration.ZERO, 96L << 20));
    assertThat(config.guests())
        .extracting(GuestSettings::name, GuestSettings::gpu, g -> g.socket().toString())
        .containsExactly(
            tuple("web-01", "card0", "/tmp/run/web-01.sock"),
            tuple("db", "embedded", "/srv/db.sock"));
    assertThat(config.guests().get(0).uuid()).hasToString("5c1f2a0e-7b1d-4f61-9a3c-2f6d0f0e8a11");
    assertThat(config.guests().get(0).quota()).isEqualTo(Quota.DEFAULT);
    assertThat(config.guests().get(1).quota())
        .isEqualTo(
            new Quota(
                1 << 20, 1024, 128L << 20, BeyondShare.SYSTEM_MEMORY, Duration.ofMillis(1500)));
    assertThat(config.guests().get(0).slots()).isEqualTo(SlotLimits.DEFAULT);
    assertThat(config.guests().get(1).slots()).isEqualTo(new SlotLimits(8, 127));
    assertThat(config.guests().get(1).uuid()).isEqualTo(GuestSettings.derivedUuid("db"));
  }

  @Test
  void load_cuda_hasItsSocketAndLimits() throws Exception {
    Files.writeString(
        file,
        """
        [gpu.h100]
        device = "/dev/nvidia0"
        [[guest]]
        name = "plain"
        [[guest]]
        name = "few"
        cuda = true
        cuda-programs = "2"
        cuda-host-memory = "1GiB"
        [[guest]]
        name = "usual"
        cuda = true
        """);

    DaemonConfig config = loader().load(file);

    assertThat(config.guests())
        .extracting(GuestSettings::programs)
        .containsExactly(
            ProgramSettings.NONE,
            new ProgramSettings(false, true, 2, 1L << 30),
            new ProgramSettings(false, true, 64, 8L << 30));
    assertThat(config.guests().get(1).cudaSocket()).hasToString("/run/sluice/few.sock.cuda");
  }

  @Test
  void load_allSources_theLaterWins() throws Exception {
    Files.writeString(
        file,
        "[daemon]\nrun-dir = \"/a\"\nstate-dir = \"/a\"\ncontrol-group = \"a\"\n"
            + "guest-group = \"a\"\n[[guest]]\nname = \"a\"\n");
    Path parts = Files.createDirectory(dir.resolve("conf.d"));
    Files.writeString(parts.resolve("20.toml"), "[daemon]\nstate-dir = \"/c\"\n");
    Files.writeString(
        parts.resolve("10.toml"),
        "[daemon]\nstate-dir = \"/b\"\ncontrol-group = \"b\"\nguest-group = \"b\"\n"
            + "[[guest]]\nname = \"b\"\n");
    Files.writeString(parts.resolve("30.toml.off"), "nonsense");
    Map<String, String> flags = new LinkedHashMap<>();
    flags.put("daemon.guest-group", "d");

    DaemonConfig config =
        new ConfigLoader(
                Map.of("SLUICE_DAEMON_CONTROL_GROUP", "c", "SLUICE_DAEMON_GUEST_GROUP", "c"), flags)
            .load(file);

    assertThat(source(config, "daemon.run-dir")).isEqualTo("/a <- " + file + ":2:1");
    assertThat(source(config, "daemon.state-dir"))
        .isEqualTo("/c <- " + parts.resolve("20.toml") + ":2:1");
    assertThat(source(config, "daemon.control-group"))
        .isEqualTo("c <- environment SLUICE_DAEMON_CONTROL_GROUP");
    assertThat(source(config, "daemon.guest-group")).isEqualTo("d <- flag --set");
    assertThat(source(config, "log.level")).isEqualTo("info <- default");
    assertThat(config.guests()).extracting(GuestSettings::name).containsExactly("a", "b");
  }

  @Test
  void schema_everyDefault_isAValueOfItsKey() {
    for (KeySection section : Schema.SECTIONS) {
      for (Key<?> key : section.keys()) {
        assertThat(key.fallback().isEmpty() || key.type().parse().apply(key.fallback()).isPresent())
            .as(section.title() + " " + key.name())
            .isTrue();
      }
    }
  }

  private static String source(DaemonConfig config, String key) {
    Setting setting =
        config.settings().stream().filter(s -> s.key().equals(key)).findFirst().orElseThrow();
    return setting.value() + " <- " + setting.source();
  }

  private static ConfigLoader loader() {
    return new ConfigLoader(Map.of(), Map.of());
  }

  private List<String> errorsOf(ConfigLoader loader) {
    try {
      loader.load(file);
    } catch (ConfigException e) {
      return e.errors().stream().map(ConfigError::toString).toList();
    }
    throw new AssertionError("the configuration was taken");
  }
}
