// Computes an interpolated 3D pose, and its model matrix. On the CPU, framework/state/transforms3d.py and
// geometry/quaternions.py perform the same operations in the same order, and a test checks that the results are equal.
#include "motion.glsl"
const float NLERP_ABOVE = 0.9995;
const float NEGATED_BELOW = -1e-6;
const float TINY = 1e-30;

vec3 blend(vec3 previous, vec3 current, float t) {
    return previous + (current - previous) * t;
}

vec4 multiply(vec4 a, vec4 b) {
    return vec4(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

vec4 conjugate(vec4 q) {
    return vec4(-q.xyz, q.w);
}

vec4 normalized(vec4 q) {
    return q / max(length(q), TINY);
}

// Return the quaternion of a rotation by |v| radians about v.
vec4 from_vector(vec3 v) {
    float angle = length(v), share = angle > 1e-6 ? sin(0.5 * angle) / max(angle, TINY) : 0.5;
    return vec4(v * share, cos(0.5 * angle));
}

// Return the arc cosine of a number from 0 to 1 (Abramowitz and Stegun 4.4.46). The error is at most 2e-7. A driver's
// own acos may have an error of 1e-4.
float arc_cosine(float x) {
    float p = ((((((-0.0012624911 * x + 0.0066700901) * x - 0.0170881256) * x + 0.0308918810) * x - 0.0501743046) * x
        + 0.0889789874) * x - 0.2145988016) * x + 1.5707963050;
    return sqrt(max(1.0 - x, 0.0)) * p;
}

// Return the angle of a vector from +x; 0 for the vector (0, 0).
float arc_tangent(float y, float x) {
    vec2 direction = abs(vec2(x, y)) / max(length(vec2(x, y)), TINY);
    float angle = direction.y < direction.x ? 0.25 * TAU - arc_cosine(direction.y) : arc_cosine(direction.x);
    angle = x < 0.0 ? 0.5 * TAU - angle : angle;
    return y < 0.0 ? -angle : angle;
}

// Interpolate rotations at a constant speed, along the shorter arc.
vec4 slerp(vec4 previous, vec4 current, float t) {
    float cosine = dot(previous, current);
    float side = cosine < NEGATED_BELOW ? -1.0 : 1.0;
    cosine = min(abs(cosine), 1.0);
    float first = 1.0 - t, second = t;
    if (cosine <= NLERP_ABOVE) {
        float angle = arc_cosine(cosine), sine = max(sin(angle), TINY);
        first = sin((1.0 - t) * angle) / sine;
        second = sin(t * angle) / sine;
    }
    return normalized(previous * first + current * (second * side));
}

// Interpolate rotations with as many whole turns as the angular velocity requires. `turn` is the angular velocity
// multiplied by the length of the tick.
vec4 spun(vec4 previous, vec4 current, vec3 turn, float t) {
    float expected = length(turn);
    if (expected == 0.0 || previous == current)
        return slerp(previous, current, t);
    vec3 axis = turn / max(expected, TINY);
    vec4 turned = multiply(current, conjugate(previous));
    float twist = 2.0 * arc_tangent(dot(turned.xyz, axis), turned.w);
    twist += TAU * roundEven((expected - twist) / TAU);
    vec4 rest = slerp(vec4(0.0, 0.0, 0.0, 1.0), multiply(from_vector(-axis * twist), turned), t);
    return multiply(multiply(from_vector(axis * (twist * t)), rest), previous);
}

// Interpolate with the cubic curve that has both velocities, multiplied by the length of the tick. An instance that
// does not move stays exactly in place.
vec3 hermite(vec3 previous, vec3 current, vec3 leaving, vec3 arriving, float t) {
    vec3 gone = current - previous;
    vec3 curved = previous + t * (leaving + t * ((3.0 * gone - 2.0 * leaving - arriving)
        + t * (leaving + arriving - 2.0 * gone)));
    return gone == vec3(0.0) ? current : curved;
}

mat3 rotation_matrix(vec4 q) {
    vec3 d = q.xyz + q.xyz;
    vec3 x = q.x * d, w = q.w * d;
    float yy = q.y * d.y, yz = q.y * d.z, zz = q.z * d.z;
    return mat3(
        1.0 - (yy + zz), x.y + w.z, x.z - w.y,
        x.y - w.z, 1.0 - (x.x + zz), yz + w.x,
        x.z + w.y, yz - w.x, 1.0 - (x.x + yy));
}

// Return the three scaled axes and the position.
mat4x3 model_matrix(vec3 place, vec4 rotation, vec3 scale) {
    mat3 turn = rotation_matrix(rotation);
    return mat4x3(turn[0] * scale.x, turn[1] * scale.y, turn[2] * scale.z, place);
}
