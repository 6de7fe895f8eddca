package io.sluice.channel.table;

import io.sluice.abi.SluiceException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The return of things to a backend. That a backend refuses is the host's trouble, not the guest's:
 * what was forgotten here stays forgotten, and closing the open returns it.
 */
public final class Closing {
  private static final Logger log = LoggerFactory.getLogger(Closing.class);

  private Closing() {}

  public static void close(Runnable close, String what) {
    try {
      close.run();
    } catch (SluiceException e) {
      log.atWarn().addKeyValue("what", what).setCause(e).log("the GPU did not take something back");
    }
  }
}
