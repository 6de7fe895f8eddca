/** The device's queues between two threads. */
@NullMarked
package io.sluice.vdevice;

import org.jspecify.annotations.NullMarked;
