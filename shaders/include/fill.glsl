// The start of your own fullscreen quad. framework/gpu/fullscreen.py includes it before your code.
//
//     vec4 fill(vec2 place) { return vec4(0.0, 0.0, place.y, 1.0); }  // premultiplied alpha
//
// `place` goes from 0 to 1, from the bottom left corner. frame.glsl declares the camera, alpha and time.
#include "frame.glsl"

in vec2 v_place;

out vec4 color;

vec4 fill(vec2 place);

void main() {
    color = fill(v_place);
}
