package io.sluice.channel.pscnv;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import io.sluice.abi.Errno;
import io.sluice.abi.RefusedException;
import io.sluice.abi.drm.DrmDevice;
import io.sluice.abi.pscnv.ExtRegionAdd;
import io.sluice.abi.pscnv.PscnvIoctl;
import io.sluice.abi.pscnv.PscnvLimits;
import io.sluice.abi.pscnv.PscnvParam;
import io.sluice.abi.sys.Fd;
import io.sluice.abi.sys.Kernel;
import io.sluice.channel.Capability;
import io.sluice.channel.Gpu;
import io.sluice.channel.GpuInfo;
import io.sluice.channel.GuestGpu;
import io.sluice.channel.SlotLimits;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A Fermi GPU behind pscnv's ioctls: a GTX 480 of the host, or the software GPU, which has
 * extensions. What the device does not have is a missing capability.
 *
 * <p>One open of the device is kept for questions about the card; each guest gets an open of its
 * own, so that the driver keeps guests apart and gives everything back when that one is closed.
 */
public final class PscnvGpu implements Gpu {
  private static final int FIRST_FERMI = 0xc0;
  private static final int FIRST_KEPLER = 0xe0;

  /** The most clusters a Fermi card has room for; SLUICE_REG_TP_COUNT has as many words. */
  private static final int MAX_GPCS = 8;

  private final Kernel kernel;
  private final Function<String, ? extends DrmDevice> opener;
  private final DrmDevice device;
  private final PscnvCalls calls;
  private final GpuInfo info;
  private final ImmutableSet<Capability> capabilities;

  /**
   * @param name the operator's name for the GPU
   * @param opener a new open of the device at each call
   */
  public PscnvGpu(String name, Kernel kernel, Supplier<? extends DrmDevice> opener) {
    this(name, kernel, opener, _ -> opener.get());
  }

  /**
   * @param name the operator's name for the GPU
   * @param opener an open of the device, to ask it about itself
   * @param guestOpener a new open at each call, for the guest that is named
   */
  public PscnvGpu(
      String name,
      Kernel kernel,
      Supplier<? extends DrmDevice> opener,
      Function<String, ? extends DrmDevice> guestOpener) {
    this.kernel = kernel;
    this.opener = guestOpener;
    device = opener.get();
    calls = new PscnvCalls(device);
    boolean complete = false;
    try {
      Optional<Extensions> extensions = Extensions.probe(calls);
      capabilities = extensions.isPresent() ? Extensions.CAPABILITIES : ImmutableSet.of();
      info = ask(name, extensions);
      complete = true;
    } finally {
      if (!complete) {
        device.close();
      }
    }
  }

  private GpuInfo ask(String name, Optional<Extensions> extensions) {
    int chipset = (int) required(PscnvParam.CHIPSET_ID);
    if (chipset < FIRST_FERMI || chipset >= FIRST_KEPLER) {
      throw new RefusedException(
          PscnvCode.NOT_FERMI,
          Errno.ENODEV,
          "not a Fermi GPU, gpu=" + name + " chipset=0x" + Integer.toHexString(chipset),
          "Configure a GPU of the GF100 family, or the embedded one.");
    }
    int gpcs = (int) Math.min(optional(PscnvParam.GPC_COUNT), MAX_GPCS);
    ImmutableList.Builder<Integer> tpCounts = ImmutableList.builder();
    for (int gpc = 0; gpc < gpcs; gpc++) {
      tpCounts.add((int) optional(PscnvParam.TP_COUNT_IDX | (long) gpc << Integer.SIZE));
    }
    return new GpuInfo(
        name,
        chipset == PscnvParam.CHIPSET_GTX480
            ? "gf100"
            : String.format(Locale.ROOT, "nv%02x", chipset),
        (int) required(PscnvParam.PCI_VENDOR),
        (int) required(PscnvParam.PCI_DEVICE),
        chipset,
        gpcs,
        tpCounts.build(),
        (int) optional(PscnvParam.MP_COUNT),
        required(PscnvParam.FB_SIZE),
        extensions.map(Extensions::controlPages).orElse(PscnvLimits.MAX_CID + 1),
        PscnvLimits.MAX_VID + 1,
        PscnvLimits.VSPACE_BYTES);
  }

  private long required(long parameter) {
    return calls
        .parameter(parameter)
        .orElseThrow(() ->
            new RefusedException(
                PscnvCode.NOT_PSCNV,
                Errno.ENODEV,
                "the driver does not know a parameter that pscnv has, id=" + parameter,
                "Check that the node belongs to a GPU driven by pscnv."));
  }

  /** Gdev's copy of pscnv does not have all parameters. */
  private long optional(long parameter) {
    return calls.parameter(parameter).orElse(0);
  }

  @Override
  public GpuInfo info() {
    return info;
  }

  @Override
  public ImmutableSet<Capability> capabilities() {
    return capabilities;
  }

  @Override
  public SlotLimits slots() {
    return new SlotLimits(PscnvLimits.MAX_CID, PscnvLimits.MAX_VID); // ids from 1, of the card
  }

  @Override
  public long timeNs() {
    return required(PscnvParam.PTIMER_TIME);
  }

  @Override
  public GuestGpu open(String guestName) {
    return PscnvGuestGpu.open(opener.apply(guestName), kernel, info);
  }

  @Override
  public GuestGpu adopt(String guestName, AdoptedFiles files) {
    DrmDevice opened = opener.apply(guestName);
    boolean complete = false;
    try {
      PscnvCalls adopting = new PscnvCalls(opened);
      if (Extensions.probe(adopting).isEmpty()) {
        throw new RefusedException(
            PscnvCode.NO_TAKEOVER,
            Errno.EOPNOTSUPP,
            "this GPU cannot take a guest's memory over",
            "");
      }
      adopt(adopting, files.control(), ExtRegionAdd.ADOPT_CONTROL);
      Fd vram =
          files
              .vram()
              .orElseThrow(() ->
                  new RefusedException(
                      PscnvCode.NO_VRAM_FILE,
                      Errno.EPROTO,
                      "no file of video memory to take over",
                      ""));
      adopt(adopting, vram, ExtRegionAdd.ADOPT_VRAM);
      complete = true;
      return PscnvGuestGpu.open(opened, kernel, info);
    } finally {
      if (!complete) {
        opened.close();
      }
    }
  }

  private void adopt(PscnvCalls adopting, Fd file, int as) {
    long bytes = kernel.fstat(file).sizeBytes();
    adopting.call(
        PscnvIoctl.REGION_ADD,
        argument -> {
          ExtRegionAdd.FD.set(argument, file.number());
          ExtRegionAdd.FLAGS.setBits(argument, as);
          ExtRegionAdd.SIZE_FIELD.set(argument, bytes);
        });
  }

  @Override
  public void close() {
    device.close();
  }
}
