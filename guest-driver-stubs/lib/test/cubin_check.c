/*
 * Tries the reader of cubins on this host:
 *
 *	cubin_check FILE			prints what it read, or what is wrong and ends with 1
 *	cubin_check --link FILE			also loads it to addresses of its own, and prints what is there
 *	cubin_check --fuzz SEED ROUNDS FILE	damages the file in ROUNDS ways and reads and loads each
 *	cubin_check --serve			reads and loads each file on standard input, before which its
 *						length stands in four bytes; answers with a line
 *
 * Built with the address and undefined-behaviour sanitizers where there are any: each damaged file
 * lies in memory of exactly its size, and all that an accepted one points to is looked at.
 */
#include "../cubin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t random_state;

static uint32_t random_below(uint32_t bound)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)((random_state >> 33) % bound);
}

static uint8_t *file_read(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = NULL;
	long end;

	if (!file || fseek(file, 0, SEEK_END) || (end = ftell(file)) < 0 || fseek(file, 0, SEEK_SET) ||
	    !(bytes = malloc((size_t)end + 1)) || fread(bytes, 1, (size_t)end, file) != (size_t)end) {
		perror(path);
		exit(2);
	}
	fclose(file);
	*size = (size_t)end;
	return bytes;
}

static void print(const struct slc_cubin *cubin)
{
	uint32_t i, j;

	for (i = 0; i < cubin->kernel_count; i++) {
		const struct slc_kernel *k = &cubin->kernel[i];

		printf("kernel %s code=%u registers=%u barriers=%u shared=%u local=%u frame=%u stack=%u "
		       "parameters=%u:",
		       k->name, k->code.size, k->registers, k->barriers, k->shared_bytes,
		       k->local_bytes, k->frame_bytes, k->stack_bytes, k->parameter_bytes);
		for (j = 0; j < k->parameter_count; j++)
			printf("%s%u+%u", j ? "," : "", k->parameter[j].offset, k->parameter[j].bytes);
		printf("\n");
	}
}

static void print_variables(const struct slc_cubin *cubin)
{
	uint32_t i;

	for (i = 0; i < cubin->variable_count; i++)
		printf("variable %s at=%u bytes=%u %s\n", cubin->variable[i].name,
		       cubin->variable[i].offset, cubin->variable[i].bytes,
		       cubin->load[cubin->variable[i].section] == SLC_CONSTANTS ? "constant" : "global");
}

static void print_images(const struct slc_cubin *cubin)
{
	uint32_t i, j;

	for (i = 0; i < cubin->image_count; i++)
		printf("%s %s\n", cubin->image[i].surface ? "surface" : "texture", cubin->image[i].name);
	for (i = 0; i < cubin->kernel_count; i++)
		for (j = 0; j < cubin->kernel[i].image_count; j++) {
			const struct slc_image_slot *slot = &cubin->kernel[i].image[j];

			printf("slot %u of %s: %s%s\n", slot->slot, cubin->kernel[i].name,
			       cubin->image[slot->image].name, slot->needed ? "" : ", perhaps");
		}
}

/* ---- loading: code one after the other, all else from 4 GiB up -------------------------------------- */

#define DATA_BASE (1ull << 32)
#define PLACE_BYTES 0x1000u

static struct slc_place places[SLC_MAX_SECTIONS];

static uint8_t *copied(const struct slc_bytes *bytes)
{
	uint8_t *copy = calloc(1, bytes->size);

	if (!copy)
		exit(2);
	if (bytes->at)
		memcpy(copy, bytes->at, bytes->size);
	return copy;
}

static void place(const struct slc_bytes *bytes, uint64_t *at)
{
	struct slc_place *p = &places[bytes->section];

	if (!bytes->size || p->bytes)
		return;
	*p = (struct slc_place){ *at, copied(bytes) };
	*at += (bytes->size + PLACE_BYTES - 1) / PLACE_BYTES * PLACE_BYTES;
}

static int load(struct slc_cubin *cubin)
{
	uint64_t code = 0, data = cubin->elf.wide ? DATA_BASE : PLACE_BYTES;
	uint32_t i, j;

	for (i = 0; i < cubin->kernel_count; i++) {
		place(&cubin->kernel[i].code, &code);
		for (j = 0; j < SLC_BANKS; j++)
			place(&cubin->kernel[i].bank[j], &data);
	}
	for (i = 0; i < cubin->globals_count; i++)
		place(&cubin->globals[i].bytes, &data);
	return slc_cubin_link(cubin, places);
}

static void unload(void)
{
	uint32_t i;

	for (i = 0; i < SLC_MAX_SECTIONS; i++) {
		free(places[i].bytes);
		places[i] = (struct slc_place){ 0 };
	}
}

static void print_places(const struct slc_cubin *cubin)
{
	uint32_t i, j;

	for (i = 0; i < SLC_MAX_SECTIONS; i++) {
		if (!places[i].bytes)
			continue;
		printf("place %llx:", (unsigned long long)places[i].address);
		for (j = 0; j < cubin->size[i]; j++)
			printf("%02x", places[i].bytes[j]);
		printf("\n");
	}
}

static int link_file(struct slc_cubin *cubin)
{
	int ret = load(cubin);

	if (ret)
		printf("problem: %s\n", cubin->problem);
	else
		print_places(cubin);
	unload();
	return ret;
}

static uint64_t look(struct slc_bytes bytes)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; bytes.at && i < bytes.size; i++)
		sum += bytes.at[i];
	return sum;
}

/* Looks at all that the result points to, and at what a launch relies on. */
static uint64_t use(const struct slc_cubin *cubin)
{
	uint64_t sum = 0;
	uint32_t i, j;

	for (i = 0; i < cubin->kernel_count; i++) {
		const struct slc_kernel *k = &cubin->kernel[i];

		sum += strlen(k->name) + look(k->code);
		for (j = 0; j < SLC_BANKS; j++)
			sum += look(k->bank[j]);
		for (j = 0; j < k->parameter_count; j++)
			if (!k->parameter[j].bytes ||
			    k->parameter[j].offset + k->parameter[j].bytes > SLC_MAX_PARAMETER_BYTES)
				abort();
		if (!k->registers || k->registers > SLC_MAX_REGISTERS || k->code.size % 8 ||
		    k->barriers > SLC_MAX_BARRIERS || k->shared_bytes > SLC_MAX_SHARED_BYTES ||
		    k->local_bytes + k->frame_bytes > SLC_MAX_LOCAL_BYTES)
			abort();
	}
	for (i = 0; i < cubin->kernel_count; i++)
		for (j = 0; j < cubin->kernel[i].image_count; j++) {
			const struct slc_image_slot *slot = &cubin->kernel[i].image[j];

			if (slot->image >= cubin->image_count ||
			    (cubin->image[slot->image].surface && slot->slot >= SLC_SURFACE_SLOTS))
				abort();
			sum += strlen(cubin->image[slot->image].name);
		}
	for (i = 0; i < cubin->variable_count; i++) {
		const struct slc_variable *v = &cubin->variable[i];

		sum += strlen(v->name);
		if (v->offset > cubin->size[v->section] ||
		    v->bytes > cubin->size[v->section] - v->offset)
			abort();
	}
	return sum;
}

/* Values that break sizes and offsets better than random ones. */
static uint64_t awkward(void)
{
	static const uint64_t values[] = { 0, 1, 3, 7, 0x7f, 0xff, 0xffff, 0x7fffffff, 0xffffffff,
					   1ull << 32, 1ull << 63, ~0ull, ~0ull - 7 };

	return random_below(3) ? values[random_below(sizeof(values) / sizeof(*values))] :
				 random_below(4096);
}

/* Where damage hurts: headers of the file and of sections more often than code. */
static size_t target(const uint8_t *file, size_t size)
{
	uint64_t table = file[4] == 1 ? slc_u32(file + 32) : slc_u64(file + 40);

	switch (random_below(4)) {
	case 0:
		return random_below(64);
	case 1:
		return table < size ? table + random_below((uint32_t)(size - table)) : 0;
	default:
		return random_below((uint32_t)size);
	}
}

static void damage(uint8_t *file, size_t size)
{
	uint32_t times = 1 + random_below(4);

	while (times--) {
		size_t at = target(file, size);
		size_t bytes = (size_t)1 << random_below(4);
		uint64_t value = awkward();

		if (bytes > size - at)
			bytes = size - at;
		memcpy(file + at, &value, bytes);
	}
}

/* A cubin, or the one in a fat binary. */
static int read_any(struct slc_cubin *cubin, const uint8_t *file, size_t size)
{
	const void *found;
	size_t bytes;

	cubin->kernel_count = 0;
	if (slc_fatbin_find(file, size, &found, &bytes, cubin->problem))
		return -1;
	return slc_cubin_read(cubin, found, bytes);
}

static int fuzz(uint64_t seed, uint32_t rounds, const char *path)
{
	struct slc_cubin *cubin = malloc(sizeof(*cubin));
	size_t size;
	uint8_t *original = file_read(path, &size);
	uint32_t accepted = 0;
	uint64_t sum = 0;
	uint32_t i;

	random_state = seed;
	for (i = 0; i < rounds; i++) {
		size_t left = random_below(8) ? size : random_below((uint32_t)size + 1);
		uint8_t *copy = malloc(left ? left : 1);

		memcpy(copy, original, left);
		if (left >= 64)
			damage(copy, left);
		if (read_any(cubin, copy, left) == 0) {
			accepted++;
			sum += use(cubin);
			load(cubin);
			unload();
		} else if (!cubin->problem[0] || cubin->kernel_count) {
			printf("round %u: refused without a reason\n", i);
			return 1;
		}
		free(copy);
	}
	printf("fuzz: %u of %u accepted, sum %llu\n", accepted, rounds, (unsigned long long)sum);
	free(original);
	free(cubin);
	return 0;
}

/* A reason on one line: names in it are the file's. */
static const char *one_line(char *problem)
{
	char *at;

	for (at = problem; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	return problem;
}

/* What becomes of each file that comes: how many kernels it has and whether it is loaded, or why it is refused. */
static int serve(void)
{
	static struct slc_cubin cubin;
	uint64_t sum = 0;
	uint32_t size;

	while (fread(&size, sizeof(size), 1, stdin) == 1) {
		uint8_t *file = malloc(size ? size : 1);

		if (!file || fread(file, 1, size, stdin) != size)
			return 2;
		cubin.problem[0] = 0;
		if (read_any(&cubin, file, size) == 0) {
			sum += use(&cubin);
			printf("%u kernels, %s\n", cubin.kernel_count,
			       load(&cubin) ? one_line(cubin.problem) : "loaded");
			unload();
		} else if (!cubin.problem[0] || cubin.kernel_count) {
			printf("refused without a reason\n");
			return 1;
		} else {
			printf("refused: %s\n", one_line(cubin.problem));
		}
		fflush(stdout);
		free(file);
	}
	return sum == ~0ull;
}

int main(int argc, char **argv)
{
	static struct slc_cubin cubin;
	int linked = argc == 3 && strcmp(argv[1], "--link") == 0;
	size_t size;
	uint8_t *file;
	int ret;

	if (argc == 2 && strcmp(argv[1], "--serve") == 0)
		return serve();
	if (argc == 5 && strcmp(argv[1], "--fuzz") == 0)
		return fuzz(strtoull(argv[2], NULL, 10), (uint32_t)strtoul(argv[3], NULL, 10), argv[4]);
	if (argc != 2 + linked)
		return 64;
	file = file_read(argv[1 + linked], &size);
	ret = read_any(&cubin, file, size);
	if (ret) {
		printf("problem: %s\n", cubin.problem);
	} else {
		print(&cubin);
		print_variables(&cubin);
		print_images(&cubin);
		ret = linked ? link_file(&cubin) : 0;
	}
	free(file);
	return ret ? 1 : 0;
}
