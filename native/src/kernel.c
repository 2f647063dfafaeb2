/* Mixes the sounds of a game. Every sample is computed from absolute sample numbers, so the result has the same bits
   as that of framework/audio/kernel.py, however the mix is split into chunks. Compile with -ffp-contract=off. */
#include "table.h"
#include "exports.h"
#include <string.h>
#include <math.h>
#include <float.h>
#include "interpolate.h"
#include "effects.h"

#define BLOCK 64
#define HOLD 16
#define RELEASE (64.0f / 9600.0f)
#define SOFT 240
static const double muffle_filter[2] = {600.0, 0.5}; /* frequency and resonance */

static inline int64_t floor_div(int64_t a, int64_t b) {
    int64_t q = a / b;
    return q - ((a % b != 0) && (a < 0));
}

static inline int64_t place_at(const Voice *v, int64_t sample) {
    int64_t k = sample - v->origin;  /* negative if the player is mixing samples again */
    int64_t place;
    if (k < 0) {
        place = v->place + v->step * k;
    } else if (k >= v->glide) {
        int64_t g = v->glide;
        place = v->place + (k - g) * v->to_step;
        if (g) place += v->step * g + floor_div((int64_t)(v->to_step - v->step) * g * (g - 1), 2 * g);
    } else {
        place = v->place + v->step * k + floor_div((int64_t)(v->to_step - v->step) * k * (k - 1), 2 * v->glide);
    }
    if (v->ahead) {
        int64_t since = sample - v->ahead_from;
        int64_t left = v->ahead - (since > 0 ? since * v->drain : 0);
        if (left > 0) place += left;
    }
    return place;
}

static inline float fetch(const Voice *v, const float *data, const float *again, int64_t i) {
    if (i < 0) return 0.0f;
    if (v->mask) return i < v->valid ? data[i & v->mask] : 0.0f;
    if (v->high && i >= v->high) {
        i = v->low + (i - v->low) % (v->high - v->low);
        return i < v->seam ? again[i] : data[i];
    }
    return i < v->length ? data[i] : 0.0f;
}

/* If the four neighbours are data[i - 1] … data[i + 2], return `data + offset`, otherwise 0. */
static inline const float *direct(const Voice *v, const float *data, int64_t i) {
    if (v->mask) {
        int64_t at = i & v->mask;
        return i >= 1 && i + 2 < v->valid && at >= 1 && at + 2 <= v->mask ? data + at : 0;
    }
    if (v->high && i >= v->high) {
        i = v->low + (i - v->low) % (v->high - v->low);
        return i - 1 >= v->seam && i - 1 >= v->low && i + 2 < v->high ? data + i : 0;
    }
    int64_t end = v->high ? v->high : v->length;
    return i >= 1 && i + 2 < end ? data + i : 0;
}

static inline float value_at(const Voice *v, const float *data, const float *again, int64_t place, const float *taps) {
    int64_t i = place >> 16;
    uint32_t fraction = (uint32_t)(place & (ONE - 1));
    const float *p = direct(v, data, i);
    if (p) return fraction ? between(p, fraction, taps) : p[0];
    if (!fraction) return fetch(v, data, again, i);
    float four[4];
    for (int n = 0; n < 4; n++) four[n] = fetch(v, data, again, i - 1 + n);
    return between(four + 1, fraction, taps);
}

static inline float share_of(int64_t begin, int64_t end, int64_t sample) {
    if (sample >= end) return 1.0f;
    if (sample <= begin) return 0.0f;
    return (float)((double)(sample - begin) / (double)(end - begin));
}

static inline float level_at(const Voice *v, int64_t sample, const double *sine) {
    double passed;
    if (sample >= v->fade_end) passed = 1.0;
    else if (sample <= v->fade_begin) passed = 0.0;
    else passed = (double)(sample - v->fade_begin) / (double)(v->fade_end - v->fade_begin);
    if (!v->even) return (float)(v->fade_from + (v->fade_to - v->fade_from) * passed);
    double at = passed * (LINES - 1);
    int32_t i = (int32_t)at;
    if (i > LINES - 2) i = LINES - 2;
    double part = at - i;
    double coming = sine[i] + (sine[i + 1] - sine[i]) * part;
    double going = sine[LINES - 1 - i] + (sine[LINES - 2 - i] - sine[LINES - 1 - i]) * part;
    return (float)(v->fade_from * going + v->fade_to * coming);
}

/* Samples data[i - 1] to data[i + 2] are neighbours in memory for all i from *i to the returned number - 1. Then
   *base + i is the address of sample i. If they are not neighbours, returns at most *i. */
static int64_t straight(const Voice *v, const float *data, int64_t i, const float **base) {
    if (v->mask) {
        int64_t turn = i & ~v->mask;
        int64_t end = turn + v->mask - 1;
        if (v->valid - 2 < end) end = v->valid - 2;
        *base = data - turn;
        return (i & v->mask) >= 1 ? end : i;
    }
    if (v->high && i >= v->high) {
        int64_t at = v->low + (i - v->low) % (v->high - v->low);
        *base = data - (i - at);
        return at - 1 >= v->seam && at - 1 >= v->low ? i - at + v->high - 2 : i;
    }
    *base = data;
    return i >= 1 ? (v->high ? v->high : v->length) - 2 : i;
}

/* Write the values of a voice, before gains are applied, from sample `s` to the sample before `last`. Return the sample
   at which the voice ends, at most `last`. */
static int64_t fill(const Table *t, const Voice *v, int64_t s, int64_t last, float *out, const float *data,
                    const float *again) {
    const float *taps = (const float *)(uintptr_t)t->taps;
    if (v->ahead || s < v->origin + v->glide) {
        for (; s < last; s++) {
            int64_t place = place_at(v, s);
            if (place >= v->end) return s;
            *out++ = value_at(v, data, again, place, taps);
        }
        return last;
    }
    int64_t place = place_at(v, s), step = v->to_step;
    while (s < last && place < v->end) {
        const float *base;
        int64_t i = place >> 16, until = straight(v, data, i, &base), count = 1;
        if (until <= i) {
            *out = value_at(v, data, again, place, taps);
        } else {
            int64_t bound = until << 16;
            if (v->end < bound) bound = v->end;
            count = step ? (bound - place + step - 1) / step : last - s;
            if (count > last - s) count = last - s;
            if (step == ONE && !(place & (ONE - 1)))
                memcpy(out, base + i, sizeof(float) * (size_t)count);
            else {
                const float *from = base + i;
                uint64_t at = (uint64_t)(place & (ONE - 1));
                for (int64_t n = 0; n < count; n++, at += (uint64_t)step)
                    out[n] = between(from + (at >> 16), (uint32_t)(at & (ONE - 1)), taps);
            }
        }
        out += count;
        s += count;
        place += step * count;
    }
    return s;
}

/* Apply the low-pass filter of an occluded voice to `n` samples from sample `s` on. See framework/audio/muffling.py. */
static void muffle(Voice *v, int64_t s, int32_t n, float *values) {
    Filter filter = filter_of(muffle_filter);
    for (int32_t i = 0; i < n; i++, s++) {
        if ((s & (FILTER_BLOCK - 1)) == 0)
            for (int k = 0; k < 2; k++) v->filter_state[k] = (v->filter_state[k] + 1e-30) - 1e-30;
        float filtered = (float)filter_step(&filter, v->filter_state, values[i], 0);
        float share = s >= v->muffle_end ? v->to_muffle
            : v->muffle + (v->to_muffle - v->muffle) * share_of(v->muffle_begin, v->muffle_end, s);
        values[i] += (filtered - values[i]) * share;
    }
}

static void add_voice(const Table *t, Voice *v, int64_t first, int32_t count, float *left, float *right) {
    float values[2][CHUNK];
    const double *sine = (const double *)(uintptr_t)t->quarter_sine;
    int64_t last = first + count;
    int64_t begin = first < v->starts ? v->starts : first;
    int fades = v->fade_end != INT64_MIN;
    int moves = first < v->ramp_end;
    int stereo = v->channels == 2;
    if (fades && v->fade_to == 0.0 && first >= v->fade_end) return;
    if (!moves && v->to_left == 0.0f && v->to_right == 0.0f) return;
    if (begin >= last) return;
    int64_t end = fill(t, v, begin, last, values[0], (const float *)(uintptr_t)v->left,
                       (const float *)(uintptr_t)v->again_left);
    if (stereo) fill(t, v, begin, last, values[1], (const float *)(uintptr_t)v->right,
                     (const float *)(uintptr_t)v->again_right);
    int32_t n = (int32_t)(end - begin);
    float *l = values[0], *r = stereo ? values[1] : values[0];
    if (!stereo && (v->to_muffle != 0.0f || first < v->muffle_end)) muffle(v, begin, n, l);
    if (fades) {
        for (int32_t i = 0; i < n; i++) {
            float level = level_at(v, begin + i, sine);
            l[i] *= level;
            if (stereo) r[i] *= level;
        }
    }
    if (first < v->enters + SOFT) {
        for (int32_t i = 0; i < n; i++) {
            int64_t passed = begin + i - v->enters;
            float level = passed >= SOFT ? 1.0f : passed > 0 ? (float)(int32_t)passed * (1.0f / SOFT) : 0.0f;
            l[i] *= level;
            if (stereo) r[i] *= level;
        }
    }
    if (t->continuing && v->mask && v->valid * ONE < v->end) {
        for (int32_t i = 0; i < n; i++) {
            int64_t room = v->valid - (place_at(v, begin + i) >> 16) - 3;
            if (room >= SOFT) continue;
            float level = room > 0 ? (float)(int32_t)room * (1.0f / SOFT) : 0.0f;
            l[i] *= level;
            if (stereo) r[i] *= level;
        }
    }
    left += begin - first;
    right += begin - first;
    if (moves) {
        for (int32_t i = 0; i < n; i++) {
            int64_t s = begin + i;
            float share = share_of(v->ramp_begin, v->ramp_end, s);
            left[i] += l[i] * (s >= v->ramp_end ? v->to_left : v->gain_left + (v->to_left - v->gain_left) * share);
            right[i] += r[i] * (s >= v->ramp_end ? v->to_right : v->gain_right + (v->to_right - v->gain_right) * share);
        }
        return;
    }
    float gain_left = v->to_left, gain_right = v->to_right;
    for (int32_t i = 0; i < n; i++) left[i] += l[i] * gain_left;
    for (int32_t i = 0; i < n; i++) right[i] += r[i] * gain_right;
}

static void scale(const Group *g, int64_t first, int32_t count, float *left, float *right) {
    if (first >= g->ramp_end && g->to_gain == 1.0f) return;
    for (int32_t i = 0; i < count; i++) {
        float share = share_of(g->ramp_begin, g->ramp_end, first + i);
        float gain = first + i >= g->ramp_end ? g->to_gain : g->gain + (g->to_gain - g->gain) * share;
        left[i] *= gain;
        right[i] *= gain;
    }
}

/* Limit `count` samples in place. The output is delayed by LOOKAHEAD samples: see framework/audio/limiter.py. */
void limit_chunk(Table *t, int64_t first, int32_t count, float *left, float *right) {
    if (t->limited != first) {
        memset(t->limiter_line, 0, sizeof(t->limiter_line));
        t->limiter_low = t->limiter_before = 1.0f;
    }
    t->limited = first + count;
    for (int32_t i = 0; i < count; i++) {
        int32_t k = (int32_t)((first + i) & (BLOCK - 1)), at = (int32_t)((first + i) & (LOOKAHEAD - 1));
        if (k == 0) {
            float missing = 1.0f - t->limiter_to;
            float lowest = t->limiter_low < t->limiter_before ? t->limiter_low : t->limiter_before;
            t->limiter_gain = t->limiter_to;
            float risen = t->held ? t->limiter_gain : t->limiter_gain + (missing < RELEASE ? missing : RELEASE);
            int falling = lowest < 1.0f && lowest <= risen;
            t->limiter_to = falling ? lowest : risen;
            t->held = falling ? HOLD : t->held > 0 ? t->held - 1 : 0;
            t->limiter_before = t->limiter_low;
            t->limiter_low = 1.0f;
        }
        float l = fabsf(left[i]), r = fabsf(right[i]);
        if (!(l <= FLT_MAX && r <= FLT_MAX)) l = r = left[i] = right[i] = 0.0f;
        float peak = l > r ? l : r;
        if (peak > 1.0f) {
            float needed = 1.0f / peak;
            if (needed < t->limiter_low) t->limiter_low = needed;
        }
        float gain = t->limiter_gain + (t->limiter_to - t->limiter_gain) * ((float)k * (1.0f / BLOCK));
        l = t->limiter_line[0][at] * gain;
        r = t->limiter_line[1][at] * gain;
        t->limiter_line[0][at] = left[i];
        t->limiter_line[1][at] = right[i];
        left[i] = l > 1.0f ? 1.0f : l < -1.0f ? -1.0f : l;
        right[i] = r > 1.0f ? 1.0f : r < -1.0f ? -1.0f : r;
    }
}

/* Mix samples `first` to `first + count` (at most CHUNK) into `left` and `right`. `scratch`: float (groups, 2, CHUNK). */
void mix_chunk(Table *t, int64_t first, int32_t count, float *left, float *right, float *scratch) {
    Voice *voices = (Voice *)(uintptr_t)t->voices;
    Group *groups = (Group *)(uintptr_t)t->groups;
    Effect *effects = (Effect *)(uintptr_t)t->effects;
    for (int32_t g = 0; g < t->group_count; g++)
        memset(scratch + (size_t)g * 2 * CHUNK, 0, sizeof(float) * 2 * CHUNK);
    for (int32_t n = 0; n < t->voice_count; n++) {
        float *buffer = scratch + (size_t)voices[n].group * 2 * CHUNK;
        add_voice(t, voices + n, first, count, buffer, buffer + CHUNK);
    }
    for (int32_t g = t->group_count - 1; g >= 0; g--) {
        Group *group = groups + g;
        float *l = scratch + (size_t)g * 2 * CHUNK, *r = l + CHUNK;
        for (int32_t e = 0; e < group->effect_count; e++) {
            Effect *effect = effects + group->first_effect + e;
            const float *side = effect->side > g && effect->side < t->group_count ? scratch + (size_t)effect->side * 2 * CHUNK : 0;
            effect_run(effect, l, r, side, side ? side + CHUNK : 0, first, count);
        }
        scale(group, first, count, l, r);
        if (g) {
            float *into = scratch + (size_t)group->parent * 2 * CHUNK;
            for (int32_t i = 0; i < count; i++) {
                into[i] += l[i];
                into[CHUNK + i] += r[i];
            }
        }
    }
    memcpy(left, scratch, sizeof(float) * (size_t)count);
    memcpy(right, scratch + CHUNK, sizeof(float) * (size_t)count);
}

/* Mix any number of samples into `out`: float (2, count). */
EXPORT void subtick_mix(Table *t, int64_t first, int64_t count, float *out, float *scratch) {
    for (int64_t done = 0; done < count; done += CHUNK) {
        int32_t now = (int32_t)(count - done < CHUNK ? count - done : CHUNK);
        mix_chunk(t, first + done, now, out + done, out + count + done, scratch);
    }
}

/* The version and the row sizes (voice, group, effect, table), so that Python can check that the library fits. */
EXPORT void subtick_sizes(int32_t *sizes) {
    sizes[0] = 3;
    sizes[1] = (int32_t)sizeof(Voice);
    sizes[2] = (int32_t)sizeof(Group);
    sizes[3] = (int32_t)sizeof(Effect);
    sizes[4] = (int32_t)sizeof(Table);
}
