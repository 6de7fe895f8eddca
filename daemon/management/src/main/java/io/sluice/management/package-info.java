/** MXBean interfaces, their records, object names, notification types and error codes. */
@NullMarked
package io.sluice.management;

import org.jspecify.annotations.NullMarked;
