// Draws the shadows of walls. Each instance is one lamp, with the vertices of all walls.
#include "lamp_shadow.glsl"

uniform int first_lamp;   // the first lamp of this draw call
uniform sampler2D walls;  // two texels per wall: its ends; its depth
#ifdef SOFT
uniform int lamp_count;   // the lamp with this index writes the walls
#endif

vec4 wall_at(int wall) {
    int texel = wall * 2, width = textureSize(walls, 0).x;
    return texelFetch(walls, ivec2(texel % width, texel / width), 0);
}

void main() {
    int wall = gl_VertexID / 12, lamp = first_lamp + gl_InstanceID, corner = gl_VertexID % 12;
    int texel = wall * 2, width = textureSize(walls, 0).x;
    float depth = texelFetch(walls, ivec2(texel % width + 1, texel / width), 0).x;
#ifdef SOFT
    v_other = vec4(0.0);
    if (lamp == lamp_count) {
        v_wall = wall_at(wall);
        v_depth = depth;
        v_bit = WALL;
        put_walls(wall, 1, corner);
        return;
    }
    vec4 place_radius = texelFetch(lamps, ivec2(lamp, 0), 0);
    vec2 throws_radius = texelFetch(lamps, ivec2(lamp, 2), 0).zw;
    if (place_radius.w > 0.0) {
        v_wall = vec4(0.0);
        v_depth = 0.0;
        v_bit = 1.0;
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        if (wall % group_size == 0 && throws_radius.x > 0.5 && throws_radius.y > 0.0) {
            vec4 first = wall_at(wall) - place_radius.xyxy;
            float middle = atan(first.y + first.w, first.x + first.z) / (2.0 * PI);
            vec2 range = vec2(1.0, -1.0);
            for (int other = wall; other < min(wall + group_size, standing); other++)
                range = widened(range, wall_at(other) - place_radius.xyxy, middle, throws_radius.y, place_radius.w);
            put_group(wall / group_size, lamp, corner, middle, range);
        }
        return;
    }
#endif
    put_stripe(wall_at(wall), depth, lamp, corner, true);
}
