/** The device of one guest: connections, the client's session, hypercalls, seats. */
@NullMarked
package io.sluice.vdevice;

import org.jspecify.annotations.NullMarked;
