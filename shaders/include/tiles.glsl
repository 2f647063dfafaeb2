// The code that all shaders of tile layers share. Cells are (column, row), with row 0 at the top. Positions are in
// units relative to the eye, with y up. framework/tiles/tiledrawing.py sets the uniforms.
#include "frame.glsl"
#include "window.glsl"

uniform usampler2D cells;  // the cells of the whole layer: 0, or a tile's index + 1 with the bits of its flips
uniform sampler2D facts;   // three texels per tile: the image's position in the atlas, the start of its animation, the
                           // number of halvings; its offset and size; the texels of its image and its margin
uniform sampler2D frames;  // number of frames of an animation, and its milliseconds; then each frame's end and tile
uniform int milliseconds;  // simulated time

uniform ivec2 base;        // a cell near the eye, both numbers even
uniform vec2 origin;       // the bottom left corner of its box, without the shift
uniform vec2 across;       // from one column to the next
uniform vec2 down;         // from one row to the next
uniform vec2 shift;        // shift of every other row (stagger 1) or column (stagger 2), the odd or the even ones
uniform int stagger;
uniform int odd;
uniform vec2 size;         // size of the box around a cell
uniform float scale;       // units of the world in a unit of the layer

const uint NUMBER = 0x0FFFFFFFu, FLIP_X = 0x80000000u, FLIP_Y = 0x40000000u, SWAP = 0x20000000u, TURN = 0x10000000u;

vec2 corner_of(ivec2 cell) {
    vec2 away = vec2(cell - base);
    bool shifted = stagger != 0 && (cell[2 - stagger] & 1) == odd;
    return origin + away.x * across + away.y * down + (shifted ? shift : vec2(0.0));
}

vec4 fact(int tile, int texel) {
    texel += 3 * tile;
    return texelFetch(facts, ivec2(texel & 255, texel >> 8), 0);
}

// Return the tile that is shown now.
int tile_now(uint cell) {
    int tile = int(cell & NUMBER) - 1;
#ifdef ANIMATED
    int start = int(fact(tile, 0).z);
    if (start > 0) {
        vec2 counts = texelFetch(frames, ivec2(start & 255, start >> 8), 0).xy;
        int now = milliseconds % int(counts.y);
        for (int i = start + 1; i <= start + int(counts.x); ++i) {
            vec2 shown = texelFetch(frames, ivec2(i & 255, i >> 8), 0).xy;
            if (now < int(shown.x))
                return int(shown.y);
        }
    }
#endif
    return tile;
}
