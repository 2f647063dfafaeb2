#include "window.glsl"

// Return the position of this pixel's center. Every shader performs the same few operations on values that are not
// interpolated, and rounds the result to 1/4096, so that later sums and differences are exact. As a result, a pixel
// belongs to exactly one of two neighboring tiles, whatever the rotation of the camera.
vec2 place() {
    vec2 away = gl_FragCoord.xy - window.xy;
    return floor((turned[0] * away.x + turned[1] * away.y) * 4096.0 + 0.5) * (1.0 / 4096.0);
}
