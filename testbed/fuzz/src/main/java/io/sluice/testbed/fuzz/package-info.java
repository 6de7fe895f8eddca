/** The long form of the fuzz targets, which the tests of each module only replay. */
@NullMarked
package io.sluice.testbed.fuzz;

import org.jspecify.annotations.NullMarked;
