#include "window.glsl"

// Return the position of this pixel's center. Every shader computes it with the same few operations from uninterpolated
// values, and rounds it to 1/4096. Sums and differences after that are exact. So a pixel belongs to exactly one of two
// neighboring tiles at any rotation of the camera.
vec2 place() {
    vec2 away = gl_FragCoord.xy - window.xy;
    return floor((turned[0] * away.x + turned[1] * away.y) * 4096.0 + 0.5) * (1.0 / 4096.0);
}
