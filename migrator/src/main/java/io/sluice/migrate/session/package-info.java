/** API sessions of a machine's processes, which move with the machine. */
@NullMarked
package io.sluice.migrate.session;

import org.jspecify.annotations.NullMarked;
