/** pscnv's ioctls and structures, and the extensions of the software GPU. */
@NullMarked
package io.sluice.abi.pscnv;

import org.jspecify.annotations.NullMarked;
