/*
 * A seccomp filter that refuses the driver's ioctls on any file: RM's, whose request words have the
 * magic 'F', and UVM's, which are plain numbers: below 0x800, and two. Terminals' ('T', 0x54), files'
 * and sockets' requests are elsewhere; but FIBMAP (1) and FIGETBSZ (2) are refused too.
 */
#include "run.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define X32 0x40000000u
#define RM_MAGIC ('F' << 8)
#define UVM_BELOW 0x800
#define UVM_INITIALIZE 0x30000001
#define UVM_DEINITIALIZE 0x30000002

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define EQUAL(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)
#define AT_LEAST(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, value, yes, no)
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)

bool filter_set(void)
{
	struct sock_filter code[] = {
		LOAD(arch),
		EQUAL(AUDIT_ARCH_X86_64, 1, 0),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		LOAD(nr),
		AT_LEAST(X32, 0, 1),
		RETURN(SECCOMP_RET_ERRNO | ENOSYS),
		EQUAL(SYS_ioctl, 1, 0),
		RETURN(SECCOMP_RET_ALLOW),
		LOAD(args[1]), /* its low word, which is all the kernel looks at */
		AT_LEAST(UVM_BELOW, 0, 4),
		EQUAL(UVM_INITIALIZE, 3, 0),
		EQUAL(UVM_DEINITIALIZE, 2, 0),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xff00),
		EQUAL(RM_MAGIC, 0, 1),
		RETURN(SECCOMP_RET_ERRNO | EPERM),
		RETURN(SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0)) {
		say("the driver's ioctls cannot be refused: %s; it needs a kernel with CONFIG_SECCOMP_FILTER",
		    strerror(errno));
		return false;
	}
	return true;
}
