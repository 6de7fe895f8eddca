package io.sluice.gpu.fifo;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * The order of a submission: who sees GP_PUT sees the ring entry, and the word that the entry
 * points at. The writer stores as clients do; the reader is the engine's own.
 */
@JCStressTest
@Outcome(id = "0, -1, -1", expect = Expect.ACCEPTABLE, desc = "not submitted yet")
@Outcome(id = "1, 7, 9", expect = Expect.ACCEPTABLE, desc = "submitted, and all of it there")
@Outcome(expect = Expect.FORBIDDEN, desc = "GP_PUT before what it submits")
@State
public class RingPublication {
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
  private static final long GP_PUT = 0x8c;

  /** Where the page begins, so that GP_PUT is the third word of a segment of three. */
  private static final long BASE = 8 - GP_PUT;

  private final MemorySegment memory = MemorySegment.ofArray(new int[3]);
  private final Userd userd = new Userd(memory, BASE);

  @Actor
  public void guest() {
    memory.setAtIndex(ValueLayout.JAVA_INT, 0, 9); // a word of the pushbuffer
    memory.setAtIndex(ValueLayout.JAVA_INT, 1, 7); // the ring's entry
    INT.setRelease(memory, BASE + GP_PUT, 1);
  }

  @Actor
  public void engine(III_Result result) {
    result.r1 = userd.gpPut();
    boolean submitted = result.r1 == 1;
    result.r2 = submitted ? memory.getAtIndex(ValueLayout.JAVA_INT, 1) : -1;
    result.r3 = submitted ? memory.getAtIndex(ValueLayout.JAVA_INT, 0) : -1;
  }
}
