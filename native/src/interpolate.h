/* The value between samples p[0] and p[1]. p[-1] to p[2] are valid. `fraction` is 0 to 65535. */
static inline float between(const float *p, uint32_t fraction, const float *taps) {
    (void)taps;
    float share = (float)(int32_t)fraction * (1.0f / ONE);
    return p[0] + (p[1] - p[0]) * share;
}
