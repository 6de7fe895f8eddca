/*
 * The lock of all state, and whose the state is.
 */
#include "library.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define SIGNAL(number) (1ull << ((number) - 1))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long owner; /* atomic; 0 before the first connection */
static char path[sizeof(((struct sockaddr_un *)NULL)->sun_path)];

bool relay_active(void)
{
	static int known; /* atomic: 0, 1 no, 2 yes, 3 being read */
	int now = __atomic_load_n(&known, __ATOMIC_ACQUIRE);
	const char *value;

	if (now == 1 || now == 2)
		return now == 2;
	value = getenv("SLUICE_CUDA_SOCKET");
	if (!value || !*value) {
		__atomic_store_n(&known, 1, __ATOMIC_RELEASE);
		return false;
	}
	now = 0;
	if (__atomic_compare_exchange_n(&known, &now, 3, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
		/* one that is too long is cut and not found */
		strncpy(path, value, sizeof(path) - 1);
		__atomic_store_n(&known, 2, __ATOMIC_RELEASE);
	}
	while (__atomic_load_n(&known, __ATOMIC_ACQUIRE) == 3)
		syscall(SYS_sched_yield);
	return true;
}

const char *relay_path(void)
{
	return path;
}

void relay_enter(struct relay_section *s)
{
	uint64_t all = ~(SIGNAL(SIGSEGV) | SIGNAL(SIGBUS) | SIGNAL(SIGILL) | SIGNAL(SIGFPE) |
			 SIGNAL(SIGTRAP) | SIGNAL(SIGSYS) | SIGNAL(SIGABRT));

	s->error = errno;
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &s->signals, sizeof(all));
	pthread_mutex_lock(&lock);
}

void relay_leave(const struct relay_section *s)
{
	pthread_mutex_unlock(&lock);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &s->signals, NULL, sizeof(s->signals));
	errno = s->error;
}

bool relay_is_here(void)
{
	return syscall(SYS_getpid) == __atomic_load_n(&owner, __ATOMIC_ACQUIRE);
}

void relay_is_here_now(void)
{
	pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;

	if (__atomic_exchange_n(&owner, syscall(SYS_getpid), __ATOMIC_ACQ_REL))
		lock = fresh;
}

long relay_result(long result)
{
	if (result >= 0 || result < -4095)
		return result;
	errno = (int)-result;
	return -1;
}

long relay_errno(long result)
{
	return result == -1 ? -errno : result;
}
