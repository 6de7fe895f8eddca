/*
 * Hides NVIDIA's device files: in a mount namespace of the program, /dev/null is mounted over each,
 * and an empty file system over their folder.
 */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	int error = errno;

	if (fd >= 0)
		close(fd);
	errno = error;
	return written;
}

/* Only the privileged may have a mount namespace: others are so in a user namespace of their own. */
static bool namespace_of_user(void)
{
	char user[64], group[64];

	snprintf(user, sizeof(user), "%u %u 1\n", geteuid(), geteuid());
	snprintf(group, sizeof(group), "%u %u 1\n", getegid(), getegid());
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS))
		return false;
	return write_file("/proc/self/setgroups", "deny") && write_file("/proc/self/uid_map", user) &&
	       write_file("/proc/self/gid_map", group);
}

static bool namespace_make(void)
{
	if (unshare(CLONE_NEWNS) && (errno != EPERM || !namespace_of_user())) {
		say("the device files cannot be hidden: no mount namespace: %s; allow user namespaces here "
		    "(sysctl kernel.unprivileged_userns_clone, user.max_user_namespaces, the container's "
		    "seccomp profile), or give --keep-nodes if no device file is in view", strerror(errno));
		return false;
	}
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) {
		say("the device files cannot be hidden: / does not become private: %s; give --keep-nodes if no "
		    "device file is in view", strerror(errno));
		return false;
	}
	return true;
}

static bool hide(const char *path)
{
	struct stat st;
	bool hidden;

	if (lstat(path, &st))
		return true;
	if (S_ISDIR(st.st_mode))
		hidden = mount("none", path, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=755") == 0;
	else if (S_ISLNK(st.st_mode))
		hidden = true; /* what it points to has a name of its own */
	else
		hidden = mount("/dev/null", path, NULL, MS_BIND, NULL) == 0;
	if (!hidden)
		say("%s cannot be hidden: %s; remove it from this view, or give --keep-nodes", path, strerror(errno));
	return hidden;
}

bool nodes_hide(void)
{
	glob_t found;
	bool hidden = true;
	size_t i;
	int result;

	if (!namespace_make())
		return false;
	result = glob("/dev/nvidia*", GLOB_NOSORT, NULL, &found);
	if (result == GLOB_NOMATCH)
		return true;
	if (result) {
		say("/dev cannot be read; give --keep-nodes if no device file is in view");
		return false;
	}
	for (i = 0; hidden && i < found.gl_pathc; i++)
		hidden = hide(found.gl_pathv[i]);
	globfree(&found);
	return hidden;
}
