package io.sluice.sluicectl;

import io.sluice.management.CudaStatus;
import io.sluice.management.DaemonMXBean;
import io.sluice.management.ErrorCode;
import io.sluice.management.GuestCounters;
import io.sluice.management.GuestMXBean;
import io.sluice.management.GuestStatus;
import io.sluice.management.Problem;
import io.sluice.management.Quantities;
import io.sluice.management.SessionHostStatus;
import io.sluice.management.TableStatus;
import io.sluice.management.local.LocalConnection;
import io.sluice.sluicectl.Output.Fact;
import io.sluice.sluicectl.Views.ChannelRow;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.management.OperationsException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code sluicectl guest …}. */
final class GuestCommand extends Noun {
  private static final String GUEST = "Name, UUID, or GPU/NAME.";

  GuestCommand(GlobalOptions global) {
    super(global, "guest", "The guests: machines and processes that may attach.");
  }

  @Command(name = "list", description = "All guests.")
  int list() throws IOException {
    try (LocalConnection connection = global.connect()) {
      global.output().list(Views.GUESTS, List.copyOf(connection.daemon().getGuests().values()));
    }
    return ExitCode.OK;
  }

  @Command(name = "show", description = "One guest with its channels and counters.")
  int show(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String name)
      throws IOException {
    Output output = global.output();
    try (LocalConnection connection = global.connect()) {
      GuestStatus guest = GuestNames.find(connection.daemon().getGuests(), name);
      GuestMXBean bean = connection.guest(guest.name());
      GuestCounters counters = bean.getCounters();
      Map<String, TableStatus> tables = new TreeMap<>(bean.getTables());
      List<ChannelRow> channels = new ArrayList<>();
      bean.getChannels().values().forEach(c -> channels.add(new ChannelRow(guest.name(), c)));
      SessionHostStatus sessions = connection.sessions().getHosts().get(guest.name());
      CudaStatus cuda = connection.programs().getGuests().get(guest.name());
      switch (output.format()) {
        case json -> showJson(output, guest, channels, tables, counters, sessions, cuda);
        case csv -> output.list(Views.GUESTS, List.of(guest));
        case table -> {
          List<Fact> facts = facts(guest, tables, counters);
          if (sessions != null) {
            facts.add(new Fact("sessions", sessions.sessions() + " of " + sessions.sessionLimit()));
            facts.add(new Fact("api socket", sessions.socketPath()));
          }
          if (cuda != null) {
            facts.addAll(facts(cuda));
          }
          output.facts(facts);
          if (!channels.isEmpty()) {
            output.text("\n");
            output.table(Views.CHANNELS_OF_ONE, channels);
          }
        }
      }
    }
    return ExitCode.OK;
  }

  private static List<Fact> facts(
      GuestStatus guest, Map<String, TableStatus> tables, GuestCounters counters) {
    List<Fact> facts = new ArrayList<>();
    facts.add(new Fact("name", guest.name()));
    facts.add(new Fact("uuid", guest.uuid()));
    facts.add(new Fact("state", guest.state()));
    facts.add(new Fact("gpu", guest.gpu() + ", " + guest.model()));
    facts.add(new Fact("origin", guest.origin()));
    facts.add(new Fact("socket", guest.socketPath()));
    facts.add(
        new Fact(
            "client",
            guest.hasClient() ? Views.client(guest) + ", uid " + guest.clientUid() : "-"));
    facts.add(new Fact("memory", Views.share(guest.memoryUsedBytes(), guest.memoryLimitBytes())));
    facts.add(new Fact("channels", guest.channels() + " of " + guest.maxChannels()));
    tables.forEach(
        (table, status) -> facts.add(new Fact(table, status.used() + " of " + status.limit())));
    facts.add(new Fact("attached", times(counters.attachments(), counters.attachmentsRefused())));
    facts.add(new Fact("messages", times(counters.messages(), counters.messagesRefused())));
    new TreeMap<>(counters.messagesByCommand())
        .forEach((command, n) -> facts.add(new Fact("  " + command, n.toString())));
    facts.add(new Fact("hypercalls", times(counters.hypercalls(), counters.hypercallsRefused())));
    facts.add(new Fact("interrupts", Long.toString(counters.interrupts())));
    facts.add(new Fact("events lost", Long.toString(counters.eventsLost())));
    facts.add(new Fact("dma maps", counters.dmaMaps() + " of " + counters.dmaMapsLimit()));
    facts.add(new Fact("mapped", Views.share(counters.sharedBytes(), counters.sharedBytesLimit())));
    facts.add(
        new Fact("table heap", Views.share(counters.tableHeapBytes(), counters.tableHeapLimit())));
    if (counters.gridHeapLimit() > 0) {
      facts.add(
          new Fact("grid heap", Views.share(counters.gridHeapBytes(), counters.gridHeapLimit())));
    }
    if (counters.programsLimit() > 0) {
      facts.add(new Fact("programs", programs(counters)));
    }
    facts.add(
        new Fact(
            "client rate",
            rate(
                counters.connectionsLeft(),
                counters.connectionsAtOnce(),
                counters.connectionIntervalMs())));
    facts.add(
        new Fact(
            "map rate",
            rate(counters.mapsLeft(), counters.mapsAtOnce(), counters.mapIntervalMs())));
    facts.add(new Fact("unclosed", Integer.toString(counters.descriptorsWaiting())));
    facts.add(
        new Fact(
            "unlogged",
            counters.logLinesLeftOut()
                + ", beyond "
                + counters.logLinesAtOnce()
                + " and one each "
                + Quantities.formatDuration(Duration.ofMillis(counters.logIntervalMs()))));
    return facts;
  }

  private static List<Fact> facts(CudaStatus cuda) {
    return List.of(
        new Fact(
            "cuda programs",
            cuda.programs()
                + " of "
                + cuda.programLimit()
                + (cuda.turnedAway() == 0 ? "" : ", " + cuda.turnedAway() + " turned away")),
        new Fact("cuda memory", Views.share(cuda.videoBytes(), cuda.videoLimitBytes())),
        new Fact("host memory", Views.share(cuda.hostBytes(), cuda.hostLimitBytes())),
        new Fact("cuda heap", Views.share(cuda.heapBytes(), cuda.heapLimitBytes())),
        new Fact("cuda socket", cuda.socketPath()));
  }

  private static String programs(GuestCounters counters) {
    String kept =
        counters.programs()
            + " of "
            + counters.programsLimit()
            + ", "
            + Views.share(counters.programBytes(), counters.programBytesLimit());
    return counters.programsInterpreted() == 0
        ? kept
        : kept + ", " + counters.programsInterpreted() + " interpreted";
  }

  private static String rate(int left, int atOnce, long intervalMs) {
    return left
        + " of "
        + atOnce
        + " left, one more each "
        + Quantities.formatDuration(Duration.ofMillis(intervalMs));
  }

  private static String times(long all, long refused) {
    return refused == 0 ? Long.toString(all) : all + ", " + refused + " refused";
  }

  private static void showJson(
      Output output,
      GuestStatus guest,
      List<ChannelRow> channels,
      Map<String, TableStatus> tables,
      GuestCounters counters,
      @Nullable SessionHostStatus sessions,
      @Nullable CudaStatus cuda) {
    output.json(json -> {
      json.writeName("guest");
      json.writeStartObject();
      Output.fields(json, Views.GUESTS.choose(output), guest);
      json.writeName(Views.CHANNELS.plural());
      json.writeStartArray();
      channels.forEach(c -> Output.object(json, Views.CHANNELS.columns(), c));
      json.writeEndArray();
      if (sessions != null) {
        json.writeName("sessionHost");
        Output.object(json, Views.SESSION_HOSTS.columns(), sessions);
      }
      if (cuda != null) {
        json.writeName(Views.CUDA.plural());
        Output.object(json, Views.CUDA.columns(), cuda);
      }
      json.writeName(Views.TABLES.plural());
      json.writeStartObject();
      tables.forEach((table, status) -> {
        json.writeName(table);
        Output.object(json, Views.TABLES.columns(), status);
      });
      json.writeEndObject();
      json.writeName(Views.COUNTERS.plural());
      Output.object(json, Views.COUNTERS.columns(), counters);
      json.writeEndObject();
    });
  }

  @Command(
      name = "create",
      description = {
        "Creates a guest and its socket; it is there again after a restart. What is left out of its"
            + " quota is the default; what does not fit is refused, and nothing is created then."
      })
  int create(
      @Parameters(paramLabel = "NAME", description = "Its name.") String name,
      @Option(
              names = "--gpu",
              completionCandidates = Candidates.Gpus.class,
              paramLabel = "GPU",
              defaultValue = "",
              description = "A GPU by name; needed when there are several.")
          String gpu,
      @Mixin QuotaCommand.Parts quota,
      @Option(
              names = "--qmp",
              paramLabel = "PATH",
              defaultValue = "",
              description = {
                "Where the machine's QMP socket will be, absolute; a machine without one cannot be"
                    + " migrated. Default: where guest xml says."
              })
          String qmp)
      throws IOException, OperationsException {
    Long minimumBytes = quota.minimumBytes();
    Long limitBytes = quota.limitBytes();
    Long killTimeoutMs = quota.killTimeoutMs();
    try (LocalConnection connection = global.connect()) {
      DaemonMXBean daemon = connection.daemon();
      if (quota.isLimitAtMost() && !Long.valueOf(0).equals(limitBytes)) {
        // Daemons of former versions have this operation alone, in which 0 is no limit.
        daemon.createGuest(name, gpu, limitBytes == null ? 0 : limitBytes, qmp);
      } else {
        daemon.createGuest(
            name,
            gpu,
            qmp,
            minimumBytes,
            quota.weight,
            limitBytes,
            quota.beyondShare,
            killTimeoutMs);
      }
      created(daemon, name);
    }
    return ExitCode.OK;
  }

  @Command(
      name = "clone",
      description = {
        "Creates a guest with what another one may have: its GPU, limits, OpenCL and CUDA, and its"
            + " quota as it is now. Nothing of the other's memory or channels is copied."
      })
  int cloneGuest(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String source,
      @Parameters(paramLabel = "NAME", description = "The new one's name.") String name,
      @Option(
              names = "--qmp",
              paramLabel = "PATH",
              defaultValue = "",
              description = {
                "Where the new machine's QMP socket will be, absolute. Default: where guest xml"
                    + " says."
              })
          String qmp)
      throws IOException, OperationsException {
    try (LocalConnection connection = global.connect()) {
      DaemonMXBean daemon = connection.daemon();
      daemon.cloneGuest(GuestNames.find(daemon.getGuests(), source).name(), name, qmp);
      created(daemon, name);
    }
    return ExitCode.OK;
  }

  private void created(DaemonMXBean daemon, String name) throws IOException, OperationsException {
    Output output = global.output();
    GuestStatus guest = GuestNames.find(daemon.getGuests(), name);
    if (output.format() == Format.table) {
      output.text("guest \"" + name + "\" waits at " + guest.socketPath() + "\n");
    } else {
      output.list(Views.GUESTS, List.of(guest));
    }
  }

  @Command(
      name = "destroy",
      description = {
        "Destroys a guest that was created at run time, with everything it holds. Refused while a"
            + " machine or process is attached, unless forced."
      })
  int destroy(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String name,
      @Option(names = "--force", description = "Also when attached: it loses its GPU.")
          boolean force)
      throws IOException, OperationsException {
    try (LocalConnection connection = global.connect()) {
      DaemonMXBean daemon = connection.daemon();
      daemon.destroyGuest(GuestNames.find(daemon.getGuests(), name).name(), force);
    }
    return ExitCode.OK;
  }

  @Command(
      name = "detach",
      description = {
        "Throws a guest's client out; the guest and its socket stay. A machine loses its GPU, and"
            + " QEMU does not survive that: stop it first where that can be done. Refused while the"
            + " guest moves."
      })
  int detach(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String name)
      throws IOException, OperationsException {
    try (LocalConnection connection = global.connect()) {
      guest(connection, name).detach();
    }
    return ExitCode.OK;
  }

  @Command(
      name = "suspend",
      description = {
        "Suspends all channels of a guest, and those it makes meanwhile: its work waits, what it has"
            + " in memory stays. A suspended guest cannot be moved."
      })
  int suspend(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String name)
      throws IOException, OperationsException {
    try (LocalConnection connection = global.connect()) {
      guest(connection, name).suspend();
    }
    return ExitCode.OK;
  }

  @Command(name = "resume", description = "Lets the channels of a suspended guest go on.")
  int resume(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String name)
      throws IOException, OperationsException {
    try (LocalConnection connection = global.connect()) {
      guest(connection, name).resume();
    }
    return ExitCode.OK;
  }

  private static GuestMXBean guest(LocalConnection connection, String name) {
    return connection.guest(GuestNames.find(connection.daemon().getGuests(), name).name());
  }

  @Command(
      name = "checkpoint",
      description = {
        "Writes a guest to a file: its GPU memory and its channels; of a process what of its own"
            + " memory the GPU uses, of a machine all of it but its disks. The guest goes on. The"
            + " daemon writes the file: as its user, where it may; checkpoints in its state-dir is"
            + " there for that."
      })
  int checkpoint(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String name,
      @Parameters(paramLabel = "FILE", description = "Replaced when it exists.") Path file,
      @Option(names = "--live", description = "Copies most of it while the GPU works.")
          boolean live,
      @Option(names = "--detached", description = OperationWatch.DETACHED) boolean detached)
      throws IOException, OperationsException {
    try (LocalConnection connection = global.connect()) {
      String guest = GuestNames.find(connection.daemon().getGuests(), name).name();
      return follow(
          connection,
          connection.migrations().checkpoint(guest, file.toAbsolutePath().toString(), live),
          detached);
    }
  }

  private int follow(LocalConnection connection, String id, boolean detached)
      throws IOException, OperationsException {
    if (detached) {
      global.output().text(id + "\n");
      return ExitCode.OK;
    }
    return new OperationWatch(global).follow(connection, id);
  }

  @Command(
      name = "restore",
      description = {
        "Makes a guest what a file says, to which a process is attached that has made nothing yet,"
            + " or a QEMU that was started with -S -incoming defer. A file can be used for several"
            + " guests."
      })
  int restore(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String name,
      @Parameters(paramLabel = "FILE", description = "From guest checkpoint; the daemon reads it.")
          Path file,
      @Option(names = "--detached", description = OperationWatch.DETACHED) boolean detached)
      throws IOException, OperationsException {
    try (LocalConnection connection = global.connect()) {
      String guest = GuestNames.find(connection.daemon().getGuests(), name).name();
      return follow(
          connection,
          connection.migrations().restore(guest, file.toAbsolutePath().toString()),
          detached);
    }
  }

  @Command(
      name = "xml",
      description = {
        "Prints what a machine's definition needs to have this guest's device: a fragment of a"
            + " libvirt domain, with --domain all of one or, with --qemu, arguments for QEMU."
      })
  int xml(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String name,
      @ArgGroup @Nullable MachineForm form,
      @Option(
              names = "--memory",
              paramLabel = "SIZE",
              defaultValue = "2GiB",
              description =
                  "With --domain or --qemu: the machine's memory, such as 4GiB (default 2GiB).")
          String memory,
      @Option(
              names = "--incoming",
              description =
                  "With --domain: one that waits for a machine that moves here, or is restored, for"
                      + " virsh create --paused.")
          boolean incoming)
      throws IOException {
    long bytes = size(memory);
    try (LocalConnection connection = global.connect()) {
      GuestStatus guest = GuestNames.find(connection.daemon().getGuests(), name);
      String monitor = connection.guest(guest.name()).getQmpPath();
      global.output().text(machine(form, guest, monitor, bytes, incoming));
    }
    return ExitCode.OK;
  }

  /** The form in which a machine's definition is printed, unless it is a fragment. */
  static final class MachineForm {
    @Option(
        names = "--domain",
        description = "A whole definition for virsh define: add the machine's disk.")
    boolean domain;

    @Option(names = "--qemu", description = "Arguments for QEMU instead.")
    boolean qemu;
  }

  private String machine(
      @Nullable MachineForm form,
      GuestStatus guest,
      String monitor,
      long memoryBytes,
      boolean incoming) {
    if (incoming && (form == null || !form.domain)) {
      throw new ParameterException(verb("xml"), "--incoming needs --domain");
    }
    if (form == null) {
      return MachineFragments.libvirt(guest, monitor);
    }
    return form.qemu
        ? MachineFragments.qemu(guest, monitor, memoryBytes)
        : MachineFragments.domain(guest, monitor, memoryBytes, incoming);
  }

  @Command(
      name = "run",
      customSynopsis = "sluicectl guest run [OPTION]... GUEST -- COMMAND...",
      description = {
        "Runs a CUDA program that has the guest's GPU and no other, without any change to it or to"
            + " its libraries. Exits as the program does.",
        "The launcher and the library are looked for in $SLUICE_CUDA_DIR, beside this program, and"
            + " in /usr/lib/sluice."
      })
  int runProgram(
      @Parameters(
              paramLabel = "GUEST",
              completionCandidates = Candidates.Guests.class,
              description = GUEST)
          String name,
      @Parameters(
              arity = "1..*",
              paramLabel = "COMMAND",
              description = "The program and its arguments, behind --.")
          List<String> command,
      @Option(names = "--library", paramLabel = "PATH", description = "The library to use.")
          @Nullable Path library,
      @Option(names = "--launcher", paramLabel = "PATH", description = "The launcher to use.")
          @Nullable Path launcher)
      throws IOException, InterruptedException {
    String socket;
    try (LocalConnection connection = global.connect()) {
      String guest = GuestNames.find(connection.daemon().getGuests(), name).name();
      CudaStatus cuda = connection.programs().getGuests().get(guest);
      if (cuda == null) {
        throw withoutCuda(guest);
      }
      socket = cuda.socketPath();
    }
    CudaFiles files = global.cudaFiles();
    return new ProgramLauncher(files.launcher(launcher), files.library(library))
        .run(socket, command);
  }

  private static ProblemException withoutCuda(String guest) {
    return new ProblemException(
        Problem.of(
            ErrorCode.PROGRAM_GUEST,
            "guest \"" + guest + "\" takes no CUDA programs",
            "its cuda is not set",
            "set cuda in its [[guest]], and restart the daemon"),
        ExitCode.NOT_FOUND);
  }

  private long size(String text) {
    return Quantities.parseSize(text)
        .filter(bytes -> bytes > 0)
        .orElseThrow(() ->
            new ParameterException(
                verb("xml"), "--memory takes a size such as 512MiB or 2GiB, not \"" + text + "\""));
  }
}
