/*
 * Extensions that work from here: those of the device's language, and those of the interface that
 * this library has. What hands out addresses of the host, shares with other interfaces or adds
 * functions is left out.
 */
#include "api.h"

#include <stdlib.h>

static const char *const working[] = {
	"cl_khr_icd",
	"cl_khr_byte_addressable_store",
	"cl_khr_global_int32_base_atomics",
	"cl_khr_global_int32_extended_atomics",
	"cl_khr_local_int32_base_atomics",
	"cl_khr_local_int32_extended_atomics",
	"cl_khr_int64_base_atomics",
	"cl_khr_int64_extended_atomics",
	"cl_khr_fp64",
	"cl_khr_fp16",
	"cl_khr_3d_image_writes",
	"cl_khr_spir",
	"cl_khr_il_program",
	"cl_khr_subgroups",
	"cl_khr_subgroup_ballot",
	"cl_khr_subgroup_shuffle",
	"cl_khr_subgroup_shuffle_relative",
	"cl_khr_subgroup_extended_types",
	"cl_khr_subgroup_non_uniform_arithmetic",
	"cl_khr_subgroup_non_uniform_vote",
	"cl_khr_subgroup_clustered_reduce",
	"cl_khr_subgroup_named_barrier",
	"cl_khr_subgroup_rotate",
	"cl_intel_subgroups",
	"cl_intel_subgroups_short",
	"cl_intel_subgroups_char",
	"cl_intel_required_subgroup_size",
	"cl_khr_extended_bit_ops",
	"cl_khr_extended_versioning",
	"cl_khr_integer_dot_product",
	"cl_khr_expect_assume",
	"cl_khr_depth_images",
	"cl_khr_image2d_from_buffer",
	"cl_khr_device_uuid",
	"cl_khr_pci_bus_info",
	"cl_khr_work_group_uniform_arithmetic",
	"cl_khr_select_fprounding_mode",
	"cl_ext_float_atomics",
	"cl_nv_device_attribute_query",
	"cl_nv_compiler_options",
	"cl_nv_pragma_unroll",
	"cl_amd_device_attribute_query",
	"cles_khr_int64",
};

static bool works(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < sizeof(working) / sizeof(working[0]); i++)
		if (strlen(working[i]) == length && memcmp(working[i], name, length) == 0)
			return true;
	return false;
}

cl_int extensions_info(const char *names, size_t size, void *value, size_t *size_ret)
{
	char *text = malloc(strlen(names) + 2);
	size_t used = 0;
	cl_int status;

	if (!text)
		return CL_OUT_OF_HOST_MEMORY;
	while (*names) {
		size_t length = strcspn(names, " ");

		if (length && works(names, length)) {
			memcpy(text + used, names, length);
			used += length;
			text[used++] = ' ';
		}
		names += length + (names[length] == ' ');
	}
	if (used)
		used--;
	text[used] = 0;
	status = info_bytes(text, used + 1, size, value, size_ret);
	free(text);
	return status;
}

cl_int extension_versions_info(const struct fact *fact, size_t size, void *value, size_t *size_ret)
{
	const cl_name_version *all = (const void *)fact->data;
	size_t count = fact->bytes / sizeof(*all), used = 0, i;
	cl_name_version *list = malloc(fact->bytes + 1);
	cl_int status;

	if (!list)
		return CL_OUT_OF_HOST_MEMORY;
	for (i = 0; i < count; i++)
		if (works(all[i].name, strnlen(all[i].name, CL_NAME_VERSION_MAX_NAME_SIZE)))
			list[used++] = all[i];
	status = info_bytes(list, used * sizeof(*list), size, value, size_ret);
	free(list);
	return status;
}
