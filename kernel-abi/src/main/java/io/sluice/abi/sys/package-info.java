/** System calls: the Kernel seam, its real and recording implementations. */
@NullMarked
package io.sluice.abi.sys;

import org.jspecify.annotations.NullMarked;
