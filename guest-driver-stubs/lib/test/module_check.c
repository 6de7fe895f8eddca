/*
 * Tries modules on a device:
 *
 *	module_check DEVICE FILE FACTOR
 *
 * FILE is a cubin, or a fat binary, with a kernel k(out), a constant "factor" of one word, and
 * variables "table" of 32 words and "sum" of one. Gives FACTOR to the constant, launches the kernel
 * with 32 threads, and prints what it left in out and sum; then the same with a factor of 1.
 */
#include "../compute.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 32u

static struct slc_context *ctx;

static void must(int ret, const char *what)
{
	if (ret == SLC_OK)
		return;
	printf("%s: %s: %s\n", what, slc_status_name((enum slc_status)ret), slc_error(ctx)->text);
	exit(1);
}

static uint64_t variable(struct slc_module *module, const char *name, uint64_t expected)
{
	uint64_t address, bytes;

	must(slc_module_variable(module, name, &address, &bytes), name);
	if (bytes != expected) {
		printf("%s has %llu bytes\n", name, (unsigned long long)bytes);
		exit(1);
	}
	return address;
}

static void launch(const struct slc_function *k, struct slc_module *module, uint64_t out,
		   uint32_t factor)
{
	struct slc_shape shape = { .grid = { 1, 1, 1 }, .block = { THREADS, 1, 1 } };
	uint64_t sum_at = variable(module, "sum", 4);
	uint32_t result[THREADS], sum = 0, i;
	void *arguments[] = { &out };

	must(slc_copy_to_device(ctx, variable(module, "factor", 4), &factor, 4), "constant");
	must(slc_copy_to_device(ctx, sum_at, &sum, 4), "sum");
	must(slc_launch(k, &shape, arguments, 1), "launch");
	must(slc_copy_to_host(ctx, result, out, sizeof(result)), "out");
	must(slc_copy_to_host(ctx, &sum, sum_at, 4), "sum");
	printf("factor %u sum %u:", factor, sum);
	for (i = 0; i < THREADS; i++)
		printf(" %u", result[i]);
	printf("\n");
}

int main(int argc, char **argv)
{
	struct slc_options options = { .device = argv[1], .timeout_ms = 120000 };
	const struct slc_function *k;
	struct slc_module *module;
	uint64_t out, none, bytes;

	if (argc != 4)
		return 64;
	must(slc_context_create(&ctx, &options), "context");
	must(slc_module_load_file(ctx, argv[2], &module), "module");
	must(slc_module_function(module, "k", &k), "kernel");
	if (slc_module_variable(module, "nothing", &none, &bytes) != SLC_NOT_FOUND)
		return 1;
	must(slc_memory_alloc(ctx, THREADS * 4, &out), "memory");
	/* A variable ends where it ends. */
	if (slc_copy_to_device(ctx, variable(module, "sum", 4), "12345678", 8) != SLC_INVALID_ADDRESS)
		return 1;
	launch(k, module, out, (uint32_t)strtoul(argv[3], NULL, 10));
	launch(k, module, out, 1);
	must(slc_module_unload(module), "unload");
	if (slc_copy_to_device(ctx, out, "1234", 4) != SLC_OK)
		return 1;
	slc_context_destroy(ctx);
	return 0;
}
