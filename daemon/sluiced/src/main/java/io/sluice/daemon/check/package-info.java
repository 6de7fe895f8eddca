/** The looks at what the daemon needs of its host. */
@NullMarked
package io.sluice.daemon.check;

import org.jspecify.annotations.NullMarked;
