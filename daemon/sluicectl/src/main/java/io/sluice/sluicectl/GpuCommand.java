package io.sluice.sluicectl;

import io.sluice.management.DaemonMXBean;
import io.sluice.management.ErrorCode;
import io.sluice.management.GpuStatus;
import io.sluice.management.Nearest;
import io.sluice.management.Problem;
import io.sluice.management.QuotaStatus;
import io.sluice.management.local.LocalConnection;
import io.sluice.sluicectl.Output.Fact;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code sluicectl gpu …}. */
final class GpuCommand extends Noun {
  GpuCommand(GlobalOptions global) {
    super(global, "gpu", "The GPUs.");
  }

  @Command(name = "list", description = "The GPUs that are served.")
  int list() throws IOException {
    try (LocalConnection connection = global.connect()) {
      global.output().list(Views.GPUS, List.copyOf(connection.daemon().getGpus().values()));
    }
    return ExitCode.OK;
  }

  @Command(name = "show", description = "One GPU: what it can, and what its guests have of it.")
  int show(
      @Parameters(
              paramLabel = "GPU",
              completionCandidates = Candidates.Gpus.class,
              description = "Its name, as gpu list shows it.")
          String name)
      throws IOException {
    Output output = global.output();
    try (LocalConnection connection = global.connect()) {
      DaemonMXBean daemon = connection.daemon();
      GpuStatus gpu = find(daemon.getGpus(), name);
      List<QuotaStatus> quotas =
          new TreeMap<>(daemon.getQuotas())
              .values().stream().filter(quota -> quota.gpu().equals(name)).toList();
      switch (output.format()) {
        case csv -> output.list(Views.GPUS, List.of(gpu));
        case json ->
            output.json(json -> {
              json.writeName("gpu");
              Output.object(json, Views.GPUS.choose(output), gpu);
              json.writeName(Views.QUOTAS.plural());
              json.writeStartArray();
              quotas.forEach(quota -> Output.object(json, Views.QUOTAS.json(), quota));
              json.writeEndArray();
            });
        case table -> {
          output.facts(facts(gpu, quotas));
          if (!quotas.isEmpty()) {
            output.text("\n");
            output.table(Views.QUOTAS_OF_ONE, quotas);
          }
        }
      }
    }
    return ExitCode.OK;
  }

  private static List<Fact> facts(GpuStatus gpu, List<QuotaStatus> quotas) {
    long promised = quotas.stream().mapToLong(QuotaStatus::minimumBytes).sum();
    long evicted = quotas.stream().mapToLong(QuotaStatus::evictedBytes).sum();
    return List.of(
        new Fact("name", gpu.name()),
        new Fact("model", gpu.model()),
        new Fact("memory", Views.share(gpu.vramBytes() - gpu.vramFreeBytes(), gpu.vramBytes())),
        new Fact("minimums", Views.share(promised, gpu.vramBytes())),
        new Fact("evicted", evicted == 0 ? "-" : Views.amount(evicted)),
        new Fact("guests", gpu.guests() + " attached of " + quotas.size()),
        new Fact("channels", Integer.toString(gpu.channels())),
        new Fact("capabilities", String.join(", ", gpu.capabilities())));
  }

  private static GpuStatus find(Map<String, GpuStatus> gpus, String name) {
    GpuStatus gpu = gpus.get(name);
    if (gpu == null) {
      throw new ProblemException(
          Problem.of(
              ErrorCode.GPU_UNKNOWN,
              "no GPU \"" + name + "\"",
              "",
              Nearest.to(name, gpus.keySet())
                  .map(near -> "did you mean \"" + near + "\"?")
                  .orElse("sluicectl gpu list shows those there are")),
          ExitCode.NOT_FOUND);
    }
    return gpu;
  }
}
