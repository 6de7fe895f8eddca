/* What the parts of the compute library share. */
#ifndef SLUICE_COMPUTE_INTERNAL_H
#define SLUICE_COMPUTE_INTERNAL_H

#include "compute.h"
#include "cubin.h"
#include "image_words.h"
#include "launch.h"

#define BOUNCE_BYTES (1u << 20) /* of one of the two buffers that copies pass through */
#define BOUNCES 2

struct allocation {
	struct sluice_bo bo;
	uint64_t address;
	uint64_t bytes; /* as asked for */
};

struct bounce {
	struct allocation memory;
	uint32_t fence; /* the GPU uses it until this is reached; 0: it never did */
};

struct slc_context {
	struct sluice_dev dev;
	struct sluice_vspace_id vs;
	struct sluice_channel ch;
	enum slc_wait wait;
	uint32_t timeout_ms;
	uint32_t multiprocessors;
	uint32_t launches;

	struct bounce bounce[BOUNCES];
	struct allocation bank_1; /* the driver's constants */
	struct allocation local;  /* local memory, as large as the greediest kernel so far wanted */
	struct allocation events; /* reports of 16 bytes */
	uint32_t event_payload[SLC_EVENTS];
	uint32_t last_payload;

	struct allocation *allocation; /* by address */
	uint32_t allocation_count;
	uint32_t allocation_capacity;
	struct slc_module *module[SLC_MAX_MODULES];
	struct slc_array *array; /* the first of a list */

	struct slc_error error;
};

struct slc_array {
	struct slc_context *ctx;
	struct slc_array *next;
	struct allocation memory;
	struct sluice_image image;
};

struct slc_function {
	struct slc_module *module;
	char *name;
	struct slc_kernel kernel; /* its pointers into the file are not valid any more */
	uint32_t start;           /* of its code in the module's memory */
	struct sluice_bank bank[SLUICE_LAUNCH_BANKS];
};

struct variable {
	char *name;
	uint64_t address;
	uint64_t bytes;
};

struct slc_reference {
	struct slc_module *module;
	char *name;
	bool surface;
	uint64_t address; /* of what is bound */
	uint64_t bytes;   /* 0: nothing is */
	struct sluice_surface target;
};

struct slc_module {
	struct slc_context *ctx;
	uint32_t slot;
	struct allocation memory; /* code, constants and variables */
	uint32_t variable_count;
	struct variable *variable;
	uint32_t reference_count;
	struct slc_reference *reference; /* as the cubin's images */
	uint64_t headers;                /* pools with an entry for each */
	uint64_t samplers;
	uint32_t function_count;
	struct slc_function function[];
};

static inline uint64_t slc_round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

/* Notes an error and returns its status. */
__attribute__((format(printf, 4, 5))) int slc_fail(struct slc_context *ctx, enum slc_status status,
						   int system, const char *format, ...);
/* The same for what a call of the lower library returned, about WHAT. */
int slc_fail_call(struct slc_context *ctx, int ret, const char *what);
/* SLC_OK, or SLC_CHANNEL_ENDED with the reason noted. */
int slc_check_channel(struct slc_context *ctx);

/* Copies to the device what lies in memory of the library's own, in order with all other work. */
int slc_store(struct slc_context *ctx, uint64_t to, const void *from, uint64_t bytes);
/* SLC_OK if a range lies in one allocation or variable. */
int slc_check_range(struct slc_context *ctx, uint64_t address, uint64_t bytes);

/* Takes from textures and surfaces what is about to be freed. */
void slc_references_unbind(struct slc_context *ctx, uint64_t address, uint64_t bytes);
/* Binds what a function's slots have; SLC_INVALID_VALUE if one has nothing. */
int slc_build_images(struct slc_context *ctx, const struct slc_function *f, struct sluice_words *w);
#define SLC_IMAGES_WORDS                                                     \
	(SLUICE_POOLS_WORDS + SLC_TEXTURE_SLOTS * SLUICE_TEXTURE_WORDS +     \
	 SLC_SURFACE_SLOTS * SLUICE_SURFACE_WORDS)
/* Frees all arrays; nothing uses them any more. */
void slc_arrays_free(struct slc_context *ctx);

/* Whether a range lies in a variable of a module. */
bool slc_is_variable(const struct slc_context *ctx, uint64_t address, uint64_t bytes);

/* Buffers that are mapped in the context's address space; of the library's own use. */
int slc_buffer_new(struct slc_context *ctx, uint32_t flags, uint64_t bytes, struct allocation *a);
void slc_buffer_free(struct slc_context *ctx, struct allocation *a);

int slc_submit(struct slc_context *ctx, struct sluice_words *w);
/* Ends words with a fence for the work before and in them, submits, and tells the fence. */
int slc_submit_fenced(struct slc_context *ctx, struct sluice_words *w, uint32_t *fence);
int slc_wait_fence(struct slc_context *ctx, uint32_t fence);

#endif /* SLUICE_COMPUTE_INTERNAL_H */
