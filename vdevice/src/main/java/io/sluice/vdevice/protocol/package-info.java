/** The messages of vfio-user: commands, limits, reading, checking, writing. */
@NullMarked
package io.sluice.vdevice.protocol;

import org.jspecify.annotations.NullMarked;
