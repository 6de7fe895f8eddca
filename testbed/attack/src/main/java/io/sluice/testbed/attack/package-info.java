/**
 * The attack suite: an attacker as a process that uses one guest's socket against the daemon, and
 * what is looked at beside it, victims above all.
 */
@NullMarked
package io.sluice.testbed.attack;

import org.jspecify.annotations.NullMarked;
