// Functions that 2D and 3D poses share. framework/state/motion.py computes the same on the CPU.
const float TAU = 6.28318530717958647692;

// Return for how long a state of this age is extrapolated, and which fraction of the old error is still drawn.
vec2 reach_and_fade(float age, float limit, float blend_time) {
    float rest = max(1.0 - age / blend_time, 0.0);
    return vec2(min(age, limit), rest * rest * rest);
}
