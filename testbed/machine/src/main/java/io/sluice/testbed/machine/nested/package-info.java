/** What runs inside a machine on a Java runtime of its own. */
@NullMarked
package io.sluice.testbed.machine.nested;

import org.jspecify.annotations.NullMarked;
