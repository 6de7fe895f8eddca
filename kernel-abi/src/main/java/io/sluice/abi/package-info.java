/** Error hierarchy and address types shared by every module. */
@NullMarked
package io.sluice.abi;

import org.jspecify.annotations.NullMarked;
