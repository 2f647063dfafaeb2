// The code that all fragment shaders of tile layers share.
#include "tiles.glsl"
#include "place.glsl"

uniform sampler2D image;

out vec4 color;  // premultiplied alpha

// Return the cell at a position in an orthogonal layer.
ivec2 cell_at(vec2 place) {
    vec2 away = floor((place - origin) / size);
    return base + ivec2(away.x, -away.y);
}

// Return the color of a tile's image at a position in its box (from the bottom left corner, in units of `box`), after
// undoing the tile's flips.
vec4 tile_color(uint cell, vec2 at, vec2 box, vec2 picture, vec4 rectangle) {
    at.y = box.y - at.y;
    if ((cell & FLIP_X) != 0u)
        at.x = box.x - at.x;
    if ((cell & FLIP_Y) != 0u)
        at.y = box.y - at.y;
#ifndef HEXAGONAL
    if ((cell & SWAP) != 0u)
        at = at.yx;
#endif
    vec2 texel = vec2(at.x, picture.y - at.y) * rectangle.zw / picture;
    texel = rectangle.xy + clamp(texel, vec2(0.5), rectangle.zw - 0.5);
#ifdef NEAREST
    return texelFetch(image, ivec2(texel), 0) * tint;
#else
    return textureLod(image, texel / vec2(textureSize(image, 0)), 0.0) * tint;
#endif
}
