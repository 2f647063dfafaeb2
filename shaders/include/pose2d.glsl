// Computes a 2D pose between two ticks, and its model matrix. framework/state/motion.py performs the same operations in
// the same order on the CPU, and a test compares the two.
#include "motion.glsl"

vec2 blend(vec2 previous, vec2 current, float t) {
    return previous + (current - previous) * t;
}

// Interpolate angles along the shorter arc, which is at most half a turn.
float blend_angle(float previous, float current, float t) {
    float turn = current - previous;
    turn -= TAU * roundEven(turn / TAU);
    return previous + turn * t;
}

// Interpolate with the cubic curve that has the positions and velocities of both states. Here, velocities are
// multiplied by the length of the tick. A position that does not change stays exactly the same.
vec2 hermite(vec2 previous, vec2 current, vec2 leaving, vec2 arriving, float t) {
    vec2 gone = current - previous;
    vec2 curved = previous + t * (leaving + t * ((3.0 * gone - 2.0 * leaving - arriving)
        + t * (leaving + arriving - 2.0 * gone)));
    return gone == vec2(0.0) ? current : curved;
}

// Return the model matrix: scale, then rotation, then translation.
mat4 model_matrix(vec2 position, float angle, vec2 scale) {
    float c = cos(angle), s = sin(angle);
    return mat4(
        c * scale.x,  s * scale.x, 0.0, 0.0,
        -s * scale.y, c * scale.y, 0.0, 0.0,
        0.0, 0.0, 1.0, 0.0,
        position, 0.0, 1.0);
}
