package io.sluice.testbed.concurrency;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The protocol of the doorbell token (docs/abi.md), by which a channel is replaced under a guest
 * that submits. The host stores 0, fences, reads GP_PUT, publishes another token, fences and rings
 * once. The guest reads the token, stores GP_PUT, fences, rings, fences, and is done when the token
 * is as before and not 0. Whatever the order: the host has seen the guest's GP_PUT, or the guest
 * has rung with the new token, or it knows that it has to go on.
 */
@JCStressTest
@Outcome(id = "1, [123]", expect = Expect.ACCEPTABLE, desc = "the host saw GP_PUT")
@Outcome(id = "0, 2", expect = Expect.ACCEPTABLE, desc = "the guest rang with the new token")
@Outcome(id = "0, 3", expect = Expect.ACCEPTABLE, desc = "the guest has to go on")
@Outcome(expect = Expect.FORBIDDEN, desc = "a submission that nobody knows of")
@State
public class DoorbellToken {
  private static final VarHandle TOKEN;
  private static final VarHandle GP_PUT;
  private static final int FORMER = 1;
  private static final int NEXT = 2;
  private static final int GO_ON = 3;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      TOKEN = lookup.findVarHandle(DoorbellToken.class, "token", int.class);
      GP_PUT = lookup.findVarHandle(DoorbellToken.class, "gpPut", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private int token = FORMER;
  private int gpPut;

  @Actor
  public void host(II_Result result) {
    TOKEN.setOpaque(this, 0);
    VarHandle.fullFence();
    int before = (int) GP_PUT.getOpaque(this);
    TOKEN.setOpaque(this, NEXT);
    VarHandle.fullFence();
    int rung = (int) GP_PUT.getOpaque(this); // what the host's own ring has the GPU read
    result.r1 = before | rung;
  }

  @Actor
  public void guest(II_Result result) {
    int before = (int) TOKEN.getOpaque(this);
    GP_PUT.setOpaque(this, 1);
    VarHandle.fullFence(); // and the doorbell is rung with that token
    int after = (int) TOKEN.getOpaque(this);
    result.r2 = before != 0 && before == after ? before : GO_ON;
  }
}
