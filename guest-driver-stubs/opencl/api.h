/* What the files of the interface share. */
#ifndef SLUICE_OPENCL_API_H
#define SLUICE_OPENCL_API_H

#include "objects.h"

cl_int clIcdGetPlatformIDsKHR(cl_uint entries, cl_platform_id *list, cl_uint *count);

/* ---- extensions.c ------------------------------------------------------------------------------- */

cl_int extensions_info(const char *names, size_t size, void *value, size_t *size_ret);
cl_int extension_versions_info(const struct fact *fact, size_t size, void *value, size_t *size_ret);

/* ---- checks that several have ------------------------------------------------------------------- */

/* A device list as functions of programs take it: NULL and 0, or devices of the program. */
cl_int program_devices_check(cl_program program, cl_uint count, const cl_device_id *list);
/* The indices of objects in a list; NULL without memory. */
uint32_t *indices_of(const void *objects, size_t count);

/* Bytes of an image's element; 0: there is no such format. */
size_t image_element_bytes(const cl_image_format *format);
/* A region of an image: within it, none of its sides 0. */
cl_int image_region_check(cl_mem image, const size_t *origin, const size_t *region);
/* The flags of a new buffer or image. */
cl_int mem_flags_check(cl_mem_flags flags, const void *host_ptr);
/* What the application's callbacks of one that goes are called with. */
void mem_destroy(struct object *o);
/* A new one that the host does not have yet. */
cl_mem mem_new(cl_context context, cl_mem_object_type type, cl_mem_flags flags, size_t size, void *host_ptr);
/* Gives back one that the host never got. */
void mem_discard(cl_mem mem);

/* Forgets what is mapped of one that goes. */
void map_forget_all(cl_mem mem);

static inline bool is_buffer(cl_mem mem)
{
	return object_is(mem, KIND_MEM) && mem->type == CL_MEM_OBJECT_BUFFER;
}

static inline bool is_image(cl_mem mem)
{
	return object_is(mem, KIND_MEM) && mem->type != CL_MEM_OBJECT_BUFFER;
}

#endif
