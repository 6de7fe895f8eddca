/** JMH benchmarks of the code on the data path; {@code ./sluice bench jmh} runs them. */
@NullMarked
package io.sluice.testbed.jmh;

import org.jspecify.annotations.NullMarked;
