/** The guest ABI of the virtual device, mirrored from sluice_abi.h. */
@NullMarked
package io.sluice.abi.guest;

import org.jspecify.annotations.NullMarked;
