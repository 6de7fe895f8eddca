/** The seam between the migration engine and what carries its frames. */
@NullMarked
package io.sluice.migrate.link;

import org.jspecify.annotations.NullMarked;
