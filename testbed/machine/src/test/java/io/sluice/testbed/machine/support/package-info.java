/**
 * Parts for tests of several rooms: a daemon with its machines, programs and processes, and what is
 * looked at in them.
 */
@NullMarked
package io.sluice.testbed.machine.support;

import org.jspecify.annotations.NullMarked;
