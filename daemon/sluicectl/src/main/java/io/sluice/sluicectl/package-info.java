/** Commands, tables and JSON of sluicectl. */
@NullMarked
package io.sluice.sluicectl;

import org.jspecify.annotations.NullMarked;
