/** MXBean interfaces, their records, and object names. */
@NullMarked
package io.sluice.management;

import org.jspecify.annotations.NullMarked;
