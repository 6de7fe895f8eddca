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
}
