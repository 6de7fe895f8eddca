/** Sluice as an operator gets it: packages on a plain host, daemons in containers. */
@NullMarked
package io.sluice.testbed.machine.install;

import org.jspecify.annotations.NullMarked;
