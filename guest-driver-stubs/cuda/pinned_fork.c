/*
 * Pinned memory in a fork. The child has the same pages at first, and then a copy of them, where they
 * were private before; of a session's memory in any case: it would keep the session. A child that
 * was made without the C library's fork goes on with its parent's pages.
 */
#include "pinned.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096ull
#define COPY_SECONDS 30 /* many times as long as a GiB takes */

/*
 * The parent waits until the child of a fork has its copies of a session's memory: it could write
 * there meanwhile, or give a piece back and have it for something else. Both ends are -1 where there
 * is nothing to copy.
 */
static int copied[2] = { -1, -1 };

static void close_end(int which)
{
	if (copied[which] >= 0)
		syscall(SYS_close, copied[which]);
	copied[which] = -1;
}

static void await_copies(void)
{
	struct pollfd child = { .fd = copied[0], .events = POLLIN };
	const struct timespec most = { COPY_SECONDS, 0 };

	close_end(1);
	if (copied[0] >= 0)
		syscall(SYS_ppoll, &child, 1, &most, NULL, 0); /* a byte, or the child's end */
	close_end(0);
}

static void tell_copied(void)
{
	if (copied[1] >= 0)
		syscall(SYS_write, copied[1], "", 1);
	close_end(0);
	close_end(1);
}

/*
 * The stack that a fork runs on, where it is pinned: parent and child would both run on the same
 * pages. It is private memory from before the fork until the parent has copied it back.
 */
static struct {
	struct pinned *piece; /* NULL when no fork is under way */
	uint64_t at;
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	int protection;
} stack;

static void look_for_stack(void *context, const struct vma *vma)
{
	struct pinned *p = pinned_of(vma);

	(void)context;
	if (!p || p->shared || !vma->shared || stack.at < vma->start || stack.at >= vma->end)
		return;
	stack.piece = p;
	stack.start = vma->start;
	stack.end = vma->end;
	stack.offset = vma->offset;
	stack.protection = vma->protection;
}

/* A file's pages are mapped privately, and written so that they are copies. */
static bool own_stack(void)
{
	uint64_t at;

	if (stack.piece->fd < 0)
		return pinned_make_own(stack.start, stack.end - stack.start, stack.protection) == 0;
	if (syscall(SYS_mmap, stack.start, stack.end - stack.start, stack.protection, MAP_PRIVATE | MAP_FIXED,
		    stack.piece->fd, stack.offset) == -1)
		return false;
	for (at = stack.start; at < stack.end; at += PAGE)
		__atomic_fetch_or((uint8_t *)at, 0, __ATOMIC_RELAXED);
	return true;
}

void pinned_before_fork_locked(void)
{
	if (!pinned_any() || stack.piece)
		return;
	if (session_file_locked() >= 0 && copied[0] < 0 && syscall(SYS_pipe2, copied, O_CLOEXEC))
		copied[0] = copied[1] = -1;
	stack.at = (uint64_t)__builtin_frame_address(0);
	maps_walk_locked(look_for_stack, NULL);
	if (stack.piece && !own_stack())
		stack.piece = NULL;
}

void pinned_after_fork_locked(void)
{
	uint64_t here = (uint64_t)__builtin_frame_address(0), bytes = stack.end - stack.start;
	long aside;

	await_copies();
	if (!stack.piece || here < stack.start || here >= stack.end)
		return;
	aside = syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, pinned_fd(stack.piece),
			stack.offset);
	if (aside != -1) {
		pinned_replace(stack.piece, (void *)aside, stack.start, bytes, stack.protection, stack.offset);
		syscall(SYS_munmap, aside, bytes);
	}
	stack.piece = NULL;
}

/* Where there is no memory for a copy the child must not write to its parent's. */
static void make_copy(const struct vma *vma)
{
	const uint64_t bytes = vma->end - vma->start;

	if (pinned_make_own(vma->start, bytes, vma->protection))
		syscall(SYS_mmap, vma->start, bytes, PROT_NONE,
			MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/* What was private memory is so again: the child writes to its own copy. */
static void make_private(void *context, const struct vma *vma)
{
	struct pinned *p = pinned_of(vma);

	(void)context;
	if (!p || !vma->shared)
		return;
	if (p->fd < 0)
		make_copy(vma);
	else if (!p->shared)
		syscall(SYS_mmap, vma->start, vma->end - vma->start, vma->protection, MAP_PRIVATE | MAP_FIXED,
			p->fd, vma->offset);
}

void pinned_drop_locked(void)
{
	stack.piece = NULL;
	if (pinned_any()) {
		maps_walk_locked(make_private, NULL);
		pinned_forget_all();
	}
	tell_copied();
}
