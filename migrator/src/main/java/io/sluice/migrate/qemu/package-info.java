/** The machine of a guest as QEMU runs it: what a migration asks of it on either side. */
@NullMarked
package io.sluice.migrate.qemu;

import org.jspecify.annotations.NullMarked;
