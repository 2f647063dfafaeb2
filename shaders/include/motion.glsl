// Common functions of 2D and 3D poses; the CPU side is framework/state/motion.py.
const float TAU = 6.28318530717958647692;

// Return the time for which a state of this age is extrapolated, and the share of the old error that is still drawn.
vec2 reach_and_fade(float age, float limit, float blend_time) {
    float rest = max(1.0 - age / blend_time, 0.0);
    return vec2(min(age, limit), rest * rest * rest);
}
