/*
 * Pages in the place of pages, with the same content. The stack this runs on may be among them, so
 * nothing is stored between the copy and the system call.
 */
#include "pinned.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef __x86_64__
#error "pages are replaced in x86-64 assembly"
#endif

static int copy_and_call(void *to, uint64_t start, uint64_t bytes, long number, const long argument[6])
{
	register long first __asm__("r12") = argument[0];
	register long second __asm__("r13") = argument[1];
	register long third __asm__("rdx") = argument[2];
	register long fourth __asm__("r10") = argument[3];
	register long fifth __asm__("r8") = argument[4];
	register long sixth __asm__("r9") = argument[5];
	void *from = (void *)start;
	uint64_t count = bytes;
	long result = number;

	__asm__ volatile("cld\n\t"
			 "rep movsb\n\t"
			 "movq %%r12, %%rdi\n\t"
			 "movq %%r13, %%rsi\n\t"
			 "syscall"
			 : "+a"(result), "+D"(to), "+S"(from), "+c"(count)
			 : "r"(first), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
			 : "r11", "memory", "cc");
	return result < 0 && result >= -4095 ? (int)result : 0;
}

int pinned_replace(const struct pinned *p, void *aside, uint64_t start, uint64_t bytes, int protection,
		   uint64_t offset)
{
	const long map[6] = { (long)start, (long)bytes, protection, MAP_SHARED | MAP_FIXED | MAP_POPULATE,
			      pinned_fd(p), (long)offset };

	return copy_and_call(aside, start, bytes, SYS_mmap, map);
}

int pinned_make_own(uint64_t start, uint64_t bytes, int protection)
{
	long copy = syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
			    -1, 0);
	const long move[6] = { copy, (long)bytes, (long)bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (long)start };
	int error;

	if (copy == -1)
		return -errno;
	if (!(protection & PROT_READ))
		syscall(SYS_mprotect, start, bytes, protection | PROT_READ);
	error = copy_and_call((void *)copy, start, bytes, SYS_mremap, move);
	if (error)
		syscall(SYS_munmap, copy, bytes);
	syscall(SYS_mprotect, start, bytes, protection);
	return error;
}
