package io.sluice.management;

import java.util.List;
import java.util.Map;
import javax.management.OperationsException;

/** CUDA programs of guests, whose calls of NVIDIA's driver the daemon makes for them. */
@Description("CUDA programs of guests, whose calls of NVIDIA's driver the daemon makes for them.")
public interface ProgramsMXBean {
  @Description("The guests that take CUDA programs, by their names.")
  Map<String, CudaStatus> getGuests();

  @Description("The programs there are now.")
  List<CudaProgramStatus> list(@Description("name of a guest; empty for all") String guest)
      throws OperationsException;

  @Description(
      "Ends a program's use of its GPU: all it has there is gone, and its calls fail. Its process goes on.")
  void end(@Description("name of its guest") String guest, @Description("its number") long program)
      throws OperationsException;

  @Description(
      "Takes the GPU from a program once its work is done: its video memory and channels are given back, and what was in that memory is kept in the host's. Its process goes on, and waits for the GPU until it is resumed.")
  void suspend(
      @Description("name of its guest") String guest,
      @Description("its number") long program,
      @Description("how many seconds its work is waited for, 1 to 3600") long waitSeconds)
      throws OperationsException;

  @Description(
      "Gives a suspended program the GPU again, or another one, with all that it had there; what it has submitted meanwhile runs.")
  void resume(
      @Description("name of its guest") String guest,
      @Description("its number") long program,
      @Description("a GPU of the same kind; empty for the one that it had") String gpu)
      throws OperationsException;
}
