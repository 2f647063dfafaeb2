// The shadows of a batch's sprites, each a box that goes with it: one instance is a sprite, its vertices go through all
// lamps, with four sides each.
#include "frame.glsl"
#include "sprite_pose.glsl"
#include "lamp_shadow.glsl"

in uint in_info;

uniform vec4 box;     // left, bottom, right, top, from where the sprite is, before it is scaled
uniform float depth;

vec2 turned(vec2 corner, vec2 position, float angle, vec2 scale) {
    return (model_matrix(position, angle, scale) * vec4(corner, 0.0, 1.0)).xy;
}

void main() {
    vec2 position, scale;
    float angle;
    sprite_pose(position, angle, scale);
    int lamp = gl_VertexID / 48, side = gl_VertexID / 12 % 4;
    vec2 corners[4] = vec2[4](box.xy, box.zy, box.zw, box.xw);
    vec2 start = turned(corners[side], position, angle, scale);
    vec2 end = turned(corners[(side + 1) & 3], position, angle, scale);
    vec2 away = texelFetch(lamps, ivec2(lamp, 0), 0).xy - position;
    vec2 within = vec2(dot(away, vec2(cos(angle), sin(angle))), dot(away, vec2(-sin(angle), cos(angle)))) / scale;
    bool inside = all(greaterThan(within, box.xy)) && all(lessThan(within, box.zw));
    bool there = (in_info & 0x1000000u) != 0u && !inside;
    put_stripe(vec4(start, end), depth, lamp, gl_VertexID % 12, there);
}
