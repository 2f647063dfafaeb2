/* Return the value between the samples p[0] and p[1]. p[-1] to p[2] are valid. `fraction` is 0 to 65535. Performs the
   same operations in the same order as framework/audio/sample_interpolation.py, which explains the two factors. */
#define CURVE 0.27f
#define SKEW 0.175f

static inline float between(const float *p, uint32_t fraction, const float *taps) {
    (void)taps;
    float share = (float)(int32_t)fraction * (1.0f / ONE);
    float rise = p[1] - p[0];
    float outer = p[-1] - p[2];
    float third = rise * 3.0f + outer;
    float curve = (p[1] + p[0]) - (p[2] + p[-1]);
    float bend = third * ((share - 0.5f) * SKEW) + curve * CURVE;
    return (bend * (1.0f - share) + rise) * share + p[0];
}
