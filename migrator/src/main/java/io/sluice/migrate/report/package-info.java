/** The report of a migration, for people and programs. */
@NullMarked
package io.sluice.migrate.report;

import org.jspecify.annotations.NullMarked;
