/** VFIO structures and the vfio-user messages that carry them. */
@NullMarked
package io.sluice.abi.vfio;

import org.jspecify.annotations.NullMarked;
