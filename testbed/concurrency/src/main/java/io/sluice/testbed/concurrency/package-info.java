/** Protocols between threads, checked by jcstress. */
@NullMarked
package io.sluice.testbed.concurrency;

import org.jspecify.annotations.NullMarked;
