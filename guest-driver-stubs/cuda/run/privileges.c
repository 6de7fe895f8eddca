/*
 * Gives up all capabilities, and that a program brings any.
 */
#include "run.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

bool privileges_drop(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };
	int capability;

	/* who may not shrink the bounding set is not root, and gets none of it once there are no new privileges */
	for (capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++)
		if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) && (errno != EPERM || geteuid() == 0)) {
			say("capability %d cannot be given up: %s; start this as root with CAP_SETPCAP, or as "
			    "an ordinary user", capability, strerror(errno));
			return false;
		}
	if ((prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) && errno != EINVAL) ||
	    syscall(SYS_capset, &head, none) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
		say("privileges cannot be given up: %s; it needs Linux 3.5 or later", strerror(errno));
		return false;
	}
	return true;
}
