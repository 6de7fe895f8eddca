package io.sluice.daemon.sessions;

import java.io.IOException;

/** The starter of a guest's session host. */
@FunctionalInterface
interface HostStarter {
  /** A new process; its standard error is a pipe, and there is nothing else of its to be read. */
  Process start() throws IOException;
}
