/*
 * The objects of an application, structures of our own: the loader finds its table first in each.
 * An object has one reference count; those that the library itself holds are counted beside it, as
 * applications are told theirs only. The host's object goes with the last.
 */
#ifndef SLUICE_OPENCL_OBJECTS_H
#define SLUICE_OPENCL_OBJECTS_H

#include "session.h"

#include <CL/cl_icd.h>

#define OBJECT_MAGIC 0x534c4f00u

struct object {
	const cl_icd_dispatch *dispatch;
	uint32_t magic; /* OBJECT_MAGIC + kind; 0 when it is gone */
	uint32_t kind, index;
	uint32_t references, implicit;
	struct session *session; /* NULL: of every session, as platforms are */
	void (*destroy)(struct object *object);
};

/* Answers of the host that do not change. */
struct fact {
	struct fact *next;
	uint64_t key;
	size_t bytes;
	uint8_t data[];
};

struct facts {
	struct fact *first; /* only added to, atomically, until the object goes */
};

/* A callback of one object, in a list with the last first. */
struct callback {
	struct callback *next;
	void (*function)(void);
	void *data;
	cl_int when; /* the state of an event that it waits for, and the one at which it is due */
	cl_int due;
};

struct _cl_platform_id {
	struct object o;
	struct facts facts;
	cl_device_id *devices;
	uint32_t device_count;
};

struct _cl_device_id {
	struct object o;
	cl_platform_id platform;
	cl_device_id parent; /* of a sub-device */
	cl_device_partition_property *partition;
	size_t partition_bytes;
	struct facts facts;
	bool limits_known; /* atomic */
	cl_uint dimensions;
	size_t item_sizes[3], group_size;
	bool uneven_groups; /* a group may be smaller than the others */
};

struct _cl_context {
	struct object o;
	cl_device_id *devices;
	uint32_t device_count;
	cl_context_properties *properties;
	size_t property_bytes;
	struct callback *destructors; /* atomic */
};

struct _cl_command_queue {
	struct object o;
	cl_context context;
	cl_device_id device;
	cl_command_queue_properties flags;
	cl_queue_properties *properties;
	size_t property_bytes;
	uint64_t number;      /* unique in the process */
	pthread_mutex_t lock; /* held from a command's sequence number until it is in the ring */
	uint64_t last;        /* sequence number of its last command; atomic */
	uint64_t settled;     /* up to here its commands are known to be done; under pending_lock */
	cl_command_queue next;
};

/* A region of a buffer or an image that is mapped, and the memory it is mapped to. */
struct mapping {
	struct mapping *next;
	void *at;
	cl_map_flags flags;
	size_t origin[3], region[3]; /* bytes of a buffer in the first */
	struct staging *staging;     /* NULL: the storage itself */
	cl_event read;               /* the map's, if its bytes may be on their way to the application's storage */
};

struct _cl_mem {
	struct object o;
	cl_context context;
	cl_mem_object_type type;
	cl_mem_flags flags;
	size_t size;
	cl_mem parent; /* of a sub-buffer, or the buffer of an image */
	size_t origin;
	void *host_ptr;        /* the application's storage of CL_MEM_USE_HOST_PTR */
	struct range storage;  /* of a buffer in registered memory; size 0: none */
	cl_mem_properties *properties;
	size_t property_bytes;
	struct callback *destructors; /* atomic */

	cl_image_format format;
	cl_image_desc desc;
	size_t element_bytes, row_pitch, slice_pitch;
	struct facts facts;

	pthread_mutex_t lock; /* of what is mapped */
	struct mapping *mappings;
	uint32_t map_count;
};

struct _cl_sampler {
	struct object o;
	cl_context context;
	cl_bool normalized;
	cl_addressing_mode addressing;
	cl_filter_mode filter;
	cl_sampler_properties *properties;
	size_t property_bytes;
};

struct _cl_program {
	struct object o;
	cl_context context;
	cl_device_id *devices;
	uint32_t device_count;
	uint32_t kernels; /* made of it and still there; atomic */

	/* As the application built it last; NULL: it did not. Under lock. */
	char *options;
	bool names_arguments; /* applications may ask for what arguments are */
	uint32_t builds;
	struct fact *told; /* of the last build; told.c */
	pthread_mutex_t lock;
};

/* What an argument of a kernel is, in the numbers of the call `arguments`. */
enum argument_kind { ARGUMENT_UNKNOWN, ARGUMENT_VALUE, ARGUMENT_MEMORY, ARGUMENT_LOCAL, ARGUMENT_SAMPLER, ARGUMENT_QUEUE };

struct argument {
	uint32_t kind;
	uint32_t given; /* what it was set to: the same if that is known */
	uint32_t bytes; /* of a value; 0: not known */
	bool set, changed;
	uint32_t index;  /* of the object */
	uint32_t count;  /* of value */
	void *value;
};

struct _cl_kernel {
	struct object o;
	cl_program program;
	char *name;
	uint32_t argument_count;
	struct argument *arguments;
	bool changed;
	pthread_mutex_t lock; /* of all above and below, until a launch is in the ring */
	cl_device_id device;  /* that these limits are of */
	size_t group_size, required[3];
	struct facts facts;
};

struct _cl_event {
	struct object o;
	cl_context context;
	cl_command_queue queue; /* NULL: a user event */
	cl_command_type type;
	uint64_t sequence;
	int32_t status;    /* at most CL_COMPLETE once that is known; atomic */
	bool user_set;     /* atomic */
	/* Under the session's watch_lock. */
	struct callback *callbacks; /* in the order in which they were set */
	uint32_t notices;           /* of the host that are still to come: they name it by its index */
};

extern const cl_icd_dispatch sluice_dispatch;

/* A new object with one reference, its memory zeroed and its index taken; NULL: none is left. */
void *object_new(struct session *s, uint32_t kind, size_t bytes, void (*destroy)(struct object *));
/* The object of a kind and this address, if there is one; for addresses that may be none. */
const struct object *object_find(struct session *s, uint32_t kind, const void *address);
/* Frees one that the host never got. */
void object_discard(void *object);
/* Of the library's own references. */
void object_hold(void *object);
void object_drop(void *object);
/* The same as a hold of one that may be going, from a list that it leaves as it goes; false: it is. */
bool object_hold_live(void *object);
/* Of the application's. */
void object_retain(void *object);
void object_release(void *object);
cl_uint object_references(const void *object);

/* Whether a handle is an object of that kind and of this process. */
static inline bool object_is(const void *handle, uint32_t kind)
{
	const struct object *o = handle;

	return o && o->magic == OBJECT_MAGIC + kind && (!o->session || o->session == session_current());
}

static inline uint32_t index_of(const void *object)
{
	return object ? ((const struct object *)object)->index : 0;
}

static inline struct session *session_of(const void *object)
{
	return ((const struct object *)object)->session;
}

/* Writes where an application may have asked for a result. */
static inline void tell(cl_int *where, cl_int value)
{
	if (where)
		*where = value;
}

/* Callbacks of an object that goes: the last first. */
bool callback_add(struct callback **list, void (*function)(void), void *data);

/* A copy of a list that ends with 0, of items of that size; *bytes counts the 0. NULL: no list, bytes 0. */
void *list_copy(const void *list, size_t item, size_t *bytes);

/* ---- info.c: answers to queries ----------------------------------------------------------------- */

cl_int info_bytes(const void *from, size_t bytes, size_t size, void *value, size_t *size_ret);

#define INFO(type, expression)                                       \
	do {                                                         \
		type info_ = (expression);                           \
		return info_bytes(&info_, sizeof(info_), size, value, size_ret); \
	} while (0)

/* A question to the host. */
struct query {
	struct session *session;
	uint32_t index, other, param;
	const void *input;
	uint32_t input_count;
	int32_t (*ask)(const struct query *q, struct range out, struct answer *answer);
};

/* Asks; the answer's bytes are the caller's to free. */
cl_int query_ask(const struct query *q, void **data, size_t *bytes);
/* Asks and answers the application. */
cl_int query_info(const struct query *q, size_t size, void *value, size_t *size_ret);
/* The same once for an object; what was answered stays. */
cl_int query_fact(struct facts *facts, uint64_t key, const struct query *q, const struct fact **fact);
cl_int query_cached(struct facts *facts, uint64_t key, const struct query *q, size_t size, void *value,
		    size_t *size_ret);
void facts_free(struct facts *facts);

/* ---- devices ------------------------------------------------------------------------------------ */

/* A number of a device that the host knows; 0 if it cannot be had. */
uint64_t device_number(cl_device_id device, cl_device_info param);
/* A list of sizes. */
bool device_sizes(cl_device_id device, cl_device_info param, size_t *list, size_t count);
bool context_has_device(cl_context context, cl_device_id device);
/* Platforms of this process; 0 if there is no session. */
uint32_t platform_list(cl_platform_id **list);

#endif
