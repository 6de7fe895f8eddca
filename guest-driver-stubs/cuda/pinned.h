/*
 * The parts of pinned memory, as they see one another.
 */
#ifndef SLUICE_CUDA_PINNED_H
#define SLUICE_CUDA_PINNED_H

#include "library.h"

/* A piece of memory that both have mapped: a memory file, or a part of a session's segment. */
struct pinned {
	uint64_t number; /* 0: none */
	uint64_t first; /* where it begins in its file: what mmap takes */
	uint64_t bytes;
	int fd; /* of the memory file; -1 of a session's */
	bool shared; /* with children, as the memory was before */
	bool seen;
};

/* ---- pinned.c ---- */

/* The piece that is mapped there, or NULL. */
struct pinned *pinned_of(const struct vma *vma);
/* Its file; -1 where that is gone. */
int pinned_fd(const struct pinned *p);
bool pinned_any(void);
/* None is known any more, and nobody is told. */
void pinned_forget_all(void);

/* ---- pinned_copy.c ---- */

/* Copies pages to where the piece is mapped aside, and maps the piece in their place, from an offset of its file. */
int pinned_replace(const struct pinned *p, void *aside, uint64_t start, uint64_t bytes, int protection,
		   uint64_t offset);
/* Puts private memory that is a copy in the place of pages. */
int pinned_make_own(uint64_t start, uint64_t bytes, int protection);

#endif
