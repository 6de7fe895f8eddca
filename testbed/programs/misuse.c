/*
 * Compute gone wrong in every way we know: each must end in a clear error for whoever did it, and
 * for nobody else. After each case a second context, which has done nothing wrong, must work.
 *
 *	misuse [--device PATH] [--cubin FILE]
 *
 * FILE is nn.cubin of testbed/workloads. Prints a line for each case and "misuse: ok" at the end.
 */
#include "compute_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUBIN "/usr/share/sluice/nn.cubin"
#define MAX_FILE (1u << 16)
#define RECORDS 1000u
#define TIMEOUT_MS 60000u
#define SHORT_TIMEOUT_MS 300u
#define NOWHERE 0x7000000000ull

/* Instructions, as the assembler of testbed/workloads writes them. */
#define EXIT 0x8000000000001de7ull
#define BRA_SELF (0x4000000000001de7ull | (uint64_t)(-8 & 0xffffff) << 26)
#define NO_INSTRUCTION 0xffffffffffffffffull
#define MOV32I(reg, value) (0x1800000000001de2ull | (uint64_t)(reg) << 14 | (uint64_t)(value) << 26)
#define LD_E_R8_R4 0x8400000000421c85ull
#define MOV_R20_R20 0x2800000050051de4ull

static struct slc_options options = { .wait = SLC_WAIT_INTERRUPT, .timeout_ms = TIMEOUT_MS };
static uint8_t file[MAX_FILE];
static size_t file_bytes;
static struct slc_context *good;
static int wrong;

/* ---- the context that does nothing wrong ------------------------------------------------------- */

static uint64_t good_places, good_distances;
static const struct slc_function *good_kernel;

static bool good_works(void)
{
	float places[2 * RECORDS], distances[RECORDS];
	uint32_t records = RECORDS;
	float latitude = 3, longitude = 4;
	void *arguments[] = { &good_places, &good_distances, &records, &latitude, &longitude };
	struct slc_shape shape = { .grid = { (RECORDS + 255) / 256, 1, 1 }, .block = { 256, 1, 1 } };
	uint32_t i;

	memset(places, 0, sizeof(places));
	memset(distances, 0, sizeof(distances));
	if (slc_copy_to_device(good, good_places, places, sizeof(places)) ||
	    slc_copy_to_device(good, good_distances, distances, sizeof(distances)) ||
	    slc_launch(good_kernel, &shape, arguments, 5) ||
	    slc_copy_to_host(good, distances, good_distances, sizeof(distances))) {
		printf("the other context: %s\n", slc_error(good)->text);
		return false;
	}
	for (i = 0; i < RECORDS; i++)
		if (distances[i] != 5)
			return false;
	return true;
}

static bool good_start(void)
{
	struct slc_module *module;

	return !slc_context_create(&good, &options) &&
	       !slc_module_load(good, file, file_bytes, &module) &&
	       !slc_module_function(module, "euclid", &good_kernel) &&
	       !slc_memory_alloc(good, 2 * sizeof(float) * RECORDS, &good_places) &&
	       !slc_memory_alloc(good, sizeof(float) * RECORDS, &good_distances) && good_works();
}

/* ---- cases ------------------------------------------------------------------------------------- */

static void result(const char *name, bool right, const struct slc_error *error)
{
	bool others = good_works();

	printf("case: %s: %s%s (%s: %s)\n", name, right ? "ok" : "WRONG",
	       others ? "" : ", ANOTHER CONTEXT SUFFERED", slc_status_name(error->status), error->text);
	fflush(stdout);
	wrong += !right || !others;
}

static struct slc_context *context_new(void)
{
	struct slc_context *ctx;

	if (slc_context_create(&ctx, &options)) {
		printf("misuse: FAILED: context: %s\n", slc_error(NULL)->text);
		exit(1);
	}
	return ctx;
}

/* A file that must be refused, in a context that must live on. */
static void bad_file(const char *name, const uint8_t *bytes, size_t size)
{
	struct slc_context *ctx = context_new();
	struct slc_module *module;
	int ret = slc_module_load(ctx, bytes, size, &module);
	struct slc_error error = *slc_error(ctx);

	result(name, ret == SLC_INVALID_IMAGE && !module && !slc_synchronize(ctx), &error);
	slc_context_destroy(ctx);
}

static void bad_files(void)
{
	static const uint8_t text[] = "this is no cubin";
	uint8_t *copy = malloc(file_bytes);
	uint64_t table;
	uint32_t i;

	bad_file("a text as a cubin", text, sizeof(text));
	bad_file("half a cubin", file, file_bytes / 2);
	memcpy(copy, file, file_bytes);
	copy[48] = 35;
	bad_file("a cubin for sm_35", copy, file_bytes);
	memcpy(copy, file, file_bytes);
	memcpy(&table, copy + 40, sizeof(table));
	/* 64 registers in all sections: only that of the code takes it as such. */
	for (i = 1; i < copy[60]; i++)
		copy[table + i * 64 + 47] = 64;
	bad_file("a cubin that wants 64 registers", copy, file_bytes);
	free(copy);
}

/* A launch that the library must refuse, in a context that must live on. */
static void bad_shape(const char *name, struct slc_shape shape, int expected)
{
	struct slc_context *ctx = context_new();
	struct slc_module *module;
	const struct slc_function *f;
	uint64_t address = 0;
	uint32_t zero = 0;
	void *arguments[] = { &address, &address, &zero, &zero, &zero };
	int ret = -1;
	struct slc_error error;

	if (!slc_module_load(ctx, file, file_bytes, &module) &&
	    !slc_module_function(module, "euclid", &f))
		ret = slc_launch(f, &shape, arguments, 5);
	error = *slc_error(ctx);
	result(name, ret == expected && !slc_synchronize(ctx), &error);
	slc_context_destroy(ctx);
}

static void bad_shapes(void)
{
	bad_shape("grid of 0", (struct slc_shape){ { 0, 1, 1 }, { 1, 1, 1 }, 0 }, SLC_INVALID_VALUE);
	bad_shape("grid of 65536", (struct slc_shape){ { 1, 65536, 1 }, { 1, 1, 1 }, 0 },
		  SLC_INVALID_VALUE);
	bad_shape("block of 0", (struct slc_shape){ { 1, 1, 1 }, { 1, 0, 1 }, 0 }, SLC_INVALID_VALUE);
	bad_shape("block of 2048", (struct slc_shape){ { 1, 1, 1 }, { 2048, 1, 1 }, 0 },
		  SLC_INVALID_VALUE);
	bad_shape("block of 64 x 64", (struct slc_shape){ { 1, 1, 1 }, { 64, 64, 1 }, 0 },
		  SLC_INVALID_VALUE);
	bad_shape("64 KiB of shared memory", (struct slc_shape){ { 1, 1, 1 }, { 1, 1, 1 }, 65536 },
		  SLC_OUT_OF_RESOURCES);
}

/* Launches past the library's checks: the GPU must find it, and end this channel. */
static void bad_launch(const char *name, const uint64_t *code, size_t count,
		       const struct sluice_grid *change, uint32_t reason, uint32_t info)
{
	struct slc_context *ctx = context_new();
	uint32_t words[SLUICE_LAUNCH_WORDS];
	struct sluice_words w = { .word = words, .capacity = SLUICE_LAUNCH_WORDS };
	struct sluice_grid grid = *change;
	const struct slc_error *error = slc_error(ctx);
	uint64_t at, bank;
	int ret = -1;

	if (!slc_memory_alloc(ctx, 4096, &at) && !slc_memory_alloc(ctx, 4096, &bank) &&
	    !slc_copy_to_device(ctx, at, code, count * sizeof(*code))) {
		grid.program = at;
		grid.bank[0] = (struct sluice_bank){ bank, 256 };
		grid.bank[1] = (struct sluice_bank){ bank + 256, SLUICE_BANK_1_BYTES };
		grid.local_bytes = 0xb40000;
		grid.local_warp_bytes = 0x4000;
		grid.stack_bytes = 0x200;
		sluice_build_launch(&w, &grid);
		ret = slc_submit(ctx, &w);
	}
	if (ret == SLC_OK)
		ret = slc_synchronize(ctx);
	result(name,
	       ret == SLC_CHANNEL_ENDED && error->reason == reason && error->info == info &&
		       error->channel == slc_context_channel(ctx),
	       error);
	slc_context_destroy(ctx);
}

static const struct sluice_grid usual = {
	.grid = { 1, 1, 1 },
	.block = { 32, 1, 1 },
	.registers = 32,
	.barriers = 1,
};

static void bad_launches(void)
{
	static const uint64_t exits[] = { EXIT };
	struct sluice_grid g = usual;

	g.grid[0] = 0;
	bad_launch("raw grid of 0", exits, 1, &g, SLUICE_ERROR_ENGINE, 4);
	g = usual;
	g.block[0] = 1025;
	bad_launch("raw block of 1025", exits, 1, &g, SLUICE_ERROR_ENGINE, 4);
	g = usual;
	g.registers = 64;
	bad_launch("raw 64 registers", exits, 1, &g, SLUICE_ERROR_ENGINE, 4);
	g = usual;
	g.barriers = 17;
	bad_launch("raw 17 barriers", exits, 1, &g, SLUICE_ERROR_ENGINE, 4);
	g = usual;
	g.shared_bytes = 49 << 10;
	bad_launch("raw 49 KiB of shared memory", exits, 1, &g, SLUICE_ERROR_ENGINE, 4);
}

static void bad_programs(void)
{
	static const uint64_t nothing[] = { NO_INSTRUCTION };
	static const uint64_t unmapped[] = { MOV32I(4, NOWHERE & 0xffffffff),
					     MOV32I(5, NOWHERE >> 32), LD_E_R8_R4, EXIT };
	static const uint64_t unaligned[] = { MOV32I(4, 0x20000001), MOV32I(5, 0), LD_E_R8_R4, EXIT };
	static const uint64_t high_register[] = { MOV_R20_R20, EXIT };
	struct sluice_grid few = usual;

	few.registers = 8;
	bad_launch("a word that is no instruction", nothing, 1, &usual, SLUICE_ERROR_SM, 9);
	bad_launch("a register that was not asked for", high_register, 2, &few, SLUICE_ERROR_SM, 13);
	bad_launch("an address that is not aligned", unaligned, 4, &usual, SLUICE_ERROR_SM, 15);
	bad_launch("an address that is not mapped", unmapped, 4, &usual, SLUICE_ERROR_PAGE_FAULT, 0);
}

/* A kernel that never ends: its own wait ends in time, and so does it with its context. */
static void endless(void)
{
	struct slc_options impatient = options;
	struct slc_context *ctx;
	uint32_t words[SLUICE_LAUNCH_WORDS];
	struct sluice_words w = { .word = words, .capacity = SLUICE_LAUNCH_WORDS };
	static const uint64_t code[] = { BRA_SELF, EXIT };
	struct sluice_grid grid = usual;
	struct slc_error error;
	uint64_t at = 0;
	int ret = -1;

	impatient.timeout_ms = SHORT_TIMEOUT_MS;
	if (slc_context_create(&ctx, &impatient)) {
		wrong++;
		return;
	}
	if (!slc_memory_alloc(ctx, 4096, &at) && !slc_copy_to_device(ctx, at, code, sizeof(code)) &&
	    !slc_synchronize(ctx)) {
		grid.program = at;
		grid.bank[0] = (struct sluice_bank){ at + 1024, 256 };
		grid.local_bytes = 0xb40000;
		grid.local_warp_bytes = 0x4000;
		grid.stack_bytes = 0x200;
		sluice_build_launch(&w, &grid);
		ret = slc_submit(ctx, &w) ? -1 : slc_synchronize(ctx);
	}
	error = *slc_error(ctx);
	/* A watchdog may have ended it before. */
	result("a kernel without end, while it runs",
	       ret == SLC_TIMEOUT || (ret == SLC_CHANNEL_ENDED && error.reason == SLUICE_ERROR_TIMEOUT),
	       &error);
	slc_context_destroy(ctx);
	result("a kernel without end, after its context was destroyed", true, &error);
}

static bool read_file(const char *path)
{
	FILE *f = fopen(path, "rb");

	if (!f)
		return false;
	file_bytes = fread(file, 1, sizeof(file), f);
	fclose(f);
	return file_bytes > 64 && file_bytes < sizeof(file);
}

int main(int argc, char **argv)
{
	const char *cubin = CUBIN;
	int i;

	for (i = 1; i + 1 < argc; i += 2) {
		if (strcmp(argv[i], "--device") == 0)
			options.device = argv[i + 1];
		else if (strcmp(argv[i], "--cubin") == 0)
			cubin = argv[i + 1];
		else
			return 64;
	}
	if (!read_file(cubin) || !good_start()) {
		printf("misuse: FAILED: set-up: %s: %s\n", cubin, slc_error(good)->text);
		return 1;
	}
	bad_files();
	bad_shapes();
	bad_launches();
	bad_programs();
	endless();
	slc_context_destroy(good);
	printf(wrong ? "misuse: FAILED: %d cases\n" : "misuse: ok\n", wrong);
	return wrong != 0;
}
