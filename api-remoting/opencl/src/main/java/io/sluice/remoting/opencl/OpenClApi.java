package io.sluice.remoting.opencl;

import io.sluice.remoting.relay.CallRanges;
import io.sluice.remoting.relay.RelayableApi;
import io.sluice.remoting.session.ApiSession;
import io.sluice.remoting.session.ObjectKind;
import io.sluice.remoting.session.SessionContext;
import java.util.List;

/** OpenCL, by the {@code libOpenCL.so.1} of this host and the implementations that it finds. */
public final class OpenClApi implements RelayableApi {
  private static final int NUMBER = 1;

  private final HostDevices devices;
  private final KernelOutput output;

  /**
   * Looks for platforms and devices.
   *
   * @param output where their kernels print
   * @throws IllegalArgumentException if this host has no libOpenCL.so.1
   */
  public OpenClApi(KernelOutput output) {
    this.output = output;
    devices = HostDevices.find();
  }

  @Override
  public int number() {
    return NUMBER;
  }

  @Override
  public String name() {
    return "opencl";
  }

  @Override
  public List<ObjectKind> kinds() {
    return OpenClKinds.ALL;
  }

  /** The devices that sessions have, as operators see them. */
  public List<String> deviceNames() {
    return devices.names();
  }

  /** Names of the devices that guests take turns at, by their numbers. */
  public List<String> turnNames() {
    return devices.turns();
  }

  @Override
  public ApiSession open(SessionContext context) {
    return new OpenClSession(devices, output, context);
  }

  @Override
  public CallRanges ranges() {
    return new OpenClRanges();
  }
}
