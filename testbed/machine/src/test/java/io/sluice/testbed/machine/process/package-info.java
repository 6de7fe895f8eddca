/** Processes that are guests themselves, without a machine, of a real daemon process. */
@NullMarked
package io.sluice.testbed.machine.process;

import org.jspecify.annotations.NullMarked;
