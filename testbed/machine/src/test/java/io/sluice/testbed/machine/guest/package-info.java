/**
 * One machine on one host: its device, its driver, its programs, and what it can do to its host.
 */
@NullMarked
package io.sluice.testbed.machine.guest;

import org.jspecify.annotations.NullMarked;
