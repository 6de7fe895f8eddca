/** The daemon's side of migrations: departures, arrivals, ledgers of what was decided. */
@NullMarked
package io.sluice.daemon.migration;

import org.jspecify.annotations.NullMarked;
