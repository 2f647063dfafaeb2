/* The effects of a group, with the same arithmetic as framework/audio/effects.py, which explains it. `side_left` and
   `side_right` are the sound of the group that controls the effect, or NULL. */
#define AMOUNT 15
#define MAX_SAMPLE 65536.0f
#define FILTER_BLOCK 16
#define LEVEL_BLOCK 64
#define RATE 48000.0
#define TINY 1e-18f

static const int32_t reverb_delays[TAPS] = {1031, 1171, 1327, 1499, 1693, 1901, 2137, 2399};

static inline float effect_share(const Effect *e, int64_t sample) {
    if (sample >= e->ramp_end) return 1.0f;
    if (sample <= e->ramp_begin) return 0.0f;
    return (float)((double)(sample - e->ramp_begin) / (double)(e->ramp_end - e->ramp_begin));
}

static inline float between_values(double from, double to, float share) {
    float old = (float)from, new = (float)to;
    return share < 1.0f ? old + (new - old) * share : new;
}

static inline float param(const Effect *e, int32_t index, float share) {
    return between_values(e->params[index], e->to_params[index], share);
}

typedef struct { double a1, a2, a3, k; } Filter;

static Filter filter_of(const double *params) {
    double g = tan(3.141592653589793 * params[0] / RATE), k = 1.0 / params[1];
    Filter f;
    f.a1 = 1.0 / (1.0 + g * (g + k));
    f.a2 = g * f.a1;
    f.a3 = g * f.a2;
    f.k = k;
    return f;
}

static inline double filter_step(const Filter *f, double *state, double x, int high) {
    double v3 = x - state[1];
    double v1 = f->a1 * state[0] + f->a2 * v3;
    double v2 = state[1] + f->a2 * state[0] + f->a3 * v3;
    state[0] = 2.0 * v1 - state[0];
    state[1] = 2.0 * v2 - state[1];
    return high ? x - f->k * v1 - v2 : v2;
}

static void filter_run(Effect *e, float *left, float *right, int64_t first, int32_t count) {
    Filter old = filter_of(e->params), new = filter_of(e->to_params);
    int high = e->kind == HIGH_PASS;
    float *channels[2] = {left, right};
    for (int32_t i = 0; i < count; i++) {
        int64_t s = first + i;
        if ((s & (FILTER_BLOCK - 1)) == 0) {
            if (s == e->ramp_begin) memcpy(e->state + 4, e->state, sizeof(double) * 4);
            if (s == e->ramp_end) memcpy(e->state, e->state + 4, sizeof(double) * 4);
            for (int n = 0; n < 8; n++) e->state[n] = (e->state[n] + 1e-30) - 1e-30;
        }
        int fading = s >= e->ramp_begin && s < e->ramp_end;
        double share = fading ? effect_share(e, s) : 0.0;
        const Filter *now = s < e->ramp_end ? &old : &new;
        for (int c = 0; c < 2; c++) {
            double x = channels[c][i];
            double y = filter_step(now, e->state + 2 * c, x, high);
            if (fading) y += (filter_step(&new, e->state + 4 + 2 * c, x, high) - y) * share;
            channels[c][i] = (float)y;
        }
    }
}

static void echo_run(Effect *e, float *left, float *right, int64_t first, int32_t count) {
    int64_t mask = e->line_size - 1;
    int64_t old = (int64_t)e->params[0], new = (int64_t)e->to_params[0];
    float *channels[2] = {left, right};
    for (int32_t i = 0; i < count; i++) {
        int64_t s = first + i;
        float share = effect_share(e, s);
        float feedback = param(e, 1, share), wet = param(e, 2, share), dry = param(e, 3, share);
        int constant = old == new || s >= e->ramp_end;
        for (int c = 0; c < 2; c++) {
            float *line = (float *)(uintptr_t)e->line + c * e->line_size;
            float echo = line[(s - (constant ? new : old)) & mask];
            if (!constant) echo = echo + (line[(s - new) & mask] - echo) * share;
            float x = channels[c][i];
            float heard = x * param(e, AMOUNT, share) + feedback * echo;
            line[s & mask] = (heard + TINY) - TINY;
            channels[c][i] = dry * x + wet * echo;
        }
    }
}

static int64_t repeated_sample(int64_t sample, double sample_rate) {
    double period = floor((double)sample * sample_rate / RATE);
    double start = ceil(period * RATE / sample_rate);
    return start < (double)sample ? (int64_t)start : sample;
}

static void crusher_run(Effect *e, float *left, float *right, int64_t first, int32_t count) {
    int64_t mask = e->line_size - 1;
    float old_steps = (float)pow(2.0, e->params[0] - 1.0), new_steps = (float)pow(2.0, e->to_params[0] - 1.0);
    float *channels[2] = {left, right};
    for (int32_t i = 0; i < count; i++) {
        int64_t s = first + i;
        float share = effect_share(e, s);
        int64_t repeated = repeated_sample(s, e->to_params[1]);
        int64_t old_repeated = share < 1.0f ? repeated_sample(s, e->params[1]) : repeated;
        for (int c = 0; c < 2; c++) {
            float *line = (float *)(uintptr_t)e->line + c * e->line_size;
            line[s & mask] = channels[c][i];
            float value = floorf(line[repeated & mask] * new_steps + 0.5f) / new_steps;
            if (share < 1.0f) {
                float old = floorf(line[old_repeated & mask] * old_steps + 0.5f) / old_steps;
                value = old + (value - old) * share;
            }
            channels[c][i] = value;
        }
    }
}

static double reverb_decay(int32_t delay, double duration) {
    return pow(10.0, -3.0 * delay / (RATE * (duration > 0.001 ? duration : 0.001)));
}

static void reverb_run(Effect *e, float *left, float *right, int64_t first, int32_t count) {
    int64_t mask = e->line_size - 1;
    float *line = (float *)(uintptr_t)e->line;
    double old[TAPS], new[TAPS];
    float values[TAPS], gains[TAPS];
    for (int n = 0; n < TAPS; n++) {
        old[n] = reverb_decay(reverb_delays[n], e->params[0]);
        new[n] = reverb_decay(reverb_delays[n], e->to_params[0]);
        gains[n] = (float)new[n];
    }
    for (int32_t i = 0; i < count; i++) {
        int64_t s = first + i;
        float share = effect_share(e, s);
        float damped = param(e, 1, share) * 0.5f, wet = param(e, 2, share), dry = param(e, 3, share);
        float entering = param(e, AMOUNT, share) * 0.25f, total = 0.0f;
        for (int n = 0; n < TAPS; n++) {
            const float *row = line + n * e->line_size;
            float heard = row[(s - reverb_delays[n]) & mask];
            float before = row[(s - reverb_delays[n] - 1) & mask];
            values[n] = heard + (before - heard) * damped;
            total = n ? total + values[n] : values[n];
        }
        float shared = total * 0.25f;
        for (int n = 0; n < TAPS; n++) {
            float gain = s < e->ramp_end ? between_values(old[n], new[n], share) : gains[n];
            float value = (n & 1 ? right[i] : left[i]) * entering + (values[n] - shared) * gain;
            line[n * e->line_size + (s & mask)] = (value + TINY) - TINY;
        }
        float l = ((values[0] - values[2]) + values[4]) - values[6];
        float r = ((values[1] - values[3]) + values[5]) - values[7];
        left[i] = dry * left[i] + wet * l;
        right[i] = dry * right[i] + wet * r;
    }
}

static void next_gain(Effect *e, int64_t sample) {
    double *state = e->state;
    double length = (double)(e->ramp_end > e->ramp_begin ? e->ramp_end - e->ramp_begin : 1), values[5];
    double share = sample <= e->ramp_begin ? 0.0 : sample >= e->ramp_end ? 1.0 : (double)(sample - e->ramp_begin) / length;
    for (int n = 0; n < 5; n++) values[n] = e->params[n] + (e->to_params[n] - e->params[n]) * share;
    double above = 20.0 * log10(state[2] > 1e-6 ? state[2] : 1e-6) - values[0], target = 0.0;
    if (above > 0.0) target = e->kind == DUCKING ? values[1] : above * (1.0 - 1.0 / values[1]);
    double time = target > state[3] ? values[2] : values[3];
    state[3] += (target - state[3]) * (1.0 - exp(-LEVEL_BLOCK / (RATE * time)));
    state[0] = state[1];
    state[1] = pow(10.0, (values[4] - state[3]) / 20.0) - 1.0;
    state[2] = 0.0;
}

static void compressor_run(Effect *e, float *left, float *right, const float *side_left, const float *side_right,
                           int64_t first, int32_t count) {
    double *state = e->state;
    for (int32_t i = 0; i < count; i++) {
        int32_t phase = (int32_t)((first + i) & (LEVEL_BLOCK - 1));
        if (phase == 0) next_gain(e, first + i);
        float l = left[i], r = right[i];
        if (e->kind == DUCKING) {
            l = side_left ? side_left[i] : 0.0f;
            r = side_right ? side_right[i] : 0.0f;
        }
        l = fabsf(l);
        r = fabsf(r);
        float peak = l > r ? l : r;
        if (peak > state[2]) state[2] = peak;
        if (state[0] == 0.0 && state[1] == 0.0) continue;
        float gain = (float)(1.0 + state[0]) + (float)(state[1] - state[0]) * ((float)phase * (1.0f / LEVEL_BLOCK));
        left[i] *= gain;
        right[i] *= gain;
    }
}

static void effect_run(Effect *e, float *left, float *right, const float *side_left, const float *side_right,
                       int64_t first, int32_t count) {
    float dry[2][CHUNK];
    int whole = e->to_params[AMOUNT] == 1.0 && (first >= e->ramp_end || e->params[AMOUNT] == 1.0);
    if (!whole) {
        memcpy(dry[0], left, sizeof(float) * (size_t)count);
        memcpy(dry[1], right, sizeof(float) * (size_t)count);
    }
    switch (e->kind) {
    case LOW_PASS: case HIGH_PASS: filter_run(e, left, right, first, count); break;
    case ECHO: if (e->line_size) echo_run(e, left, right, first, count); break;
    case REVERB: if (e->line_size) reverb_run(e, left, right, first, count); break;
    case COMPRESSOR: case DUCKING: compressor_run(e, left, right, side_left, side_right, first, count); break;
    case CRUSHER: if (e->line_size) crusher_run(e, left, right, first, count); break;
    case METER:
        for (int32_t i = 0; e->line_size && i < count; i++) {
            float *line = (float *)(uintptr_t)e->line + ((first + i) & (e->line_size - 1));
            line[0] = left[i];
            line[e->line_size] = right[i];
        }
        break;
    default: return;
    }
    for (int32_t i = 0; !whole && i < count; i++) {
        float amount = param(e, AMOUNT, effect_share(e, first + i));
        if (amount == 1.0f) continue;
        left[i] = dry[0][i] + (left[i] - dry[0][i]) * amount;
        right[i] = dry[1][i] + (right[i] - dry[1][i]) * amount;
    }
    for (int32_t i = 0; i < count; i++) {
        left[i] = left[i] > MAX_SAMPLE ? MAX_SAMPLE : left[i] < -MAX_SAMPLE ? -MAX_SAMPLE : left[i];
        right[i] = right[i] > MAX_SAMPLE ? MAX_SAMPLE : right[i] < -MAX_SAMPLE ? -MAX_SAMPLE : right[i];
    }
}
