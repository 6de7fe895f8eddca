/*
 * Pinned memory in a fork. The child has the same pages at first, and then a copy of them, where they
 * were private before; of a session's memory in any case: it would keep the session. A child that
 * was made without the C library's fork goes on with its parent's pages.
 */
#include "pinned.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096ull

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
	stack.at = (uint64_t)__builtin_frame_address(0);
	maps_walk_locked(look_for_stack, NULL);
	if (stack.piece && !own_stack())
		stack.piece = NULL;
}

void pinned_after_fork_locked(void)
{
	uint64_t here = (uint64_t)__builtin_frame_address(0), bytes = stack.end - stack.start;
	long aside;

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

/* What was private memory is so again: the child writes to its own copy. */
static void make_private(void *context, const struct vma *vma)
{
	struct pinned *p = pinned_of(vma);

	(void)context;
	if (!p || !vma->shared)
		return;
	if (p->fd < 0)
		pinned_make_own(vma->start, vma->end - vma->start, vma->protection);
	else if (!p->shared)
		syscall(SYS_mmap, vma->start, vma->end - vma->start, vma->protection, MAP_PRIVATE | MAP_FIXED,
			p->fd, vma->offset);
}

void pinned_drop_locked(void)
{
	stack.piece = NULL;
	if (!pinned_any())
		return;
	maps_walk_locked(make_private, NULL);
	pinned_forget_all();
}
