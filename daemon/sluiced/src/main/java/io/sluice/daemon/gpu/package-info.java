/** The GPUs of the daemon: the engine's loop, staging, shares. */
@NullMarked
package io.sluice.daemon.gpu;

import org.jspecify.annotations.NullMarked;
