/* See launch.h. */
#include "launch.h"


#define C SLUICE_SUBCHANNEL_COMPUTE

#define SET_OBJECT 0x000
#define NO_OPERATION 0x100
#define WAIT_FOR_IDLE 0x110
#define LOCAL_MEMORY_SIZES 0x204 /* low, high, call stack */
#define SHARED_MEMORY_WINDOW 0x214
#define INVALIDATE_SHADER_CACHES 0x21c
#define CTA_RASTER_SIZE 0x238
#define SHARED_MEMORY_SIZE 0x24c
#define CTA_THREAD_COUNT 0x250
#define CTA_BARRIER_COUNT 0x254
#define BEGIN_GRID 0x29c
#define SET_WORK_DISTRIBUTION 0x2a0
#define CTA_REGISTER_COUNT 0x2c0
#define GA_TO_VA_MAPPING_MODE 0x2c4
#define LOAD_GA_TO_VA_MAPPING_ENTRY 0x2c8
#define L1_CONFIGURATION 0x308
#define WAIT_REF_COUNT 0x360
#define SET_LAUNCH_ID 0x36c
#define CTA_THREAD_DIMENSION 0x3ac
#define CTA_PROGRAM_START 0x3b4
#define MAX_SM_COUNT 0x758
#define LOCAL_MEMORY_WINDOW 0x77c
#define GRID_PARAM 0x780
#define LOCAL_MEMORY 0x790 /* address high, low, size high, low, size of a warp */
#define END_GRID 0xa04
#define SET_LAUNCH_SIZE 0xa08
#define API_VISIBLE_CALL_LIMIT 0xd64
#define PROGRAM_REGION 0x1608
#define BIND_CONSTANT_BUFFER 0x1694
#define INVALIDATE_SHADER_CACHES_NO_WFI 0x1698
#define REPORT_SEMAPHORE 0x1b00 /* address high, low, payload, operation */
#define CONSTANT_BUFFER_SELECTOR 0x2380 /* size, address high, low */
#define LOAD_CONSTANT_BUFFER_OFFSET 0x238c
#define LOAD_CONSTANT_BUFFER 0x2390

#define GENERIC_ENTRIES 255u
#define ENTRY_READ_WRITE 0xc0000000u
#define MEMBAR_FLUSH 4u
#define MEMBAR_INVALIDATE 0x1111u
#define L1_MOSTLY_CACHE 1u
#define L1_MOSTLY_SHARED 3u
#define SMALL_SHARED_BYTES (16u << 10)
#define REPORT_AWAKEN (1u << 20)
#define HEAD_WORDS 8u /* of bank 0: windows, block and grid dimensions */

static void one(struct sluice_words *w, uint32_t method, uint32_t value)
{
	sluice_method(w, C, method, 1);
	sluice_word(w, value);
}

void sluice_build_compute(struct sluice_words *w, uint32_t multiprocessors)
{
	uint32_t i;

	one(w, SET_OBJECT, SLUICE_CLASS_COMPUTE);
	one(w, NO_OPERATION, 0);
	one(w, MAX_SM_COUNT, multiprocessors);
	one(w, API_VISIBLE_CALL_LIMIT, 0xf);
	one(w, SET_WORK_DISTRIBUTION, 0x8000);
	sluice_method(w, C, CTA_RASTER_SIZE, 2);
	sluice_word(w, 1 << 16 | 1);
	sluice_word(w, 1);
	sluice_method(w, C, CTA_THREAD_DIMENSION, 2);
	sluice_word(w, 1 << 16 | 1);
	sluice_word(w, 1);
	/* 32-bit addresses are themselves. */
	one(w, GA_TO_VA_MAPPING_MODE, 0);
	for (i = 0; i < GENERIC_ENTRIES; i++)
		one(w, LOAD_GA_TO_VA_MAPPING_ENTRY, ENTRY_READ_WRITE | i << 16 | i);
	one(w, GA_TO_VA_MAPPING_MODE, 1);
}

void sluice_build_membar(struct sluice_words *w)
{
	sluice_method_again(w, C, INVALIDATE_SHADER_CACHES, 2);
	sluice_word(w, MEMBAR_FLUSH);
	sluice_word(w, MEMBAR_INVALIDATE);
}

static void memory(struct sluice_words *w, const struct sluice_grid *g)
{
	sluice_method(w, C, LOCAL_MEMORY, 5);
	sluice_word64(w, g->local_address);
	sluice_word64(w, g->local_bytes);
	sluice_word(w, g->local_warp_bytes);
	one(w, LOCAL_MEMORY_WINDOW, SLUICE_LOCAL_WINDOW);
	sluice_method(w, C, LOCAL_MEMORY_SIZES, 3);
	sluice_word(w, g->local_low_bytes);
	sluice_word(w, g->local_high_bytes);
	sluice_word(w, g->stack_bytes);
	one(w, L1_CONFIGURATION,
	    g->shared_bytes > SMALL_SHARED_BYTES ? L1_MOSTLY_SHARED : L1_MOSTLY_CACHE);
	one(w, SHARED_MEMORY_WINDOW, SLUICE_SHARED_WINDOW);
	one(w, SHARED_MEMORY_SIZE, g->shared_bytes);
}

/* What an sm_20 program finds in bank 0: the driver's words, then its parameters. */
static void parameters(struct sluice_words *w, const struct sluice_grid *g)
{
	uint32_t i;

	one(w, LOAD_CONSTANT_BUFFER_OFFSET, 0);
	sluice_method_again(w, C, LOAD_CONSTANT_BUFFER, HEAD_WORDS + g->parameter_words);
	sluice_word(w, SLUICE_SHARED_WINDOW);
	sluice_word(w, SLUICE_LOCAL_WINDOW);
	for (i = 0; i < 3; i++)
		sluice_word(w, g->block[i]);
	for (i = 0; i < 3; i++)
		sluice_word(w, g->grid[i]);
	for (i = 0; i < g->parameter_words; i++)
		sluice_word(w, g->parameter[i]);
}

static void banks(struct sluice_words *w, const struct sluice_grid *g)
{
	uint32_t i;

	for (i = 0; i < SLUICE_LAUNCH_BANKS; i++) {
		if (!g->bank[i].bytes)
			continue;
		sluice_method(w, C, CONSTANT_BUFFER_SELECTOR, 3);
		sluice_word(w, g->bank[i].bytes);
		sluice_word64(w, g->bank[i].address);
		one(w, BIND_CONSTANT_BUFFER, i << 8 | 1);
		if (i == 0) {
			parameters(w, g);
		} else if (i == 1) {
			one(w, LOAD_CONSTANT_BUFFER_OFFSET, SLUICE_STACK_POINTER_OFFSET);
			one(w, LOAD_CONSTANT_BUFFER, SLUICE_STACK_POINTER);
		}
	}
}

static void dimensions(struct sluice_words *w, const struct sluice_grid *g)
{
	sluice_method(w, C, CTA_RASTER_SIZE, 2);
	sluice_word(w, g->grid[1] << 16 | g->grid[0]);
	sluice_word(w, g->grid[2]);
	sluice_method(w, C, CTA_THREAD_DIMENSION, 2);
	sluice_word(w, g->block[1] << 16 | g->block[0]);
	sluice_word(w, g->block[2]);
	one(w, CTA_THREAD_COUNT, g->block[0] * g->block[1] * g->block[2]);
	one(w, CTA_REGISTER_COUNT, g->registers);
	one(w, CTA_BARRIER_COUNT, g->barriers);
}

void sluice_build_launch(struct sluice_words *w, const struct sluice_grid *g)
{
	memory(w, g);
	one(w, INVALIDATE_SHADER_CACHES_NO_WFI, 1);
	sluice_method(w, C, PROGRAM_REGION, 2);
	sluice_word64(w, g->program);
	one(w, CTA_PROGRAM_START, g->start);
	banks(w, g);
	one(w, INVALIDATE_SHADER_CACHES_NO_WFI, 0x1000);
	dimensions(w, g);
	one(w, GRID_PARAM, g->id);
	one(w, SET_LAUNCH_ID, 0);
	one(w, INVALIDATE_SHADER_CACHES_NO_WFI, 0x110);
	one(w, BEGIN_GRID, 0);
	one(w, SET_LAUNCH_SIZE, 0);
	one(w, SLUICE_LAUNCH_METHOD, 0x1000);
	one(w, END_GRID, 0);
	one(w, WAIT_REF_COUNT, 1);
}

void sluice_build_report(struct sluice_words *w, struct sluice_report report, bool interrupt)
{
	one(w, WAIT_FOR_IDLE, 0);
	sluice_method(w, C, REPORT_SEMAPHORE, 4);
	sluice_word64(w, report.address);
	sluice_word(w, report.payload);
	sluice_word(w, interrupt ? REPORT_AWAKEN : 0);
}
