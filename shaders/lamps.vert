// Writes the current state of the lamps into a texture, for the shaders that draw light and shadows. Each instance is
// one lamp, and its three points are the texels of its column.
#include "frame.glsl"
#include "pose2d.glsl"
#include "light2d_math.glsl"

in vec2 in_previous_position;
in vec2 in_position;
in float in_previous_angle;
in float in_angle;
in vec3 in_previous_color;
in vec3 in_color;
in float in_previous_radius;
in float in_radius;
in float in_previous_intensity;
in float in_intensity;
in vec4 in_traits;   // cone, softness, flicker, flickers per second
in float in_height;
in uint in_seed;
in uint in_flags;    // 1: visible, 2: casts shadows

uniform int columns;
uniform float clock;  // seconds, modulo FLICKER_PERIOD

flat out vec4 v_texel;

uint hashed(uint number) {
    number = (number ^ (number >> 16)) * 0x7FEB352Du;
    number = (number ^ (number >> 15)) * 0x846CA68Bu;
    return number ^ (number >> 16);
}

float flickered(float depth, float rate, uint seed) {
    float cells = max(roundEven(FLICKER_PERIOD * rate), 1.0);
    float phase = clock / FLICKER_PERIOD * cells, cell = floor(phase), share = phase - cell;
    uint offset = hashed(seed);
    float before = float(hashed(uint(mod(cell, cells)) + offset)) / 4294967295.0;
    float after = float(hashed(uint(mod(cell + 1.0, cells)) + offset)) / 4294967295.0;
    return 1.0 - depth * (before + (after - before) * share * share * (3.0 - 2.0 * share));
}

// Compared as bits, NaN and infinity are greater than every finite number.
bool finite(float sum) {
    return floatBitsToUint(sum) <= 0x7F000000u;
}

void main() {
    float radius = in_previous_radius + (in_radius - in_previous_radius) * alpha;
    float intensity = in_previous_intensity + (in_intensity - in_previous_intensity) * alpha;
    vec2 position = blend(in_previous_position, in_position, alpha);
    float angle = blend_angle(in_previous_angle, in_angle, alpha);
    float strength = intensity * flickered(in_traits.z, in_traits.w, in_seed);
    vec3 color = (in_previous_color + (in_color - in_previous_color) * alpha) * strength;
    // A lamp whose light is not finite gives no light, but still casts shadows, because shadows are drawn again when
    // lamps move, not when their colors change.
    bool is_on = (in_flags & 1u) != 0u && radius > 0.0 && finite(abs(position.x) + abs(position.y) + abs(in_traits.y));
    bool shines = is_on && finite(abs(angle) + abs(color.r) + abs(color.g) + abs(color.b));
    if (gl_VertexID == 0)
        v_texel = vec4(position, shines ? radius : 0.0, in_traits.y);
    else if (gl_VertexID == 1)
        v_texel = vec4(color, in_traits.x);
    else
        v_texel = vec4(angle, in_height, float((in_flags >> 1) & 1u), is_on ? radius : 0.0);
    vec2 texel = (vec2(float(gl_InstanceID), float(gl_VertexID)) + 0.5) / vec2(float(columns), 3.0);
    gl_Position = vec4(texel * 2.0 - 1.0, 0.0, 1.0);
}
