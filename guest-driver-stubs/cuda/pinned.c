/*
 * Memory of the program that RM pins. RM pins the pages of the process that calls it, which is the
 * relay; so the pages must be a memory file's, which both have mapped. Pages that are not are copied
 * into one, which is then mapped in their place. What other threads write meanwhile may be lost.
 */
#include "library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef __x86_64__
#error "pages are replaced in x86-64 assembly"
#endif

#define PAGE 4096ull
#define FILES 4096
#define PIECES 64
#define CHUNK (16ull << 20) /* how much lies in memory twice */
#define NAME "sluice-pinned."
#define MAPPED_NAME "/memfd:" NAME

/* Our memory files; .number is 0 where there is none. */
static struct pinned {
	uint64_t number;
	int fd;
	bool shared; /* with children, as the memory was before */
	bool seen;
} pinned[FILES];
static uint64_t last_number;

struct piece {
	uint64_t start;
	uint64_t end;
	int protection;
};

/* What is mapped in a range. */
struct range {
	uint64_t first;
	uint64_t end;
	uint64_t at; /* known up to here */
	struct pinned *file; /* the one file all of it is of, in one row, or NULL */
	uint64_t offset;
	unsigned pieces;
	struct piece piece[PIECES];
	int protection; /* of all pieces together */
	bool shared;
	int error;
};

static struct pinned *pinned_of(const struct vma *vma)
{
	uint64_t number;
	int i;

	if (strncmp(vma->name, MAPPED_NAME, sizeof(MAPPED_NAME) - 1) != 0)
		return NULL;
	number = strtoull(vma->name + sizeof(MAPPED_NAME) - 1, NULL, 10);
	for (i = 0; number && i < FILES; i++)
		if (pinned[i].number == number)
			return &pinned[i];
	return NULL;
}

static void look(void *context, const struct vma *vma)
{
	struct range *r = context;
	struct pinned *file = pinned_of(vma);
	uint64_t offset, end;

	if (file)
		file->seen = true;
	if (vma->end <= r->first || vma->start >= r->end || r->error)
		return;
	if (vma->start > r->at || !(vma->protection & PROT_READ) || strncmp(vma->name, "/dev/nvidia", 11) == 0)
		r->error = -EFAULT;
	else if (r->pieces == PIECES)
		r->error = -ENOMEM;
	if (r->error)
		return;
	end = vma->end < r->end ? vma->end : r->end;
	offset = vma->offset + (r->at - vma->start);
	if (r->pieces == 0) {
		r->file = vma->shared ? file : NULL;
		r->offset = offset;
	} else if (file != r->file || !vma->shared || offset != r->offset + (r->at - r->first)) {
		r->file = NULL;
	}
	r->piece[r->pieces++] = (struct piece){ r->at, end, vma->protection };
	r->protection |= vma->protection;
	r->shared |= vma->shared;
	r->at = end;
}

static void forget(struct pinned *p)
{
	if (p->fd >= 0) {
		file_set_locked(p->fd, FILE_NOT_OURS, 0, 0);
		syscall(SYS_close, p->fd);
	}
	p->number = 0;
}

void pinned_lost_locked(int fd)
{
	int i;

	for (i = 0; i < FILES; i++)
		if (pinned[i].number && pinned[i].fd == fd)
			pinned[i].number = 0;
}

/* Looks at the range; files that are mapped nowhere any more are closed. */
static int look_at(struct range *r)
{
	int error, i;

	for (i = 0; i < FILES; i++)
		if (pinned[i].number)
			pinned[i].seen = false;
	error = maps_walk_locked(look, r);
	if (error)
		return error;
	for (i = 0; i < FILES; i++)
		if (pinned[i].number && !pinned[i].seen)
			forget(&pinned[i]);
	if (r->error)
		return r->error;
	return r->at < r->end ? -EFAULT : 0;
}

static int create(const struct range *r, struct pinned **result)
{
	struct pinned *p = pinned;
	char name[40];
	long fd;
	int error;

	while (p < pinned + FILES && p->number)
		p++;
	if (p == pinned + FILES)
		return -ENOMEM;
	snprintf(name, sizeof(name), NAME "%llu", (unsigned long long)last_number + 1);
	fd = syscall(SYS_memfd_create, name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -errno;
	if (syscall(SYS_ftruncate, fd, r->end - r->first) || syscall(SYS_fcntl, fd, F_ADD_SEALS, F_SEAL_SHRINK)) {
		error = -errno;
		syscall(SYS_close, fd);
		return error;
	}
	*p = (struct pinned){ ++last_number, link_move_locked((int)fd, FILE_MEMORY), r->shared, true };
	*result = p;
	return 0;
}

/*
 * Copies pages to where the file is mapped and maps the file in their place, without a store between
 * the two: the stack this runs on may be among the pages.
 */
static long copy_and_replace(void *copy, uint64_t start, uint64_t bytes, int protection, int fd, uint64_t offset)
{
	register long protection_in __asm__("rdx") = protection;
	register long flags_in __asm__("r10") = MAP_SHARED | MAP_FIXED | MAP_POPULATE;
	register long fd_in __asm__("r8") = fd;
	register long offset_in __asm__("r9") = (long)offset;
	register uint64_t start_in __asm__("r12") = start;
	register uint64_t bytes_in __asm__("r13") = bytes;
	uint64_t count = bytes;
	void *from = (void *)start;
	long result;

	__asm__ volatile("cld\n\t"
			 "rep movsb\n\t"
			 "movq %%r12, %%rdi\n\t"
			 "movq %%r13, %%rsi\n\t"
			 "movl %[mmap], %%eax\n\t"
			 "syscall"
			 : "=&a"(result), "+D"(copy), "+S"(from), "+c"(count)
			 : [mmap] "i"(SYS_mmap), "r"(protection_in), "r"(flags_in), "r"(fd_in), "r"(offset_in),
			   "r"(start_in), "r"(bytes_in)
			 : "r11", "memory", "cc");
	return result < 0 && result >= -4095 ? result : 0;
}

static int replace_chunk(const struct range *r, int fd, uint64_t start, uint64_t bytes)
{
	long copy = syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd,
			    start - r->first);
	long error;

	if (copy == -1)
		return -errno;
	error = copy_and_replace((void *)copy, start, bytes, r->protection, fd, start - r->first);
	syscall(SYS_munmap, copy, bytes);
	return (int)error;
}

static int replace(const struct range *r, int fd)
{
	uint64_t at, bytes;
	unsigned i;
	int error;

	for (at = r->first; at < r->end; at += bytes) {
		bytes = r->end - at < CHUNK ? r->end - at : CHUNK;
		error = replace_chunk(r, fd, at, bytes);
		if (error)
			return error;
	}
	for (i = 0; i < r->pieces; i++)
		if (r->piece[i].protection != r->protection)
			syscall(SYS_mprotect, r->piece[i].start, r->piece[i].end - r->piece[i].start,
				r->piece[i].protection);
	return 0;
}

int pinned_file_locked(uint64_t address, uint64_t bytes, uint64_t *offset)
{
	struct range r = { .first = address & ~(PAGE - 1) };
	int error;

	if (!bytes || __builtin_add_overflow(address, bytes, &r.end) || r.end > UINT64_MAX - PAGE)
		return -EINVAL;
	r.end = (r.end + PAGE - 1) & ~(PAGE - 1);
	r.at = r.first;
	error = look_at(&r);
	if (error)
		return error;
	if (!r.file) {
		error = create(&r, &r.file);
		if (!error)
			error = replace(&r, r.file->fd);
		if (error)
			return error;
		r.offset = 0;
	}
	*offset = r.offset;
	return r.file->fd;
}

/*
 * The stack that a fork runs on, where it is pinned: parent and child would both run on the same
 * pages. It is private memory from before the fork until the parent has copied it back.
 */
static struct {
	struct pinned *file; /* NULL when no fork is under way */
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
	stack.file = p;
	stack.start = vma->start;
	stack.end = vma->end;
	stack.offset = vma->offset;
	stack.protection = vma->protection;
}

void pinned_before_fork_locked(void)
{
	uint64_t at;

	if (!last_number || stack.file)
		return;
	stack.at = (uint64_t)&at;
	maps_walk_locked(look_for_stack, NULL);
	if (!stack.file)
		return;
	if (syscall(SYS_mmap, stack.start, stack.end - stack.start, stack.protection, MAP_PRIVATE | MAP_FIXED,
		    stack.file->fd, stack.offset) == -1)
		stack.file = NULL;
	for (at = stack.start; stack.file && at < stack.end; at += PAGE)
		__atomic_fetch_or((uint8_t *)at, 0, __ATOMIC_RELAXED); /* a page of its own */
}

void pinned_after_fork_locked(void)
{
	uint64_t here = (uint64_t)&here;
	long copy;

	if (!stack.file || here < stack.start || here >= stack.end)
		return;
	copy = syscall(SYS_mmap, NULL, stack.end - stack.start, PROT_READ | PROT_WRITE, MAP_SHARED, stack.file->fd,
		       stack.offset);
	if (copy != -1) {
		copy_and_replace((void *)copy, stack.start, stack.end - stack.start, stack.protection,
				 stack.file->fd, stack.offset);
		syscall(SYS_munmap, copy, stack.end - stack.start);
	}
	stack.file = NULL;
}

/* What was private memory is so again: the child writes to its own copy. */
static void make_private(void *context, const struct vma *vma)
{
	struct pinned *p = pinned_of(vma);

	(void)context;
	if (p && !p->shared && vma->shared)
		syscall(SYS_mmap, vma->start, vma->end - vma->start, vma->protection, MAP_PRIVATE | MAP_FIXED,
			p->fd, vma->offset);
}

void pinned_drop_locked(void)
{
	int i;

	stack.file = NULL;
	if (!last_number)
		return;
	maps_walk_locked(make_private, NULL);
	for (i = 0; i < FILES; i++)
		if (pinned[i].number)
			forget(&pinned[i]);
}
