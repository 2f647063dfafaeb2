// Each pixel computes which tile it shows.
#include "tiles_frag.glsl"

flat in ivec2 v_chunk;

uniform vec4 reduced;  // for all images at their current reduction: offset and size in texels

void main() {
    vec2 here = place();
    ivec2 at = cell_at(here);
    if (at >> 5 != v_chunk || any(greaterThanEqual(at, textureSize(cells, 0))))
        discard;
    uint cell = texelFetch(cells, at, 0).r;
    if (cell == 0u)
        discard;
    vec4 rectangle = vec4(fact(tile_now(cell), 0).xy + reduced.xy, reduced.zw);
    vec2 corner = origin + vec2(at.x - base.x, base.y - at.y) * size;
    color = tile_color(cell, here - corner, size, size, rectangle);
}
