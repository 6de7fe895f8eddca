/** The seam between the migration engine and the machine whose GPU it moves. */
@NullMarked
package io.sluice.migrate.machine;

import org.jspecify.annotations.NullMarked;
