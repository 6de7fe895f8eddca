package io.sluice.daemon.runtime;

import io.sluice.management.local.Peer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/** The log's record of what operators asked for, with who asked. */
public final class Audit {
  private static final Logger LOG = LoggerFactory.getLogger(Audit.class);

  private Audit() {}

  /** Who asked for what this thread does; the daemon itself when nobody did. */
  public static String caller() {
    return Peer.current().map(peer -> peer.user().getName()).orElse("itself");
  }

  /** A line about something that was done just now, on the thread that was asked. */
  public static LoggingEventBuilder of(String event) {
    return LOG.atInfo().addKeyValue("event", event).addKeyValue("by", caller());
  }
}
