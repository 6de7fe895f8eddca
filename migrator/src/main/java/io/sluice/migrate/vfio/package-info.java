/** A device's state as the stream of VFIO's migration protocol. */
@NullMarked
package io.sluice.migrate.vfio;

import org.jspecify.annotations.NullMarked;
