/** PFIFO: the runlist, channels, control pages, the pushbuffer decoder and the host's methods. */
@NullMarked
package io.sluice.gpu.fifo;

import org.jspecify.annotations.NullMarked;
