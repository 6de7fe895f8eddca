/*
 * Compute on a Sluice device, in the manner of a driver API: a context has an address space and a
 * channel, loads modules of machine code, allocates and copies memory, launches kernels, waits.
 *
 *	struct slc_context *ctx;
 *	struct slc_module *module;
 *	const struct slc_function *scale;
 *	uint64_t data;
 *	float factor = 2;
 *	void *arguments[] = { &data, &factor };
 *	struct slc_shape shape = { .grid = { 64, 1, 1 }, .block = { 256, 1, 1 } };
 *
 *	if (slc_context_create(&ctx, NULL) ||
 *	    slc_module_load_file(ctx, "scale.cubin", &module) ||
 *	    slc_module_function(module, "scale", &scale) ||
 *	    slc_memory_alloc(ctx, bytes, &data) ||
 *	    slc_copy_to_device(ctx, data, host, bytes) ||
 *	    slc_launch(scale, &shape, arguments, 2) ||
 *	    slc_copy_to_host(ctx, host, data, bytes))
 *		fprintf(stderr, "%s\n", slc_error(ctx)->text);
 *	slc_context_destroy(ctx);
 *
 * Functions return SLC_OK, 0, or another slc_status; slc_error then says more. Work runs in the order
 * in which it was handed over. Launches and copies to the device do not wait for the GPU, so an error
 * of theirs may be told by a later call. When the channel has ended, because a kernel did something
 * wrong or somebody ended it, every call but frees returns SLC_CHANNEL_ENDED; other contexts do not
 * notice.
 *
 * Only set-up calls the host: creating and destroying contexts, loading modules, allocating and
 * freeing memory, and a first launch that needs more local memory than any before. Waiting makes
 * system calls, but none that the host sees. A context is used by one thread at a time.
 */
#ifndef SLUICE_COMPUTE_H
#define SLUICE_COMPUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- errors ------------------------------------------------------------------------------------ */

enum slc_status {
	SLC_OK = 0,
	SLC_INVALID_VALUE = 1,      /* an argument is out of range */
	SLC_NO_HOST_MEMORY = 2,
	SLC_NO_DEVICE_MEMORY = 3,
	SLC_NO_DEVICE = 4,          /* there is none, it cannot be opened, or its host has ended */
	SLC_INVALID_IMAGE = 5,      /* a cubin is broken, or not for this GPU */
	SLC_NOT_FOUND = 6,          /* no kernel, variable, texture, surface or file of that name */
	SLC_INVALID_ADDRESS = 7,    /* not inside memory that was allocated */
	SLC_OUT_OF_RESOURCES = 8,   /* a launch asks for more than a multiprocessor has */
	SLC_TIMEOUT = 9,            /* the GPU was not done in time; it goes on */
	SLC_CHANNEL_ENDED = 10,     /* see channel, reason, info and address of slc_error */
	SLC_SYSTEM = 11,            /* a system call failed, see system */
};

struct slc_error {
	enum slc_status status; /* of the last call that failed; SLC_OK when none has */
	int system;             /* errno behind it, or 0 */
	uint32_t channel;       /* of SLC_CHANNEL_ENDED: which, */
	uint32_t reason;        /* SLUICE_ERROR_* of sluice_abi.h, */
	uint32_t info;          /* and the details that go with the reason */
	uint64_t address;
	char text[256];         /* a sentence for people */
};

struct slc_context;

/* What the last call that failed found. Never NULL; ctx may be, after slc_context_create failed: then
 * that is told, of the calling thread. */
const struct slc_error *slc_error(const struct slc_context *ctx);
/* The name of a status, as written above. */
const char *slc_status_name(enum slc_status status);

/* ---- contexts ---------------------------------------------------------------------------------- */

enum slc_wait {
	SLC_WAIT_POLL = 0,      /* look at memory: fast, takes a processor that nobody else wants */
	SLC_WAIT_INTERRUPT = 1, /* sleep until the GPU interrupts */
};

struct slc_options {
	const char *device;  /* as of sluice_open; NULL: the first there is */
	enum slc_wait wait;
	uint32_t timeout_ms; /* longest wait for the GPU; 0: no end */
};

/* Opens the device and makes an address space and a channel. options may be NULL. */
int slc_context_create(struct slc_context **ctx, const struct slc_options *options);
/* Frees everything, whatever state it is in. Work that has not finished is ended. NULL is allowed. */
void slc_context_destroy(struct slc_context *ctx);
/* The channel's id, as the host's tools show it. */
uint32_t slc_context_channel(const struct slc_context *ctx);
/* Waits until all work handed over is done. */
int slc_synchronize(struct slc_context *ctx);

/* ---- modules ----------------------------------------------------------------------------------- */

#define SLC_MAX_MODULES 64 /* of a context */

struct slc_module;
struct slc_function;

/* Loads a cubin of sm_20, or a fat binary with one, from memory, which may be freed after, or from a
 * file. Of cubins of 32 bits the pointers have 4 bytes: they reach the first 4 GiB. */
int slc_module_load(struct slc_context *ctx, const void *image, size_t bytes,
		    struct slc_module **module);
int slc_module_load_file(struct slc_context *ctx, const char *path, struct slc_module **module);
/* Waits for the work of the context, then frees. */
int slc_module_unload(struct slc_module *module);
/* A kernel of a module; valid until that is unloaded. */
int slc_module_function(struct slc_module *module, const char *name,
			const struct slc_function **function);

/* Where a __device__ or __constant__ variable of a module is: the copies below take its address.
 * Launches that come after a copy into a constant see it. */
int slc_module_variable(struct slc_module *module, const char *name, uint64_t *address,
			uint64_t *bytes);

/* A __device__ texture or surface of a module, by its name; valid until the module is unloaded. It is
 * bound before a kernel that uses it is launched, see below. */
struct slc_reference;

int slc_module_texture(struct slc_module *module, const char *name, struct slc_reference **texture);
int slc_module_surface(struct slc_module *module, const char *name, struct slc_reference **surface);

struct slc_function_info {
	uint32_t registers;       /* of a thread */
	uint32_t shared_bytes;    /* of a block */
	uint32_t local_bytes;     /* of a thread */
	uint32_t parameter_count;
	uint32_t parameter_bytes;
};

void slc_function_info(const struct slc_function *function, struct slc_function_info *info);

/* ---- memory ------------------------------------------------------------------------------------ */

#define SLC_MAX_ALLOCATIONS 4096 /* of a context */

/* Video memory of the device; its address is a multiple of 4096. Its content is not defined. */
int slc_memory_alloc(struct slc_context *ctx, uint64_t bytes, uint64_t *address);
/* Waits for the work of the context, then frees. */
int slc_memory_free(struct slc_context *ctx, uint64_t address);
/* Copies; each range lies inside one allocation or variable. When slc_copy_to_device returns, the source may
 * change; when slc_copy_to_host returns, the bytes are there, and all earlier work is done. */
int slc_copy_to_device(struct slc_context *ctx, uint64_t to, const void *from, uint64_t bytes);
int slc_copy_to_host(struct slc_context *ctx, void *to, uint64_t from, uint64_t bytes);
int slc_copy_on_device(struct slc_context *ctx, uint64_t to, uint64_t from, uint64_t bytes);

/* ---- textures and surfaces --------------------------------------------------------------------- */

enum slc_component {
	SLC_UNSIGNED = 0,
	SLC_SIGNED = 1,
	SLC_FLOAT = 2, /* of 16 or 32 bits */
};

struct slc_texel {
	uint32_t channels; /* 1, 2 or 4 */
	uint32_t bits;     /* of each: 8, 16 or 32 */
	enum slc_component component;
};

/* What stands for a texel beyond the edge. Without normalized coordinates only the last two are
 * different: the first two are as SLC_CLAMP. */
enum slc_beyond {
	SLC_WRAP = 0,
	SLC_MIRROR = 1,
	SLC_CLAMP = 2,
	SLC_BORDER = 3, /* zero */
};

/* How a texture is read; NULL where one is asked for: SLC_CLAMP, nothing else. */
struct slc_sampling {
	enum slc_beyond address[2]; /* along x, y */
	bool linear;     /* between texels; those of integers are not */
	bool normalized; /* coordinates go from 0 to 1 */
	bool fractions;  /* integers of 8 and 16 bits are read as 0 to 1, signed ones as -1 to 1 */
};

/* An image in video memory, in the blocks in which textures and surfaces keep them. */
struct slc_array;

/* height 0: of one dimension; layers 0: none. Up to 65536 x 65535 texels and 2048 layers. */
int slc_array_create(struct slc_context *ctx, const struct slc_texel *texel, uint32_t width,
		     uint32_t height, uint32_t layers, struct slc_array **array);
/* Waits for the work of the context, then frees. What was bound to it is not any more. */
int slc_array_destroy(struct slc_array *array);
/* Copies a layer (0 without layers), whose lines follow each other in the host's memory. When they
 * return, the source may change, or the bytes are there. */
int slc_array_write(struct slc_array *array, uint32_t layer, const void *from);
int slc_array_read(struct slc_array *array, uint32_t layer, void *to);

/* Lines of texels in memory that was allocated. */
struct slc_lines {
	struct slc_texel texel;
	uint64_t address; /* a multiple of 32 */
	uint32_t width;
	uint32_t height;
	uint32_t pitch; /* bytes from line to line, a multiple of 32 */
};

/* Bind a texture to an array, to lines, or to a number of texels in a row, which are fetched by their
 * number (tex1Dfetch); the address is a multiple of 32. Launches that come after see it. */
int slc_texture_bind_array(struct slc_reference *texture, const struct slc_array *array,
			   const struct slc_sampling *sampling);
int slc_texture_bind_lines(struct slc_reference *texture, const struct slc_lines *lines,
			   const struct slc_sampling *sampling);
int slc_texture_bind_buffer(struct slc_reference *texture, const struct slc_texel *texel,
			    uint64_t address, uint32_t count);
/* Bind a surface to an array without layers, or to bytes in a row; the address is a multiple of 256. */
int slc_surface_bind_array(struct slc_reference *surface, const struct slc_array *array);
int slc_surface_bind_buffer(struct slc_reference *surface, uint64_t address, uint32_t bytes);

/* ---- launches ---------------------------------------------------------------------------------- */

struct slc_shape {
	uint32_t grid[3];      /* blocks, each 1 to 65535 */
	uint32_t block[3];     /* threads: x and y up to 1024, z up to 64, the product up to 1024 */
	uint32_t shared_bytes; /* of a block, in addition to what the kernel says; 48 KiB in all */
};

/* arguments points to a value for each of the count parameters, of the size the kernel says. Textures
 * and surfaces of the kernel are bound, or it is SLC_INVALID_VALUE. */
int slc_launch(const struct slc_function *function, const struct slc_shape *shape,
	       void *const *arguments, uint32_t count);

/* ---- times ------------------------------------------------------------------------------------- */

#define SLC_EVENTS 256

/* Has the GPU note the time when all earlier work is done; an event is a number below SLC_EVENTS. */
int slc_event_record(struct slc_context *ctx, uint32_t event);
/* Whether an event was reached since it was recorded last: 1, 0, or -1 when it never was recorded. */
int slc_event_done(const struct slc_context *ctx, uint32_t event);
/* GPU time in ns at which it was; SLC_INVALID_VALUE when it was not. */
int slc_event_time(struct slc_context *ctx, uint32_t event, uint64_t *ns);

#endif /* SLUICE_COMPUTE_H */
