/**
 * The benches of docs/performance.md, by its numbers. Each measures its peer or limit in the same
 * run.
 */
@NullMarked
package io.sluice.testbed.bench;

import org.jspecify.annotations.NullMarked;
