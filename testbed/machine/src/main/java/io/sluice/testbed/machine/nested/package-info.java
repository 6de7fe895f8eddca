/** Programs that run inside a machine on a Java runtime of their own. */
@NullMarked
package io.sluice.testbed.machine.nested;

import org.jspecify.annotations.NullMarked;
