/** The main job from start to end, as a user sees it. */
@NullMarked
package io.sluice.testbed.demo;

import org.jspecify.annotations.NullMarked;
