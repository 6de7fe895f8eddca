/** The API sessions of a guest: how its processes reach session hosts of this host. */
@NullMarked
package io.sluice.vdevice.session;

import org.jspecify.annotations.NullMarked;
