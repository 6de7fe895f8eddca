/** Sessions that wait in a file until they are made again. */
@NullMarked
package io.sluice.remoting.park;

import org.jspecify.annotations.NullMarked;
