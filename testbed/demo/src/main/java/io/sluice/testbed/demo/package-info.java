/**
 * The main job from start to end, as a user sees it: a daemon, a guest, two channels, and the count
 * of what the host had to do for it.
 */
@NullMarked
package io.sluice.testbed.demo;

import org.jspecify.annotations.NullMarked;
