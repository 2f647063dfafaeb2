#include "tiles_frag.glsl"

#ifdef SHIFTED
flat in float v_alpha;
#endif
flat in uint v_cell;
flat in ivec2 v_at;
flat in vec2 v_corner;
flat in vec2 v_box;
flat in vec2 v_picture;
flat in vec4 v_rectangle;

void main() {
    vec2 here = place(), at = here - v_corner;
#ifdef FITTING
    if (cell_at(here) != v_at)
        discard;
#else
#ifdef HEXAGONAL
    float angle = ((v_cell & SWAP) != 0u ? 1.04719755 : 0.0) + ((v_cell & TURN) != 0u ? 2.09439510 : 0.0);
    if (angle != 0.0) {  // turned clockwise about its center
        vec2 from = at - v_box * 0.5;
        at = vec2(from.x * cos(angle) - from.y * sin(angle), from.x * sin(angle) + from.y * cos(angle)) + v_box * 0.5;
    }
#endif
    if (any(lessThan(at, vec2(0.0))) || any(greaterThanEqual(at, v_box)))
        discard;
#endif
    color = tile_color(v_cell, at, v_box, v_picture, v_rectangle);
#ifdef SHIFTED
    color *= v_alpha;
#endif
}
