// The pose between two ticks, and its model matrix. The CPU side of the same formulas, in the same order of
// operations, is framework/transforms.py; a test holds the two equal.
const float TAU = 6.28318530717958647692;

vec2 blend(vec2 previous, vec2 current, float t) {
    return previous + (current - previous) * t;
}

// The short way round: at most half a turn.
float blend_angle(float previous, float current, float t) {
    float turn = current - previous;
    turn -= TAU * roundEven(turn / TAU);
    return previous + turn * t;
}

// Scale, then rotation, then translation.
mat4 model_matrix(vec2 position, float angle, vec2 scale) {
    float c = cos(angle), s = sin(angle);
    return mat4(
        c * scale.x,  s * scale.x, 0.0, 0.0,
        -s * scale.y, c * scale.y, 0.0, 0.0,
        0.0, 0.0, 1.0, 0.0,
        position, 0.0, 1.0);
}
