/* The table that describes a mix: one row for each voice, group and effect. Its layout is the same as in
   framework/audio/mix_table.py. All sample numbers are absolute numbers of samples in the mix. */
#ifndef SUBTICK_TABLE_H
#define SUBTICK_TABLE_H
#include <stdint.h>

#define ONE 65536          /* units of a position per sample of a sound */
#define CHUNK 512          /* how many samples are mixed at a time */
#define LOOKAHEAD 128      /* how many samples the limiter looks ahead */
#define PREROLL 256        /* samples that are mixed again after a jump */
#define LINES 4097         /* points of the quarter sine of `even` fades */

typedef struct {
    int64_t starts;                  /* first sample of the mix in which the voice is heard */
    int64_t origin, place, glide;    /* position `place` at sample `origin`; glide: samples of a change of pitch */
    int64_t end;                     /* position from which the voice is silent */
    int64_t ahead, ahead_from;       /* only for the device: positions that are added, from a sample on fewer */
    int64_t ramp_begin, ramp_end;
    int64_t fade_begin, fade_end;
    int64_t length, low, high, seam; /* samples in memory, loop (high 0: none), end of the blended beginning */
    int64_t mask, valid;             /* stream: memory is a ring; samples before `valid` are in it */
    int64_t enters;                  /* first sample after a jump: fades in over 5 ms */
    int64_t muffle_begin, muffle_end;
    uint64_t left, right, again_left, again_right;
    double fade_from, fade_to;
    float gain_left, gain_right, to_left, to_right;
    float muffle, to_muffle;         /* share of the sound that goes through the low-pass filter */
    int32_t step, to_step, drain, group, even, channels;
    double filter_state[2];
    float filter_inputs[16];         /* only for the kernel with NumPy */
} Voice;

typedef struct {
    int64_t ramp_begin, ramp_end;
    float gain, to_gain;
    int32_t parent, first_effect, effect_count, listened;
} Group;

typedef struct {
    double params[16], to_params[16], state[32];
    int64_t ramp_begin, ramp_end;
    int64_t line_size;               /* samples a channel, a power of two; 0: no line */
    uint64_t line, line_copy;        /* float (2, line_size): memory of the mixer, and of a player */
    int32_t kind, side;
} Effect;

typedef struct {
    int64_t sample, frame;           /* sample of the mix for which states are valid = frame of the ring */
    int64_t keep;
    int64_t limited;                 /* sample of the mix up to which the limiter has come */
    uint64_t voices, groups, effects, quarter_sine, taps;
    int32_t voice_count, group_count, effect_count;
    int32_t held, continuing;        /* limiter: blocks for which the gain stays; streams end softly */
    float limiter_gain, limiter_to;  /* at the start and at the end of the current block */
    float limiter_low, limiter_before; /* the gains that the current block needs, and the block before */
    float limiter_line[2][LOOKAHEAD];
} Table;

enum { LOW_PASS = 1, HIGH_PASS, ECHO, REVERB, COMPRESSOR, DUCKING, METER, CRUSHER };
#define TAPS 8

/* The rows of an effect's delay memory. */
static inline int32_t effect_rows(int32_t kind) { return kind == REVERB ? TAPS : 2; }
#endif
