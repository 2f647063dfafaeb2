// The beginning of every fullscreen quad that a game defines. framework/gpu/fullscreen.py includes it before your code.
//
//     vec4 fill(vec2 place) { return vec4(0.0, 0.0, place.y, 1.0); }  // premultiplied alpha
//
// `place` goes from 0 to 1, from the bottom left corner. `size` is the width and height of the filled area in framebuffer
// pixels, or in texels of pixel art: `place * size` is a position in pixels. frame.glsl declares the camera, alpha, time.
#include "frame.glsl"

in vec2 v_place;

out vec4 color;

vec2 size;

vec4 fill(vec2 place);

void main() {
    size = viewport;  // effects, transitions and PingPong use this name too
    color = fill(v_place);
}
