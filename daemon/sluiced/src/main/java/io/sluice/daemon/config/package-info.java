/**
 * The daemon's configuration: a TOML file, the files of {@code conf.d} beside it, environment and
 * flags, merged into one {@link io.sluice.daemon.config.DaemonConfig} that knows where each value
 * came from.
 */
@NullMarked
package io.sluice.daemon.config;

import org.jspecify.annotations.NullMarked;
