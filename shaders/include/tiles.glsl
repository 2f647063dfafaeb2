// What the shaders of tile layers have in common. Cells are (column, row), row 0 at the top; places are units from the
// eye, y up. framework/plane/tiledrawing.py sets the uniforms.
#include "frame.glsl"
#include "window.glsl"

uniform usampler2D cells;  // of the whole layer: 0, or a tile's index + 1, and how it lies there
uniform sampler2D facts;   // three texels a tile: where its picture is in the atlas, where its animation begins, how often
                           // it was halved; offset and size; texels of the picture
uniform sampler2D frames;  // frames of an animation and its milliseconds; then of each its end, and its tile
uniform int milliseconds;  // that went by

uniform ivec2 base;        // a cell near the eye, even in both
uniform vec2 origin;       // the bottom left corner of its box, were it not shifted
uniform vec2 across;       // the way to the next column
uniform vec2 down;         // and to the next row
uniform vec2 shift;        // of every other row (stagger 1) or column (stagger 2), the odd ones or the even ones
uniform int stagger;
uniform int odd;
uniform vec2 size;         // of the box around a cell

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

// The tile that is shown just now.
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
