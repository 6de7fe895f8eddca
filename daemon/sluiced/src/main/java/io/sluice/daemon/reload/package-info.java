/** The configuration read anew while the daemon serves. */
@NullMarked
package io.sluice.daemon.reload;

import org.jspecify.annotations.NullMarked;
