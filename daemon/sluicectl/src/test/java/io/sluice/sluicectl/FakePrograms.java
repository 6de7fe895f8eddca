package io.sluice.sluicectl;

import io.sluice.management.CudaProgramStatus;
import io.sluice.management.CudaStatus;
import io.sluice.management.ErrorCode;
import io.sluice.management.Problem;
import io.sluice.management.ProgramsMXBean;
import java.util.List;
import java.util.Map;
import javax.management.OperationsException;

/** CUDA programs of one guest that always look the same. */
final class FakePrograms implements ProgramsMXBean {
  static final String GUEST = "ml-02";
  static final String SOCKET = "/run/sluice/ml-02.sock.cuda";

  private final List<String> asked;

  /**
   * @param asked what was asked for, in order
   */
  FakePrograms(List<String> asked) {
    this.asked = asked;
  }

  @Override
  public Map<String, CudaStatus> getGuests() {
    return Map.of(
        GUEST,
        new CudaStatus(
            GUEST,
            SOCKET,
            2,
            64,
            3,
            5L << 30,
            40L << 30,
            240L << 20,
            8L << 30,
            3L << 20,
            256L << 20));
  }

  @Override
  public List<CudaProgramStatus> list(String guest) throws OperationsException {
    if (!guest.isEmpty() && !guest.equals(GUEST)) {
      throw Problem.of(
              ErrorCode.PROGRAM_GUEST,
              "cannot list CUDA programs",
              "it is no guest that takes CUDA programs",
              "there are " + GUEST)
          .exception();
    }
    return List.of(
        new CudaProgramStatus(
            GUEST,
            3,
            "h200-0",
            7001,
            1000,
            "python3",
            9,
            20,
            4321,
            0,
            5L << 30,
            1184L << 20,
            1L << 30,
            "running"),
        new CudaProgramStatus(
            GUEST, 4, "h200-1", 7044, 0, "deviceQuery", 3, 0, 480, 2, 0, 80 << 20, 0, "suspended"));
  }

  @Override
  public void end(String guest, long program) throws OperationsException {
    requireKnown("end", guest, program);
    asked.add("end program " + guest + " " + program);
  }

  @Override
  public void suspend(String guest, long program, long waitSeconds) throws OperationsException {
    requireKnown("suspend", guest, program);
    asked.add("suspend program " + guest + " " + program + " within " + waitSeconds);
  }

  @Override
  public void resume(String guest, long program, String gpu) throws OperationsException {
    requireKnown("resume", guest, program);
    if (program != 4) {
      throw Problem.of(
              ErrorCode.PROGRAM_RESUME,
              failed("resume", guest, program),
              "it is not suspended",
              "sluicectl program list shows those that are")
          .exception();
    }
    asked.add("resume program " + guest + " " + program + (gpu.isEmpty() ? "" : " on " + gpu));
  }

  private static void requireKnown(String verb, String guest, long program)
      throws OperationsException {
    if (program != 3 && program != 4) {
      throw Problem.of(
              ErrorCode.PROGRAM_UNKNOWN,
              failed(verb, guest, program),
              "there is no such program",
              "sluicectl program list shows those there are")
          .exception();
    }
  }

  private static String failed(String verb, String guest, long program) {
    return "cannot " + verb + " CUDA program " + program + " of guest \"" + guest + "\"";
  }
}
