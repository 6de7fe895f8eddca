/*
 * Building pushbuffer words. Methods and fields are those of NVIDIA's classes 906f (host) and 9039
 * (M2MF), and of the copy engine firmware that pscnv and nouveau load.
 */
#include "sluice.h"

#define OP_INCR 0x20000000u
#define OP_NON_INCR 0x60000000u

/* Host, class 906f; methods below 0x100 are the host's on every subchannel. */
#define HOST_SET_OBJECT 0x00
#define HOST_SEMAPHORE_A 0x10 /* address high, low, payload, operation */
#define HOST_NON_STALL_INTERRUPT 0x20
#define SEMAPHORE_RELEASE 2u
#define SEMAPHORE_ACQUIRE_GEQ 4u
#define SEMAPHORE_ACQUIRE_SWITCH (1u << 12) /* let other channels run meanwhile */
#define SEMAPHORE_ONE_WORD (1u << 24)

/* M2MF, class 9039 */
#define M2MF_BLOCKS_IN 0x204  /* size, bytes of a line, lines, layers, layer */
#define M2MF_BLOCKS_OUT 0x220 /* the same */
#define M2MF_OFFSET_OUT 0x238 /* high, low */
#define M2MF_LAUNCH 0x300
#define M2MF_OFFSET_IN 0x30c /* high, low, pitch in, pitch out, line length, line count */
#define M2MF_SEMAPHORE 0x32c /* high, low, payload */
#define M2MF_ORIGIN_IN 0x344  /* byte of a line, line */
#define M2MF_ORIGIN_OUT 0x34c /* the same */
#define M2MF_PITCH_IN 0x10u
#define M2MF_PITCH_OUT 0x100u
#define M2MF_PITCH_TO_PITCH (M2MF_PITCH_IN | M2MF_PITCH_OUT)
#define M2MF_RELEASE 0x2000u
#define M2MF_SEMAPHORE_ONE_WORD (1u << 20)
#define M2MF_LINE 4096u
#define M2MF_MAX_LINES 2047u

/* PCOPY firmware */
#define PCOPY_EXEC 0x300
#define PCOPY_SRC 0x30c /* high, low; dst high, low; src pitch, dst pitch; x count, y count */
#define PCOPY_QUERY 0x338 /* high, low, counter */
#define PCOPY_LINEAR_TO_LINEAR 0x110u
#define PCOPY_REPORT 0x3000u /* one word */
#define PCOPY_LINE 0x8000u
#define PCOPY_MAX_LINES 0x1fffu

#define HIGH(address) ((uint32_t)((address) >> 32))
#define LOW(address) ((uint32_t)(address))

void sluice_word(struct sluice_words *w, uint32_t value)
{
	if (w->count < w->capacity)
		w->word[w->count] = value;
	w->count++;
}

bool sluice_words_fit(const struct sluice_words *w)
{
	return w->count <= w->capacity;
}

void sluice_method(struct sluice_words *w, uint32_t subchannel, uint32_t method, uint32_t count)
{
	sluice_word(w, OP_INCR | count << 16 | subchannel << 13 | method >> 2);
}

void sluice_method_again(struct sluice_words *w, uint32_t subchannel, uint32_t method, uint32_t count)
{
	sluice_word(w, OP_NON_INCR | count << 16 | subchannel << 13 | method >> 2);
}

void sluice_word64(struct sluice_words *w, uint64_t value)
{
	sluice_word(w, HIGH(value));
	sluice_word(w, LOW(value));
}

void sluice_build_bind(struct sluice_words *w)
{
	sluice_method(w, SLUICE_SUBCHANNEL_M2MF, HOST_SET_OBJECT, 1);
	sluice_word(w, SLUICE_CLASS_M2MF);
	sluice_method(w, SLUICE_SUBCHANNEL_PCOPY, HOST_SET_OBJECT, 1);
	sluice_word(w, SLUICE_CLASS_PCOPY);
}

/* ---- copies ------------------------------------------------------------------------------------ */

/*
 * How an engine is told to copy a rectangle of count lines. A copy of any size is rectangles of
 * whole lines, then one shorter line.
 */
struct engine {
	uint32_t line;
	uint32_t max_lines;
	void (*lines)(struct sluice_words *w, uint64_t dst, uint64_t src, uint32_t line,
		      uint32_t length, uint32_t count, bool last);
};

static void m2mf_lines(struct sluice_words *w, uint64_t dst, uint64_t src, uint32_t line,
		       uint32_t length, uint32_t count, bool last)
{
	sluice_method(w, SLUICE_SUBCHANNEL_M2MF, M2MF_OFFSET_OUT, 2);
	sluice_word64(w, dst);
	sluice_method(w, SLUICE_SUBCHANNEL_M2MF, M2MF_OFFSET_IN, 6);
	sluice_word64(w, src);
	sluice_word(w, line);
	sluice_word(w, line);
	sluice_word(w, length);
	sluice_word(w, count);
	sluice_method(w, SLUICE_SUBCHANNEL_M2MF, M2MF_LAUNCH, 1);
	sluice_word(w, M2MF_SEMAPHORE_ONE_WORD | M2MF_PITCH_TO_PITCH | (last ? M2MF_RELEASE : 0));
}

static void pcopy_lines(struct sluice_words *w, uint64_t dst, uint64_t src, uint32_t line,
			uint32_t length, uint32_t count, bool last)
{
	sluice_method(w, SLUICE_SUBCHANNEL_PCOPY, PCOPY_SRC, 8);
	sluice_word64(w, src);
	sluice_word64(w, dst);
	sluice_word(w, line);
	sluice_word(w, line);
	sluice_word(w, length);
	sluice_word(w, count);
	sluice_method(w, SLUICE_SUBCHANNEL_PCOPY, PCOPY_EXEC, 1);
	sluice_word(w, PCOPY_LINEAR_TO_LINEAR | (last ? PCOPY_REPORT : 0));
}

static void build_copy(struct sluice_words *w, const struct engine *engine, uint64_t dst,
		       uint64_t src, uint64_t bytes)
{
	while (bytes >= engine->line) {
		uint64_t lines = bytes / engine->line;
		uint32_t count = lines < engine->max_lines ? (uint32_t)lines : engine->max_lines;
		uint64_t done = (uint64_t)count * engine->line;

		bytes -= done;
		engine->lines(w, dst, src, engine->line, engine->line, count, bytes == 0);
		dst += done;
		src += done;
	}
	if (bytes)
		engine->lines(w, dst, src, (uint32_t)bytes, (uint32_t)bytes, 1, true);
}

void sluice_build_m2mf_copy(struct sluice_words *w, uint64_t dst, uint64_t src, uint64_t bytes,
			    struct sluice_report report)
{
	static const struct engine m2mf = { M2MF_LINE, M2MF_MAX_LINES, m2mf_lines };

	sluice_method(w, SLUICE_SUBCHANNEL_M2MF, M2MF_SEMAPHORE, 3);
	sluice_word64(w, report.address);
	sluice_word(w, report.payload);
	build_copy(w, &m2mf, dst, src, bytes);
}

void sluice_build_pcopy_copy(struct sluice_words *w, uint64_t dst, uint64_t src, uint64_t bytes,
			     struct sluice_report report)
{
	static const struct engine pcopy = { PCOPY_LINE, PCOPY_MAX_LINES, pcopy_lines };

	sluice_method(w, SLUICE_SUBCHANNEL_PCOPY, PCOPY_QUERY, 3);
	sluice_word64(w, report.address);
	sluice_word(w, report.payload);
	build_copy(w, &pcopy, dst, src, bytes);
}

void sluice_build_m2mf_blocks(struct sluice_words *w, const struct sluice_blocks *blocks,
			      uint64_t linear, uint32_t count, bool write)
{
	sluice_method(w, SLUICE_SUBCHANNEL_M2MF, write ? M2MF_BLOCKS_OUT : M2MF_BLOCKS_IN, 5);
	sluice_word(w, blocks->shift << 4);
	sluice_word(w, blocks->line_bytes);
	sluice_word(w, blocks->lines);
	sluice_word(w, blocks->layers);
	sluice_word(w, blocks->layer);
	sluice_method(w, SLUICE_SUBCHANNEL_M2MF, write ? M2MF_ORIGIN_OUT : M2MF_ORIGIN_IN, 2);
	sluice_word(w, 0);
	sluice_word(w, blocks->first_line);
	sluice_method(w, SLUICE_SUBCHANNEL_M2MF, M2MF_OFFSET_OUT, 2);
	sluice_word64(w, write ? blocks->address : linear);
	sluice_method(w, SLUICE_SUBCHANNEL_M2MF, M2MF_OFFSET_IN, 6);
	sluice_word64(w, write ? linear : blocks->address);
	sluice_word(w, blocks->line_bytes);
	sluice_word(w, blocks->line_bytes);
	sluice_word(w, blocks->line_bytes);
	sluice_word(w, count);
	sluice_method(w, SLUICE_SUBCHANNEL_M2MF, M2MF_LAUNCH, 1);
	sluice_word(w, write ? M2MF_PITCH_IN : M2MF_PITCH_OUT);
}

/* ---- host ------------------------------------------------------------------------------------ */

static void semaphore(struct sluice_words *w, uint64_t address, uint32_t payload, uint32_t operation)
{
	sluice_method(w, 0, HOST_SEMAPHORE_A, 4);
	sluice_word64(w, address);
	sluice_word(w, payload);
	sluice_word(w, operation);
}

void sluice_build_release(struct sluice_words *w, uint64_t address, uint32_t payload)
{
	semaphore(w, address, payload, SEMAPHORE_RELEASE | SEMAPHORE_ONE_WORD);
}

void sluice_build_acquire(struct sluice_words *w, uint64_t address, uint32_t payload)
{
	semaphore(w, address, payload,
		  SEMAPHORE_ACQUIRE_GEQ | SEMAPHORE_ACQUIRE_SWITCH | SEMAPHORE_ONE_WORD);
}

void sluice_build_interrupt(struct sluice_words *w)
{
	sluice_method(w, 0, HOST_NON_STALL_INTERRUPT, 1);
	sluice_word(w, 0);
}
