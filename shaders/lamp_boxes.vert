// Draws the shadows of a batch's sprites, which are boxes. Each instance is one sprite. Its vertices are the four sides
// of the box, once for each lamp.
#include "frame.glsl"
#include "sprite_pose.glsl"
#include "lamp_shadow.glsl"

in uint in_info;

uniform vec4 box;     // left, bottom, right, top, relative to the sprite's position, before scaling
uniform float depth;
uniform int first_lamp;   // the first lamp of this draw call
#ifdef SOFT
uniform int lamp_count;   // after the vertices of these lamps, further vertices write the sides of the box
uniform int first_group;  // the first group of the batch
#endif

vec2 turned(vec2 corner, vec2 position, float angle, vec2 scale) {
    return (model_matrix(position, angle, scale) * vec4(corner, 0.0, 1.0)).xy;
}

void main() {
    vec2 position, scale;
    float angle;
    sprite_pose(position, angle, scale);
    int lamp = first_lamp + gl_VertexID / 48, side = gl_VertexID / 12 % 4;
    vec2 corners[4] = vec2[4](box.xy, box.zy, box.zw, box.xw);
    vec2 start = turned(corners[side], position, angle, scale);
    vec2 end = turned(corners[(side + 1) & 3], position, angle, scale);
#ifdef SOFT
    if (lamp == lamp_count) {
        v_wall = vec4(turned(corners[0], position, angle, scale), turned(corners[1], position, angle, scale));
        v_other = vec4(turned(corners[2], position, angle, scale), turned(corners[3], position, angle, scale));
        v_depth = depth;
        v_bit = BOX;
        int box = first_group - standing_groups + gl_InstanceID;
        put_walls(first_box_wall + 4 * box, side == 0 ? 4 : 0, gl_VertexID % 12);
        return;
    }
#endif
    vec2 away = texelFetch(lamps, ivec2(lamp, 0), 0).xy - position;
    vec2 within = vec2(dot(away, vec2(cos(angle), sin(angle))), dot(away, vec2(-sin(angle), cos(angle)))) / scale;
    bool inside = all(greaterThan(within, box.xy)) && all(lessThan(within, box.zw));
    bool casts = (in_info & 0x1000000u) != 0u && !inside;
#ifdef SOFT
    vec4 place_radius = texelFetch(lamps, ivec2(lamp, 0), 0);
    vec2 throws_radius = texelFetch(lamps, ivec2(lamp, 2), 0).zw;
    v_other = vec4(0.0);
    if (place_radius.w > 0.0) {
        v_wall = vec4(0.0);
        v_depth = 0.0;
        v_bit = 1.0;
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        if (side == 0 && casts && throws_radius.x > 0.5 && throws_radius.y > 0.0) {
            float middle = atan(-away.y, -away.x) / (2.0 * PI);
            vec2 range = vec2(1.0, -1.0);
            for (int i = 0; i < 4; i++) {
                vec4 ends = vec4(turned(corners[i], position, angle, scale), turned(corners[(i + 1) & 3], position, angle, scale));
                range = widened(range, ends - place_radius.xyxy, middle, throws_radius.y, place_radius.w);
            }
            put_group(first_group + gl_InstanceID, lamp, gl_VertexID % 12, middle, range);
        }
        return;
    }
#endif
    put_stripe(vec4(start, end), depth, lamp, gl_VertexID % 12, casts);
}
