#include "place.glsl"

uniform sampler2D image;
uniform vec2 origin;   // the image's bottom left corner, relative to the eye
uniform vec2 size;     // size of the image in units
uniform vec4 part;     // the visible part of the texture: left, bottom, width, height
uniform ivec2 repeat;  // whether the image is repeated along x and y
uniform float level;   // mipmap level

out vec4 color;  // premultiplied alpha

void main() {
    vec2 at = (place() - origin) / size;
    bvec2 outside = bvec2(at.x < 0.0 || at.x >= 1.0, at.y < 0.0 || at.y >= 1.0);
    if ((outside.x && repeat.x == 0) || (outside.y && repeat.y == 0))
        discard;
    color = textureLod(image, part.xy + at * part.zw, level) * tint;
}
