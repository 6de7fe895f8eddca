/** The daemon as a process: its threads, log, durable files, the service manager. */
@NullMarked
package io.sluice.daemon.runtime;

import org.jspecify.annotations.NullMarked;
