/** The guests of the daemon: their table, devices, quotas, excess. */
@NullMarked
package io.sluice.daemon.guest;

import org.jspecify.annotations.NullMarked;
