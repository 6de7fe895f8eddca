/** The state of a device as others get it: sections, session records, transfers. */
@NullMarked
package io.sluice.vdevice.state;

import org.jspecify.annotations.NullMarked;
